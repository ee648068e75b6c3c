import { beginHolding, endHolding, type Holder, keepWithinBudget, leaveBudget } from "../../exchange/send_budget.ts";
import { captureContext } from "../../util/async_context.ts";
import { UNREAD_BODY_MS } from "../../request/body/body_settings.ts";
import { joinedBytes } from "../../util/chunk_bytes.ts";
import { expectError } from "../../util/expected_errors.ts";

/** Bytes that may wait in memory for a slow client before `write()` returns `false`, as in Node. */
export const HIGH_WATER_MARK = 16 * 1024;

/** Maximum bytes of small chunks sent together; every piece costs the runtime at least one turn of its event loop. */
const PIECE_BYTES = 64 * 1024;

/**
 * Maximum bytes sent at once from a large chunk: runtimes report a slow client's progress only per piece, and the
 * client must read a piece within `sendTimeout`.
 */
export const MOST_PIECE_BYTES = 512 * 1024;

/** The web stream's queue stays empty. */
const NO_QUEUE: QueuingStrategy<Uint8Array> = { highWaterMark: 0 };

/** Called once a chunk has been passed on, or with the reason if it never will be. */
export type TakenCallback = (error?: Error) => void;

/** A body stream's callbacks and limits. */
export interface BodyStreamEvents {
  /** The client has read enough that more can be written. */
  drain(): void;
  /** The last byte was read. */
  finish(): void;
  /** The client disconnected. */
  abort(): void;
  /** Maximum bytes that may wait in the process. */
  readonly budget: number;
  /** Cuts the body to free its waiting bytes for other clients. */
  evict(reason: Error): void;
  /** Reports why bodies are being cut. */
  report(reason: Error): void;
}

/** Key under which a body's web stream stores its writer. */
const writtenBy: unique symbol = Symbol("written by");

/** Receives a body in place of a web stream reader. */
export interface BodyOutlet {
  /** Receives a piece, then calls `pull` on the body for the next one. */
  enqueue(bytes: Uint8Array): void;
  /** Receives the end. */
  close(): void;
  /** Cuts the body. */
  error(reason?: unknown): void;
}

/**
 * A response body written piece by piece: Node's `write` and `end` on a web stream.
 *
 * It has its own queue, because a web stream does not report when its last chunk was read.
 */
export class BodyStream implements Holder {
  /** The stream in the web response; `null` if the body is passed on without it. */
  #readable: ReadableStream<Uint8Array> | null;
  #controller!: BodyOutlet;
  #events: BodyStreamEvents;
  #queue: Uint8Array[] = [];
  /** Callbacks by chunk; few chunks have one. */
  #waiting: Map<Uint8Array, TakenCallback> | null = null;
  #queued = 0;
  /** Announced bytes that the client does not have yet. */
  #left: number;
  #asked = false;
  #pieces = 0;
  /** Runs `drain` listeners in the waiting writer's asynchronous context. */
  #drain: ((run: () => void) => void) | null = null;
  #enqueueing = false;
  #ending = false;
  #over = false;
  /** Why the body is about to be cut; `undefined` if it is not. */
  #cause: Error | undefined = undefined;
  #discarding = false;
  #giveUpTimer: ReturnType<typeof setTimeout> | undefined = undefined;

  readonly #nextTurn: (run: () => void) => void;

