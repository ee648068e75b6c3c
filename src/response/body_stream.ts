/** Bytes that may wait in memory for a slow client before `write()` answers `false`, as in Node. */
const HIGH_WATER_MARK = 16 * 1024;

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
export class BodyStream {
  /** What the web response carries. */
  readonly readable: ReadableStream<Uint8Array>;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #events: BodyStreamEvents;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #asked: (() => void) | null = null;
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
    this.readable = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#pull(),
      cancel: () => {
        this.#over = true;
        this.#queue = [];
        events.leave();
      },
    }, { highWaterMark: 0 });
  }

  /**
   * Adds bytes to the body.
   *
   * @param bytes The bytes
   * @returns Whether more may be written at once; otherwise wait for `drain`
   */
  write(bytes: Uint8Array): boolean {
    if (this.#over || this.#discarding || bytes.byteLength === 0) return true;
    this.#queue.push(bytes);
    this.#queued += bytes.byteLength;
    this.#deliver();
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

  #pull(): Promise<void> | void {
    // Node 20 has no Promise.withResolvers
    return new Promise((resolve) => {
      this.#asked = resolve;
      this.#deliver();
    });
  }

  // hands one chunk over for each time the client asked
  #deliver(): void {
    if (this.#over) return;
    if (this.#asked !== null && this.#queue.length > 0) {
      const chunk = this.#queue.shift()!;
      this.#queued -= chunk.byteLength;
      this.#answered();
      this.#controller.enqueue(chunk);
      this.#drained();
    }
    if (!this.#ending || this.#queue.length > 0) return;
    this.#over = true;
    this.#answered();
    this.#controller.close();
    this.#events.finish();
  }

  #answered(): void {
    this.#asked?.();
    this.#asked = null;
  }

  #drained(): void {
    if (!this.#full || this.#ending || this.#queued > 0) return;
    this.#full = false;
    this.#events.drain();
  }
}
