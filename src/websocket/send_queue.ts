import { byteLengthOf, bytesOf, type SocketData } from "./socket_data.ts";

/** A message that can be sent right away. */
export type ReadyData = Exclude<SocketData, Blob>;

/**
 * Keeps messages in order even though a `Blob` must be read before it is sent: later messages wait for it. Without a
 * Blob, nothing waits.
 */
export class SendQueue {
  #last: Promise<void> | null = null;
  #bytes = 0;
  readonly #failed: (error: unknown) => void;

  /**
   * @param failed Called with the error if a Blob cannot be read; only that message is lost
   */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  /** Waiting bytes, including those in Blobs. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Passes a message on when its turn comes.
   *
   * @param data The message
   * @param pass Receives it
   */
  send(data: SocketData, pass: (data: ReadyData) => void): void {
    if (this.#last === null && !(data instanceof Blob)) return pass(data);
    const length = byteLengthOf(data);
    this.#bytes += length;
    // the caller may reuse the bytes while they wait
    const kept = typeof data === "string" || data instanceof Blob ? data : bytesOf(data).slice();
    this.#queue(async () => {
      try {
        // read only now: an earlier failure would have no handler
        pass(kept instanceof Blob ? await kept.arrayBuffer() : kept);
      } finally {
        this.#bytes -= length;
      }
    });
  }

  /**
   * Runs an action once all messages so far have been passed on; immediately if none is waiting.
   *
   * @param action The action
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
