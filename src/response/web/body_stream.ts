import { beginHolding, endHolding, type Holder, keepWithinBudget, leaveBudget } from "../../exchange/send_budget.ts";
import { captureContext } from "../../util/async_context.ts";
import { UNREAD_BODY_MS } from "../../request/body/body_settings.ts";
import { joinedBytes } from "../../util/chunk_bytes.ts";
import { expectError } from "../../util/expected_errors.ts";

/** Bytes that may wait in memory for a slow client before `write()` returns `false`, as in Node. */
export const HIGH_WATER_MARK = 16 * 1024;

/** Most bytes of small chunks that are sent together; every piece costs the runtime a turn of its loop or more. */
const PIECE_BYTES = 64 * 1024;

/**
 * Most bytes of a large chunk that are sent at once: runtimes tell of a slow client's progress only piece by piece, and
 * within `sendTimeout` it must take one.
 */
export const MOST_PIECE_BYTES = 512 * 1024;

/** The queue of the web stream stays empty. */
const NO_QUEUE: QueuingStrategy<Uint8Array> = { highWaterMark: 0 };

/** Called when a chunk was taken, or with the reason why it never will be. */
export type TakenCallback = (error?: Error) => void;

/** What a body stream tells its response. */
export interface BodyStreamEvents {
  /** The client has taken enough for more to be written. */
  drain(): void;
  /** The last byte was taken. */
  finish(): void;
  /** The client left. */
  leave(): void;
  /** Most bytes that may wait in the process. */
  readonly budget: number;
  /** Cuts the body, because others need the room of what waits. */
  evict(reason: Error): void;
  /** Reports why bodies are cut. */
  report(reason: Error): void;
}

/** Key under which the web stream of a body keeps what writes it. */
const writtenBy: unique symbol = Symbol("written by");

/** What takes a body in place of a reader of its web stream. */
export interface BodyOutlet {
  /** Takes a piece; it then calls `pull` of the body for the next one. */
  enqueue(bytes: Uint8Array): void;
  /** Takes the end. */
  close(): void;
  /** The body is cut. */
  error(reason?: unknown): void;
}

/**
 * A response body that is written piece by piece: Node's `write` and `end` on a web stream.
 *
 * It has its own queue, because a web stream does not tell when its last chunk was taken.
 */
