/** Bytes that may wait in memory for a slow client before `write()` answers `false`, as in Node. */
const HIGH_WATER_MARK = 16 * 1024;

/** The queue of the web stream stays empty. */
const NO_QUEUE: QueuingStrategy<Uint8Array> = { highWaterMark: 0 };

/** What a body stream tells its response. */
export interface BodyStreamEvents {
  /** The client has taken enough for more to be written. */
  drain(): void;
  /** The last byte was taken. */
  finish(): void;
  /** The client left. */
  leave(): void;
}

/**
 * A response body that is written piece by piece: Node's `write` and `end` onto a web stream.
 *
 * The queue is its own, because a web stream does not tell when its last chunk was taken.
 */
export class BodyStream implements UnderlyingDefaultSource<Uint8Array> {
  /** What the web response carries. */
  readonly readable: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #events: BodyStreamEvents;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #asked = false;
  #full = false;
  #ending = false;
  #over = false;
  #discarding = false;

  /**
   * Makes an empty body.
   *
   * @param events Whom to tell about the stream's life
   */
  constructor(events: BodyStreamEvents) {
    this.#events = events;
    this.readable = new ReadableStream(this, NO_QUEUE);
  }

  /** Called by the stream when it is made. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /**
   * Called by the stream when the client can take a chunk. Says nothing of when there will be one: a promise for each
   * would cost more than the rest, and the stream asks no second time before it got one.
   */
  pull(): void {
    this.#asked = true;
    this.#deliver();
  }

  /** Called by the stream when the client has left. */
  cancel(): void {
    this.#over = true;
    this.#queue = [];
    this.#events.leave();
  }

  /**
   * Adds bytes to the body.
   *
   * @param bytes The bytes
   * @returns Whether more may be written at once; otherwise wait for `drain`
   */
  write(bytes: Uint8Array): boolean {
    if (this.#over || this.#discarding || bytes.byteLength === 0) return true;
    if (this.#asked && this.#queue.length === 0) {
      this.#asked = false;
      this.#full = false;
      this.#controller.enqueue(bytes);
      return true;
    }
    this.#queue.push(bytes);
    this.#queued += bytes.byteLength;
    this.#full = this.#queued >= HIGH_WATER_MARK;
    return !this.#full;
  }

  /** Ends the body after what was written. */
  end(): void {
    this.#ending = true;
    if (this.#discarding) this.#events.finish();
    else this.#deliver();
  }

  /** Takes everything written from now on without keeping it, for answers that may have no content. */
  discard(): void {
    this.#discarding = true;
    this.#queue = [];
  }

  /** Breaks the body off: the client sees a truncated answer, not a complete one. */
  destroy(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#queue = [];
    this.#controller.error(error);
  }

  // hands one chunk over for each time the client asked
  #deliver(): void {
    if (this.#over) return;
    if (this.#asked && this.#queue.length > 0) {
      const chunk = this.#queue.shift()!;
      this.#queued -= chunk.byteLength;
      this.#asked = false;
      this.#controller.enqueue(chunk);
      this.#drained();
    }
    // a client that asks again while it is given a chunk may have had the last one by now
    if (!this.#ending || this.#queue.length > 0 || this.#over) return;
    this.#over = true;
    this.#controller.close();
    this.#events.finish();
  }

  #drained(): void {
    if (!this.#full || this.#ending || this.#queued > 0) return;
    this.#full = false;
    this.#events.drain();
  }
}
