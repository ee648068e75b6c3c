import { Emitter } from "../http/emitter.ts";

/** What `pipe` needs of its destination: Node's writable streams and Sluice's responses have it. */
export interface Destination {
  /** Takes a chunk; `false` asks to wait for `drain`. */
  write(chunk: Uint8Array | string): boolean;
  /** Ends the destination. */
  end(): unknown;
  /** Waits for `drain`, or for `close` where that never comes. */
  once(event: "drain" | "close", listener: () => void): unknown;
  /** Waits no longer. */
  off?(event: "drain" | "close" | "error", listener: (error: unknown) => void): unknown;
  /** Hears of an error before anybody else does. */
  prependListener?(event: "error", listener: (error: unknown) => void): unknown;
  /** How many hear of an error. */
  listenerCount?(event: "error"): number;
  /** Whether it was destroyed, and takes nothing any more. */
  readonly destroyed?: boolean;
  /** Whether it has ended, and everything was written. */
  readonly writableFinished?: boolean;
  /** Tells the destination who writes to it. */
  emit?(event: string, ...args: unknown[]): boolean;
}

/** What listens while a body is sent to a destination. */
interface Pipe {
  readonly listener: (chunk: Uint8Array | string) => void;
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

/** What pipes need of the body they take chunks from. */
export interface PipedBody {
  /** Starts or continues the flow. */
  resume(): void;
  /** Holds the flow back. */
  pause(): void;
  /** Whether nothing more will come. */
  isOver(): boolean;
  /** Runs something when the present turn is over. */
  afterTicks(run: () => void): void;
}

/** The destinations that a request's body is piped to. */
export class BodyPipes {
  readonly #emitter: Emitter;
  readonly #body: PipedBody;
  readonly #pipes = new Map<Destination, Pipe>();

  /**
   * @param emitter Where the chunks and the end of the body appear
   * @param body The body
   */
  constructor(emitter: Emitter, body: PipedBody) {
    this.#emitter = emitter;
    this.#body = body;
  }

  /** Sends every chunk to a destination, pausing while it is full, until one of the two has ended. */
  add<T extends Destination>(destination: T, options: { end?: boolean }): T {
    const isGone = (): boolean => destination.destroyed === true || destination.writableFinished === true;
    const proceed = (): void => {
      destination.off?.("drain", proceed);
      destination.off?.("close", proceed);
      if (isGone()) this.remove(destination);
      // others may be waiting for the rest
      if (this.#pipes.size > 0) this.#body.resume();
    };
    const listener = (chunk: Uint8Array | string): void => {
      if (isGone()) return this.remove(destination);
      // one that was let go while it was written to says nothing any more
      if (destination.write(chunk) !== false || !this.#pipes.has(destination)) return;
      this.#body.pause();
      destination.once("drain", proceed);
      destination.once("close", proceed);
    };
    const onEnd = (): void => {
      this.remove(destination);
      if (options.end !== false) destination.end();
    };
    const onError = (error: unknown): void => {
      this.remove(destination);
      // it is nobody's business but theirs who listen, and as unheard as it was where nobody does
      if (destination.listenerCount?.("error") === 0) destination.emit?.("error", error);
    };
    this.#pipes.set(destination, { listener, onEnd, onError });
    // What has failed need not be destroyed, and would be full for ever; and who resumes the body at the error does so
    // after it was let go. A response of Sluice's logs an error that nobody hears, and is destroyed by any other.
    if (!(destination instanceof Emitter)) destination.prependListener?.("error", onError);
    if (this.#body.isOver()) this.#body.afterTicks(onEnd);
    else this.#emitter.on("end", onEnd);
    this.#emitter.on("data", listener);
    this.#body.resume();
    destination.emit?.("pipe", this.#emitter);
    return destination;
  }

  /** Stops sending chunks to one destination, or to all. */
  remove(destination?: Destination): void {
    // somebody else may be listening
    if (destination === undefined ? this.#pipes.size === 0 : !this.#pipes.has(destination)) return;
    for (const [target, { listener, onEnd, onError }] of this.#pipes) {
      if (destination !== undefined && target !== destination) continue;
      target.off?.("error", onError);
      this.#emitter.off("data", listener);
      this.#emitter.off("end", onEnd);
      this.#pipes.delete(target);
    }
    if (this.#pipes.size === 0) this.#body.pause();
  }
}