  /**
   * Creates an empty body.
   *
   * @param events Called for the stream's events
   * @param nextTurn Runs a function after the current turn of the event loop
   * @param length Bytes that the head announces; `Infinity` if it announces none
   */
  constructor(events: BodyStreamEvents, nextTurn: (run: () => void) => void, length: number) {
    this.#events = events;
    this.#nextTurn = nextTurn;
    this.#left = length;
    this.#readable = new ReadableStream(this, NO_QUEUE);
    (this.#readable as { [writtenBy]?: BodyStream })[writtenBy] = this;
  }

  /** The stream in the web response. */
  get readable(): ReadableStream<Uint8Array> {
    return this.#readable!;
  }

  /**
   * Passes a body on without its web stream, whose reader uses more memory than the rest of an idle response.
   *
   * @param readable A body's web stream, still unread
   * @param outlet Receives the body instead
   * @returns The body, whose `pull` and `cancel` must be called; `null` if the stream is not such a body
   */
  static redirect(readable: ReadableStream, outlet: BodyOutlet): BodyStream | null {
    const body = (readable as { [writtenBy]?: BodyStream })[writtenBy];
    if (body === undefined || readable.locked || body.#pieces > 0 || body.#over) return null;
    body.#controller = outlet;
    body.#readable = null;
    return body;
  }

  /** Called by the web stream on creation. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /**
   * Called by the web stream when the client is ready for a chunk. Returns no promise, because that would cost more
   * than the rest: the stream does not call again until it gets a chunk.
   */
  pull(): void {
    this.#asked = true;
    this.#pieces++;
    if (this.#pieces === 1 && this.#cause !== undefined) this.#cutLater();
    this.#deliver();
  }

  /** Called by the web stream when the client disconnects, or has the whole body before its end is written. */
  cancel(): void {
    if (this.isDelivered && this.#cause === undefined) return this.#complete();
    this.#over = true;
    this.#drop();
    this.#events.abort();
  }

  // Deno's server reads no further than the announced length
  #complete(): void {
    this.#drop();
    this.discard(() => this.#events.finish());
    if (this.#ending) this.end();
    else this.#drained();
  }

  /** Number of pieces that the client has requested; `null` while it waits for one. */
  get pieces(): number | null {
    return this.#asked || this.#over || this.#discarding ? null : this.#pieces;
  }

  /** Whether the client has all the announced bytes. */
  get isDelivered(): boolean {
    return this.#left <= 0;
  }

  /** Bytes waiting for the client. */
  get heldBytes(): number {
    return this.#queued;
  }

  #hold(bytes: number): void {
    this.#queued += bytes;
    beginHolding(bytes);
    keepWithinBudget(this, this.#events.budget, (reason) => this.#events.report(reason));
  }

  #letGo(bytes: number): void {
    this.#queued -= bytes;
    endHolding(bytes);
    if (this.#queued === 0) leaveBudget(this);
  }

  /** Drops the waiting bytes and cuts the body. */
  evict(reason: Error): void {
    this.#drop();
    this.#events.evict(reason);
  }

  /** Whether a writer is waiting for `drain`. */
  get needsDrain(): boolean {
    return this.#drain !== null && !this.#over && this.#cause === undefined;
  }

  /**
   * Adds bytes to the body.
   *
   * @param bytes The bytes; with a callback, use a new object for each write, because the callback is stored under it
   * @param taken Called when the client has read them
   * @returns Whether more may be written right away; otherwise wait for `drain`
   */
  write(bytes: Uint8Array, taken?: TakenCallback): boolean {
    const isRefused = this.#over || this.#discarding || this.#cause !== undefined;
    if (bytes.byteLength === 0 && this.#queue.length > 0 && !isRefused) return this.#writeNothing(taken);
    if (isRefused || bytes.byteLength === 0) {
      if (taken !== undefined) queueMicrotask(taken);
      return true;
    }
    if (this.#asked && this.#queue.length === 0 && bytes.byteLength <= MOST_PIECE_BYTES) {
      this.#asked = false;
      this.#drain = null;
      // first, because enqueueing may deliver chunks written next, along with their callbacks
      if (taken !== undefined) queueMicrotask(taken);
      this.#left -= bytes.byteLength;
      this.#controller.enqueue(bytes);
      return true;
    }
    this.#queue.push(bytes);
    if (taken !== undefined) (this.#waiting ??= new Map()).set(bytes, inContext(taken));
    this.#hold(bytes.byteLength);
    // only a large chunk can find the client waiting
    if (this.#asked) this.#deliver();
    if (this.#queued < HIGH_WATER_MARK) return true;
    this.#drain ??= captureContext();
    return false;
  }

  // its callback waits for all earlier writes: programs write an empty chunk to learn when the client has them
  #writeNothing(taken: TakenCallback | undefined): boolean {
    if (taken !== undefined) {
      const last = this.#queue.pop()!;
      const earlier = this.#waiting?.get(last);
      // a chunk without its own callback may be queued twice
      const own = earlier === undefined ? last.subarray() : last;
      this.#queue.push(own);
      const later = inContext(taken);
      (this.#waiting ??= new Map()).set(own, (error?: Error) => {
        earlier?.(error);
        later(error);
      });
    }
    return this.#queued < HIGH_WATER_MARK;
  }

  /** Ends the body after the data written so far. */
  end(): void {
    if (this.#cause !== undefined) return;
    this.#ending = true;
    if (!this.#discarding) return this.#deliver();
    clearTimeout(this.#giveUpTimer);
    this.#events.finish();
  }

  /**
   * Discards all later writes, for responses that may have no content. The client already has its whole response, and
   * its disconnect goes unnoticed, so nothing may wait for a writer that never ends.
   *
   * @param giveUp Called if the body has not ended after some seconds; `null` if the caller handles that
   */
  discard(giveUp: (() => void) | null): void {
    this.#discarding = true;
    this.#queue = [];
    this.#letGo(this.#queued);
    if (giveUp !== null) this.#giveUpTimer = setTimeout(giveUp, UNREAD_BODY_MS);
  }

  /**
   * Cuts the body: the client sees a truncated response instead of a complete one. Earlier data that the client can
   * read right away is still sent, as on Node, where it is already in the socket by then.
   *
   * @param error Why
   */
  destroy(error: Error): void {
    if (this.#giveUpTimer !== undefined) clearTimeout(this.#giveUpTimer);
    if (this.#over || this.#cause !== undefined) return;
    // the caller that cuts the body short knows why
    expectError(error, "skip");
    this.#cause = error;
    this.#refuse();
    // otherwise when the runtime starts reading
    if (this.#pieces > 0 || this.#discarding) this.#cutLater();
  }

  // servers drop the data they got on the tick on which a body fails
  #cutLater(): void {
    this.#nextTurn(() => {
      if (this.#over) return;
      this.#over = true;
      this.#drop();
      this.#controller.error(this.#cause);
    });
  }

  #drop(): void {
    this.#queue = [];
    this.#letGo(this.#queued);
    this.#refuse();
  }

  // calls queued chunks' callbacks with an error
  #refuse(): void {
    this.#waiting?.forEach((taken) => taken(clientAborted()));
    this.#waiting = null;
  }

  // passes on one piece per read by the client
  #deliver(): void {
    // enqueueing may call pull again, which would run later chunks' callbacks first
    if (this.#enqueueing) return;
    while (this.#asked && this.#queue.length > 0 && !this.#over) {
      if (this.#queue[0]!.byteLength > MOST_PIECE_BYTES) this.#split(this.#queue.shift()!);
      const chunks = this.#queue.splice(0, this.#fitting());
      const piece = joinedBytes(chunks);
      const last = chunks.at(-1)!;
      this.#letGo(piece.byteLength);
      this.#left -= piece.byteLength;
      this.#asked = false;
      this.#enqueueing = true;
      this.#controller.enqueue(piece);
      this.#enqueueing = false;
      const taken = this.#waiting?.get(last);
      this.#waiting?.delete(last);
      taken?.();
      this.#drained();
    }
    if (!this.#ending || this.#queue.length > 0 || this.#over) return;
    this.#over = true;
    this.#controller.close();
    this.#events.finish();
  }

  // a chunk's callback waits for its last part
  #split(chunk: Uint8Array): void {
    const rest = chunk.subarray(MOST_PIECE_BYTES);
    this.#queue.unshift(chunk.subarray(0, MOST_PIECE_BYTES), rest);
    const taken = this.#waiting?.get(chunk);
    if (taken === undefined) return;
    this.#waiting!.delete(chunk);
    this.#waiting!.set(rest, taken);
  }

  // How many queued chunks are sent together. A chunk with a callback ends its piece, so no callback runs before the
  // client has requested its chunk.
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
    if (this.#drain === null || this.#ending || this.#queued > 0 || this.#cause !== undefined) return;
    const turn = this.#drain;
    this.#drain = null;
    turn(() => this.#events.drain());
  }
}

function inContext(taken: TakenCallback): TakenCallback {
  const turn = captureContext();
  return (error) => turn(() => taken(error));
}

/** The error for writing to a disconnected client, with Node's code. */
export function clientAborted(): Error {
  return Object.assign(new Error("res.write: the client disconnected, or the response was cut off"), {
    code: "ERR_STREAM_DESTROYED",
  });
}
