import { chunkBytes } from "../../util/chunk_bytes.ts";
import { KeptContext } from "../../util/async_context.ts";
import { expectError } from "../../util/expected_errors.ts";
import { deliveredKey, piecesKey } from "../../exchange/open_streams.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { defaultApp } from "../../exchange/default_app.ts";
import { MOST_PIECE_BYTES } from "./body_stream.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** Sources from which a body can be streamed. */
export type BodySource = ReadableStream<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/** An iterator that may know it has returned the last chunk. */
type Chunks = AsyncIterator<Uint8Array | string> & { readonly exhausted?: boolean };

/**
 * The chunks from a program's source, each created in the asynchronous context in which the response was sent: the
 * runtime requests chunks in its own context, in which `AsyncLocalStorage` is empty.
 */
export class ContextChunks implements AsyncIterableIterator<Uint8Array | string, unknown> {
  readonly #chunks: Chunks;
  readonly #context = new KeptContext();

  /** @param source A web stream or an async iterable of strings or bytes */
  constructor(source: BodySource) {
    this.#chunks = iteratorOf(source);
  }

  /** The next chunk. */
  next(): Promise<IteratorResult<Uint8Array | string, unknown>> {
    return this.#context.run(() => this.#chunks.next());
  }

  /** Closes the source. */
  return(reason?: unknown): Promise<IteratorResult<Uint8Array | string, unknown>> {
    return this.#context.run(() => this.#chunks.return?.(reason) ?? { done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** A streamed body's callbacks. */
export interface StreamedBodyEvents {
  /** The last chunk was read. */
  finish(): void;
  /** The client disconnected. */
  abort(): void;
  /** The source failed. */
  fail(error: unknown): void;
  /** The source could not be closed once its chunks were no longer needed. */
  leftOpen(error: unknown): void;
}

/** No queue: it would only hold chunks that the client has not requested. */
const NO_QUEUE: QueuingStrategy<Uint8Array> = { highWaterMark: 0 };

/** Wraps a source of chunks as a web stream that reads a chunk only when the client is ready for it. */
export class StreamedBody {
  /** The stream in the web response; cancelling it ends the source. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #chunks: Chunks;
  readonly #events: StreamedBodyEvents;
  readonly #nextTurn: (run: () => void) => void;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #over = false;
  #pieces = 0;
  #asked = false;
  /** The rest of a large chunk. */
  #rest: Uint8Array | null = null;
  /** Announced bytes that the client does not have yet. */
  #left: number;

  /**
   * @param source A web stream or an async iterable of strings or bytes
   * @param events Called for the stream's events
   * @param nextTurn Runs a function after the current turn of the event loop
   * @param length Bytes that the head announces; `Infinity` if it announces none
   */
  constructor(
    source: BodySource,
    events: StreamedBodyEvents,
    nextTurn: (run: () => void) => void,
    length: number = Infinity,
  ) {
    this.#chunks = iteratorOf(source);
    this.#events = events;
    this.#nextTurn = nextTurn;
    this.#left = length;
    this.stream = new ReadableStream(this, NO_QUEUE);
  }

  /** Called by the web stream on creation. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /** Called by the web stream when the client is ready for a chunk. */
  async pull(): Promise<void> {
    this.#pieces++;
    this.#asked = true;
    try {
      if (this.#rest === null) {
        const { done, value } = await this.#chunks.next();
        if (this.#over) return;
        if (!done) this.#rest = chunkBytes("A streamed body", value);
      }
      this.#asked = false;
      if (this.#rest !== null) {
        this.#enqueue(this.#rest);
        if (this.#rest !== null || !this.#chunks.exhausted) return;
      }
      this.#over = true;
      this.#controller.close();
      this.#events.finish();
    } catch (thrown) {
      if (this.#over) return;
      const error = asError(thrown);
      // before failing the client's side, because the runtime may report the error too
      this.#events.fail(error);
      this.giveUp();
      // on a later tick, because servers drop the data they got on the tick on which a body fails
      this.#nextTurn(() => this.#controller.error(error));
    }
  }

  #enqueue(bytes: Uint8Array): void {
    const isLarge = bytes.byteLength > MOST_PIECE_BYTES;
    const piece = isLarge ? bytes.subarray(0, MOST_PIECE_BYTES) : bytes;
    this.#rest = isLarge ? bytes.subarray(MOST_PIECE_BYTES) : null;
    this.#left -= piece.byteLength;
    this.#controller.enqueue(piece);
  }

  /** Called by the web stream when the client disconnects, or has the whole body before its end is written. */
  async cancel(reason: unknown): Promise<void> {
    this.#over = true;
    const isComplete = this[deliveredKey];
    if (isComplete) this.#events.finish();
    else this.#events.abort();
    try {
      // Deno's server reads no further than the announced length, and a source that ends there must not be cancelled
      if (isComplete && (await this.#chunks.next()).done) return;
      await this.#chunks.return?.(reason);
    } catch (error) {
      this.#events.leftOpen(error);
    }
  }

  /** Number of pieces that the client has requested; `null` while it waits for one. */
  get [piecesKey](): number | null {
    return this.#asked || this.#over ? null : this.#pieces;
  }

  /** Whether the client has all the announced bytes. */
  get [deliveredKey](): boolean {
    return this.#left <= 0;
  }

  /** Cuts the body: the client sees a truncated response. */
  destroy(error: Error): void {
    if (this.#over) return;
    expectError(error, "skip");
    this.#controller.error(error);
    this.giveUp();
    this.#events.abort();
  }

  /** Closes the source, whose chunks are no longer needed. */
  giveUp(): void {
    this.#over = true;
    void giveUp(this.#chunks, (error) => this.#events.leftOpen(error));
  }
}

async function giveUp(chunks: Chunks, failed: (error: unknown) => void): Promise<void> {
  try {
    await chunks.return?.();
  } catch (error) {
    failed(error);
  }
}

// a thrown value that is not an object could not be recognized when the runtime reports it
function asError(thrown: unknown): unknown {
  return typeof thrown === "object" && thrown !== null ? thrown : new Error(String(thrown), { cause: thrown });
}

/**
 * Tests whether a value can be streamed as a body.
 *
 * @param value Any value passed to `res.send`
 * @returns Whether it is a web stream or an async iterable
 */
export function isBodySource(value: object): value is BodySource {
  return value instanceof ReadableStream ||
    typeof (value as AsyncIterable<unknown>)[Symbol.asyncIterator] === "function";
}

/** A target for chunks: a response, whose methods middleware may have replaced. */
export interface ChunkTarget {
  /** Whether the response has ended. */
  readonly writableEnded: boolean;
  /** Accepts a chunk; `false` means wait for `drain`. */
  write(chunk: Uint8Array): boolean;
  /** Ends the response. */
  end(): unknown;
  /** Aborts the response. */
  destroy(error?: Error): unknown;
  /** Listens for `drain`. */
  on(event: "drain", listener: () => void): unknown;
}

/**
 * Writes all of a source's chunks at the client's pace.
 *
 * @param source The source; it is closed when the client disconnects
 * @param target Where they are written
 * @param exchange The response's exchange; none if the target is a mock
 * @param failed Called with the error if the source fails or cannot be closed
 */
export async function pour(
  source: BodySource,
  target: ChunkTarget,
  exchange: Exchange | null,
  failed: (error: unknown) => void,
): Promise<void> {
  const { [runtimeKey]: runtime } = exchange?.app ?? defaultApp();
  let chunks: Chunks | undefined;
  let isClosed = false;
  let proceed = (): void => {};
  const close = (): void => {
    proceed();
    if (isClosed || chunks === undefined) return;
    isClosed = true;
    void giveUp(chunks, failed);
  };
  // One listener for the whole body, however long: compression passes `drain` listeners to its own stream, where they
  // stay.
  target.on("drain", () => proceed());
  // even while the source waits for a chunk, which may never come
  exchange?.onEnd(close);
  try {
    chunks = iteratorOf(source);
    for (;;) {
      const { done, value } = await chunks.next();
      // ended even if the client has left, because limiters wait for that
      if (done || isClosed) break;
      // ended elsewhere, such as by an error handler after middleware has failed
      if (target.writableEnded) return close();
      // middleware that replaced a method expects Buffers
      const bytes = runtime.nodeBytes(chunkBytes("A streamed body", value));
      if (target.write(bytes) === false && !isClosed) await new Promise<void>((resolve) => proceed = resolve);
    }
    chunks = undefined;
    target.end();
  } catch (error) {
    if (!isClosed) failed(error);
    close();
    target.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/**
 * Iterates over a source's chunks; `return` closes it.
 *
 * @param source A web stream or an async iterable
 */
function iteratorOf(source: BodySource): AsyncIterator<Uint8Array | string> {
  if (!(source instanceof ReadableStream)) return source[Symbol.asyncIterator]();
  // not every runtime supports async iteration over web streams
  const reader = source.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array | string>>,
    return: async (reason) => {
      await reader.cancel(reason);
      return { done: true, value: undefined };
    },
  };
}
