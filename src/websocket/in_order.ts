import { byteLengthOf, bytesOf, type SocketData } from "./socket_data.ts";

/** A message that can be sent at once. */
export type ReadyData = Exclude<SocketData, Blob>;

/**
 * Keeps messages in order though a `Blob` has to be read before it can be sent: what comes after one waits for it.
 * Without a Blob nothing waits.
 */
export class InOrder {
  #last: Promise<void> | null = null;
  #bytes = 0;
  readonly #failed: (error: unknown) => void;

  /**
   * @param failed Is told why a Blob could not be read; the message is lost, and those after it go on
   */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Bytes that wait for a Blob, its own among them. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Passes a message on in its turn.
   *
   * @param data The message
   * @param pass Takes it
   */
  send(data: SocketData, pass: (data: ReadyData) => void): void {
    if (this.#last === null && !(data instanceof Blob)) return pass(data);
    const length = byteLengthOf(data);
    this.#bytes += length;
    // the caller may reuse its bytes while they wait
    const kept = typeof data === "string" || data instanceof Blob ? data : bytesOf(data).slice();
    this.#queue(async () => {
      try {
        // read in its turn: if it failed earlier, nobody would be there to catch it
        pass(kept instanceof Blob ? await kept.arrayBuffer() : kept);
      } finally {
        this.#bytes -= length;
      }
    });
  }

  /**
   * Runs something when all messages so far have been passed on: at once where none waits.
   *
   * @param action What is to happen
   */
  after(action: () => void): void {
    if (this.#last === null) action();
    else this.#queue(action);
  }

  #queue(action: () => void | Promise<void>): void {
    const turn: Promise<void> = (this.#last ?? Promise.resolve()).then(action).catch(this.#failed).finally(() => {
      if (this.#last === turn) this.#last = null;
    });
    this.#last = turn;
  }
}
