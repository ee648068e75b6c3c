import { captureContext } from "../http/async_context.ts";
import { UNREAD_BODY_MS } from "../request/readable_face.ts";
import { joinedBytes } from "./chunk_bytes.ts";

/** Bytes that may wait in memory for a slow client before `write()` answers `false`, as in Node. */
export const HIGH_WATER_MARK = 16 * 1024;

/** Bytes of small chunks that leave together at most, for each piece that a runtime takes costs it a turn or more. */
const PIECE_BYTES = 64 * 1024;

/** The queue of the web stream stays empty. */
const NO_QUEUE: QueuingStrategy<Uint8Array> = { highWaterMark: 0 };

/** Runs when a chunk was taken, or with why it never will be. */
export type TakenCallback = (error?: Error) => void;

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
  /** Who waits for which chunk; few do. */
  #waiting: Map<Uint8Array, TakenCallback> | null = null;
  #queued = 0;
  #asked = false;
  /** Runs listeners in the context of the writer who has to wait. */
  #drain: ((run: () => void) => void) | null = null;
  #ending = false;
  #over = false;
  #discarding = false;
  #giveUpTimer: ReturnType<typeof setTimeout> | undefined = undefined;

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
    this.#drop();
    this.#events.leave();
  }

  /** Bytes that wait for the client. */
  get waitingBytes(): number {
    return this.#queued;
  }

  /** Whether `drain` is waited for. */
  get needsDrain(): boolean {
    return this.#drain !== null && !this.#over;
  }

  /**
   * Adds bytes to the body.
   *
   * @param bytes The bytes; with a callback an object of their own, by which it is found again
   * @param taken Runs when the client has taken them
   * @returns Whether more may be written at once; otherwise wait for `drain`
   */
  write(bytes: Uint8Array, taken?: TakenCallback): boolean {
    if (this.#over || this.#discarding || bytes.byteLength === 0) {
      if (taken !== undefined) queueMicrotask(taken);
      return true;
    }
    if (this.#asked && this.#queue.length === 0) {
      this.#asked = false;
      this.#drain = null;
      this.#controller.enqueue(bytes);
      if (taken !== undefined) queueMicrotask(taken);
      return true;
    }
    this.#queue.push(bytes);
    if (taken !== undefined) {
      const turn = captureContext();
      (this.#waiting ??= new Map()).set(bytes, (error?: Error) => turn(() => taken(error)));
    }
    this.#queued += bytes.byteLength;
    if (this.#queued < HIGH_WATER_MARK) return true;
    this.#drain ??= captureContext();
    return false;
  }

  /** Ends the body after what was written. */
  end(): void {
    this.#ending = true;
    if (!this.#discarding) return this.#deliver();
    clearTimeout(this.#giveUpTimer);
    this.#events.finish();
  }

  /**
   * Takes everything written from now on without keeping it, for answers that may have no content. The client has all it
   * will get, and may leave without anybody being told, so what never ends must not be waited for.
   *
   * @param giveUp Runs when it has not ended after some seconds; `null` where somebody else sees to that
   */
  discard(giveUp: (() => void) | null): void {
    this.#discarding = true;
    this.#queue = [];
    if (giveUp !== null) this.#giveUpTimer = setTimeout(giveUp, UNREAD_BODY_MS);
  }

  /** Breaks the body off: the client sees a truncated answer, not a complete one. */
  destroy(error: unknown): void {
    if (this.#giveUpTimer !== undefined) clearTimeout(this.#giveUpTimer);
    if (this.#over) return;
    this.#over = true;
    this.#drop();
    this.#controller.error(error);
  }

  // what waits is not sent any more, and whoever waits with it hears so
  #drop(): void {
    this.#queue = [];
    this.#queued = 0;
    this.#waiting?.forEach((taken) => taken(clientLeft()));
    this.#waiting = null;
  }

  // hands one piece over for each time the client asked
  #deliver(): void {
    if (this.#over) return;
    if (this.#asked && this.#queue.length > 0) {
      const chunks = this.#queue.splice(0, this.#fitting());
      const piece = joinedBytes(chunks);
      const last = chunks.at(-1)!;
      this.#queued -= piece.byteLength;
      this.#asked = false;
      this.#controller.enqueue(piece);
      this.#waiting?.get(last)?.();
      this.#waiting?.delete(last);
      this.#drained();
    }
    // a client that asks again while it is given a chunk may have had the last one by now
    if (!this.#ending || this.#queue.length > 0 || this.#over) return;
    this.#over = true;
    this.#controller.close();
    this.#events.finish();
  }

  // How many of those that wait leave together: one that somebody waits for is the last of its piece, so that nobody is told
  // of more than the client has asked for.
  #fitting(): number {
    let count = 0;
    let bytes = 0;
    for (const chunk of this.#queue) {
      bytes += chunk.byteLength;
      if (count > 0 && bytes > PIECE_BYTES) break;
      count++;
      if (this.#waiting?.has(chunk)) break;
    }
    return count;
  }

  #drained(): void {
    if (this.#drain === null || this.#ending || this.#queued > 0) return;
    const turn = this.#drain;
    this.#drain = null;
    turn(this.#events.drain);
  }
}

/** The error of what is written to a client that is gone, as Node calls it. */
export function clientLeft(): Error {
  return Object.assign(new Error("res.write: the client has left, or the answer was broken off"), {
    code: "ERR_STREAM_DESTROYED",
  });
}