export class BodyStream implements Holder {
  /** What the web response carries; `null` if the body is passed on without it. */
  #readable: ReadableStream<Uint8Array> | null;
  #controller!: BodyOutlet;
  #events: BodyStreamEvents;
  #queue: Uint8Array[] = [];
  /** Callbacks by chunk; few chunks have one. */
  #waiting: Map<Uint8Array, TakenCallback> | null = null;
  #queued = 0;
  /** Bytes that the client does not have yet, as the head announces them. */
  #left: number;
  #asked = false;
  #pieces = 0;
  /** Runs `drain` listeners in the asynchronous context of the writer that has to wait. */
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
   * Makes an empty body.
   *
   * @param events Notified of what happens to the stream
   * @param nextTurn Runs something after the present turn of the event loop
   * @param length Bytes that the head announces; `Infinity` if it announces none
   */
  constructor(events: BodyStreamEvents, nextTurn: (run: () => void) => void, length: number) {
    this.#events = events;
    this.#nextTurn = nextTurn;
    this.#left = length;
    this.#readable = new ReadableStream(this, NO_QUEUE);
    (this.#readable as { [writtenBy]?: BodyStream })[writtenBy] = this;
  }

  /** What the web response carries. */
  get readable(): ReadableStream<Uint8Array> {
    return this.#readable!;
  }

  /**
   * Passes a body on without its web stream, whose reader takes more memory than the rest of an idle response.
   *
   * @param readable The web stream of a body, which nobody has begun to read
   * @param outlet What takes the body instead
   * @returns The body, whose `pull` and `cancel` are to be called; `null` if the stream is no such body
   */
  static redirect(readable: ReadableStream, outlet: BodyOutlet): BodyStream | null {
    const body = (readable as { [writtenBy]?: BodyStream })[writtenBy];
    if (body === undefined || readable.locked || body.#pieces > 0 || body.#over) return null;
    body.#controller = outlet;
    body.#readable = null;
    return body;
  }

  /** Called by the web stream when it is made. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /**
   * Called by the web stream when the client can take a chunk. It returns no promise, which would cost more than all
   * the rest: the stream does not call again before it got a chunk.
   */
  pull(): void {
    this.#asked = true;
    this.#pieces++;
    if (this.#pieces === 1 && this.#cause !== undefined) this.#cutLater();
    this.#deliver();
  }

  /** Called by the web stream when the client is gone, or has the whole body and its end has yet to come. */
  cancel(): void {
    if (this.isDelivered && this.#cause === undefined) return this.#complete();
    this.#over = true;
    this.#drop();
    this.#events.leave();
  }

  // Deno's server reads no further than the announced length
  #complete(): void {
    this.#drop();
    this.discard(() => this.#events.finish());
    if (this.#ending) this.end();
    else this.#drained();
  }

  /** How many pieces the client has asked for; `null` while it waits for one. */
  get pieces(): number | null {
    return this.#asked || this.#over || this.#discarding ? null : this.#pieces;
  }

  /** Whether the client has all bytes that the head announces. */
  get isDelivered(): boolean {
    return this.#left <= 0;
  }

  /** Bytes that wait for the client. */
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

  /** Drops what waits, and cuts the body. */
  evict(reason: Error): void {
    this.#drop();
    this.#events.evict(reason);
  }

  /** Whether `drain` is waited for. */
  get needsDrain(): boolean {
    return this.#drain !== null && !this.#over && this.#cause === undefined;
  }

  /**
   * Adds bytes to the body.
   *
   * @param bytes The bytes; with a callback, an object used in no other write, because the callback is stored by it
   * @param taken Called when the client has taken them
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
      // first, because enqueueing may schedule the delivery of chunks that are written next, with their callbacks
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

  // its callback waits for what was written before: programs write nothing to learn when the client has taken the rest
  #writeNothing(taken: TakenCallback | undefined): boolean {
    if (taken !== undefined) {
      const last = this.#queue.pop()!;
      const earlier = this.#waiting?.get(last);
      // without a callback of its own, a chunk may be queued twice
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

  /** Ends the body after what was written. */
  end(): void {
    if (this.#cause !== undefined) return;
    this.#ending = true;
    if (!this.#discarding) return this.#deliver();
    clearTimeout(this.#giveUpTimer);
    this.#events.finish();
  }

  /**
   * Discards everything written from now on, for responses that may have no content. The client has everything it will
   * get, and nobody notices when it disconnects, so a writer that never ends must not be waited for.
   *
   * @param giveUp Called if it has not ended after some seconds; `null` if the caller takes care of that
   */
  discard(giveUp: (() => void) | null): void {
    this.#discarding = true;
    this.#queue = [];
    this.#letGo(this.#queued);
    if (giveUp !== null) this.#giveUpTimer = setTimeout(giveUp, UNREAD_BODY_MS);
  }

  /**
   * Cuts the body: the client sees a truncated response, not a complete one. What was written before, and the client can
   * take right away, is sent, as by Node, which has written it to the socket by then.
   *
   * @param error Why
   */
  destroy(error: Error): void {
    if (this.#giveUpTimer !== undefined) clearTimeout(this.#giveUpTimer);
    if (this.#over || this.#cause !== undefined) return;
    // whoever cuts the body knows why
    expectError(error, "skip");
    this.#cause = error;
    this.#refuse();
    // otherwise when the runtime begins to read
    if (this.#pieces > 0 || this.#discarding) this.#cutLater();
  }

  // servers drop what they were given in the turn in which a body fails
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

  // calls the callbacks of what is queued with an error
  #refuse(): void {
    this.#waiting?.forEach((taken) => taken(clientLeft()));
    this.#waiting = null;
  }

  // passes on one piece for each request of the client
  #deliver(): void {
    // enqueueing may call pull again, and the callbacks of what is delivered then are not the first
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

  // the callback of a chunk waits for its last part
  #split(chunk: Uint8Array): void {
    const rest = chunk.subarray(MOST_PIECE_BYTES);
    this.#queue.unshift(chunk.subarray(0, MOST_PIECE_BYTES), rest);
    const taken = this.#waiting?.get(chunk);
    if (taken === undefined) return;
    this.#waiting!.delete(chunk);
    this.#waiting!.set(rest, taken);
  }

  // How many queued chunks are sent together. A chunk with a callback is the last of its piece, so that no callback
  // runs before the client has asked for its chunk.
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

/** The error for writing to a client that is gone, with Node's code. */
export function clientLeft(): Error {
  return Object.assign(new Error("res.write: the client has left, or the response was broken off"), {
    code: "ERR_STREAM_DESTROYED",
  });
}
