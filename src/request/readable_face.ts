import type { Emitter } from "../http/emitter.ts";

/** What `pipe` needs of its destination: Node's writable streams and Sluice's responses have it. */
export interface Destination {
  /** Takes a chunk; `false` asks to wait for `drain`. */
  write(chunk: Uint8Array | string): boolean;
  /** Ends the destination. */
  end(): unknown;
  /** Waits for `drain`. */
  once(event: "drain", listener: () => void): unknown;
  /** Tells the destination who writes to it. */
  emit?(event: string, ...args: unknown[]): boolean;
}

/**
 * Node's readable stream over the body of a web request: `data`, `end` and `error` events, pause, resume and pipe.
 * One reader, taken on first use; nothing is buffered beyond the chunk under way.
 */
export class ReadableFace {
  /** Whether the body was read to its end. */
  ended = false;
  #request: Request;
  #emitter: Emitter;
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  #flowing = false;
  #reading = false;
  #decoder: TextDecoder | null = null;
  #pipes = new Map<Destination, { listener: (chunk: Uint8Array | string) => void; onEnd: () => void }>();

  /**
   * @param request The request whose body is read
   * @param emitter Where the events appear
   */
  constructor(request: Request, emitter: Emitter) {
    this.#request = request;
    this.#emitter = emitter;
  }

  /** Starts or continues the flow. The first chunk never comes before the caller's turn is over. */
  resume(): void {
    this.#flowing = true;
    if (this.#reading || this.#isOver()) return;
    this.#reading = true;
    this.#take();
    queueMicrotask(() => this.#pump());
  }

  // In this turn already, for a handler may answer in it, and of a body that nobody reads by then Deno shows nothing any
  // more, not even that there was one. That somebody else reads it is found out when it is read.
  #take(): void {
    if (this.#reader !== null) return;
    const body = bodyOf(this.#request);
    if (body !== null && !body.locked) this.#reader = body.getReader();
  }

  // what a body parser or req.text() has read is over, as a stream of Node's that was read to its end
  #isOver(): boolean {
    if (this.#reader === null && this.#request.bodyUsed) this.ended = true;
    return this.ended;
  }

  /** Holds the flow back after the chunk under way. */
  pause(): void {
    this.#flowing = false;
  }

  /** Makes chunks strings. */
  setEncoding(encoding: string): void {
    this.#decoder = new TextDecoder(encoding === "binary" || encoding === "latin1" ? "latin1" : encoding);
  }

  async #pump(): Promise<void> {
    try {
      while (this.#flowing) {
        let chunk: Uint8Array | undefined;
        try {
          chunk = (await this.#next())?.value;
        } catch (error) {
          return this.#fail(error);
        }
        if (chunk === undefined) return this.#finish();
        this.#emitter.emit("data", this.#decoder === null ? chunk : this.#decoder.decode(chunk, { stream: true }));
      }
    } catch (error) {
      // a listener's own; as in Node, it ends the process unless somebody listens for errors
      this.ended = true;
      this.#emitter.emit("error", error);
    } finally {
      this.#reading = false;
    }
  }

  #next(): Promise<ReadableStreamReadResult<Uint8Array>> | undefined {
    this.#reader ??= bodyOf(this.#request)?.getReader() ?? null;
    return this.#reader?.read();
  }

  // unlike other streams, a request of Node's keeps the error to itself where nobody listens: any client can leave
  #fail(error: unknown): void {
    this.ended = true;
    if (this.#emitter.listenerCount("error") > 0) this.#emitter.emit("error", error);
  }

  #finish(): void {
    this.ended = true;
    const rest = this.#decoder?.decode();
    if (rest) this.#emitter.emit("data", rest);
    this.#emitter.emit("end");
  }

  /** Sends every chunk to a destination, pausing while it is full. */
  pipe<T extends Destination>(destination: T, options: { end?: boolean }): T {
    const listener = (chunk: Uint8Array | string): void => {
      if (destination.write(chunk) !== false) return;
      this.pause();
      destination.once("drain", () => this.resume());
    };
    const onEnd = (): void => {
      this.unpipe(destination);
      if (options.end !== false) destination.end();
    };
    this.#pipes.set(destination, { listener, onEnd });
    if (this.#isOver()) queueMicrotask(onEnd);
    else this.#emitter.on("end", onEnd);
    this.#emitter.on("data", listener);
    destination.emit?.("pipe", this.#emitter);
    return destination;
  }

  /** Stops sending chunks to one destination, or to all. */
  unpipe(destination?: Destination): void {
    for (const [target, { listener, onEnd }] of this.#pipes) {
      if (destination !== undefined && target !== destination) continue;
      this.#emitter.off("data", listener);
      this.#emitter.off("end", onEnd);
      this.#pipes.delete(target);
    }
    if (this.#pipes.size === 0) this.pause();
  }

  /** Gives the body up and tells the sender so. */
  destroy(error?: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.#flowing = false;
    const given = this.#reader === null ? bodyOf(this.#request)?.cancel(error) : this.#reader.cancel(error);
    // a body that somebody else is reading cannot be cancelled from here; its reader sees the error itself
    given?.catch(() => {});
    if (error !== undefined) this.#fail(error);
  }
}

/**
 * The body of a request, `null` where there is none, or none any more: Deno shows nothing of a request once its answer
 * has gone, and whoever asks so late must not end the process.
 *
 * @param request The request
 */
export function bodyOf(request: Request): ReadableStream<Uint8Array<ArrayBuffer>> | null {
  try {
    return request.body;
  } catch {
    return null;
  }
}
