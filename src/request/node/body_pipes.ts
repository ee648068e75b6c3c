import { type Emitter, isEmitter } from "../../util/emitter.ts";

/** The parts of a destination that `pipe` uses; Node's writable streams and Sluice's responses fit. */
export interface Destination {
  /** Accepts a chunk; `false` means wait for `drain`. */
  write(chunk: Uint8Array | string): boolean;
  /** Ends the destination. */
  end(): unknown;
  /** Listens for `drain`, and for `close` in case `drain` never comes. */
  once(event: "drain" | "close", listener: () => void): unknown;
  /** Removes a listener. */
  off?(event: "drain" | "close" | "error", listener: (error: unknown) => void): unknown;
  /** Adds an error listener ahead of all others. */
  prependListener?(event: "error", listener: (error: unknown) => void): unknown;
  /** Number of error listeners. */
  listenerCount?(event: "error"): number;
  /** Whether it was destroyed and accepts no more chunks. */
  readonly destroyed?: boolean;
  /** Whether it has ended and flushed everything. */
  readonly writableFinished?: boolean;
  /** Emits `pipe` on the destination. */
  emit?(event: string, ...args: unknown[]): boolean;
}

/** One pipe's listeners. */
interface Pipe {
  readonly listener: (chunk: Uint8Array | string) => void;
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

/** The parts of a body that pipes use. */
export interface PipedBody {
  /** Starts or continues the flow. */
  resume(): void;
  /** Pauses the flow. */
  pause(): void;
  /** Whether it has already ended. */
  hasEnded(): boolean;
  /** Runs a function after the current tick. */
  nextTurn(run: () => void): void;
}

/** The destinations of a request body's pipes. */
export class BodyPipes {
  readonly #emitter: Emitter;
  readonly #body: PipedBody;
  readonly #pipes = new Map<Destination, Pipe>();

  /**
   * @param emitter Emits the body's chunks and end
   * @param body The body
   */
  constructor(emitter: Emitter, body: PipedBody) {
    this.#emitter = emitter;
    this.#body = body;
  }

  /** Sends every chunk to a destination, pausing while it is full, until either side ends. */
  add<T extends Destination>(destination: T, options: { end?: boolean }): T {
    const isGone = (): boolean => destination.destroyed === true || destination.writableFinished === true;
    const proceed = (): void => {
      destination.off?.("drain", proceed);
      destination.off?.("close", proceed);
      if (isGone()) this.remove(destination);
      // other destinations may want the rest
      if (this.#pipes.size > 0) this.#body.resume();
    };
    const listener = (chunk: Uint8Array | string): void => {
      if (isGone()) return this.remove(destination);
      // the write may have removed the destination, and then its result does not matter
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
      // this listener must not count: without another listener, the error stays unhandled, as without a pipe
      if (destination.listenerCount?.("error") === 0) destination.emit?.("error", error);
    };
    this.#pipes.set(destination, { listener, onEnd, onError });
    // A failed destination is not always destroyed, and would stay full forever. The listener runs first, so a program
    // that resumes the body on the error finds the pipe removed. Sluice's responses need no listener: they log errors
    // without one, and any other error destroys them.
    if (!isEmitter(destination)) destination.prependListener?.("error", onError);
    if (this.#body.hasEnded()) this.#body.nextTurn(onEnd);
    else this.#emitter.on("end", onEnd);
    this.#emitter.on("data", listener);
    this.#body.resume();
    destination.emit?.("pipe", this.#emitter);
    return destination;
  }

  /** Stops sending chunks to one destination or to all of them. */
  remove(destination?: Destination): void {
    // without a pipe, the body must not be paused, because there may be other listeners
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
