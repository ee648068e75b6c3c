import { chunkBytes } from "../../util/chunk_bytes.ts";
import { KeptContext } from "../../util/async_context.ts";
import { expectError } from "../../util/expected_errors.ts";
import { deliveredKey, piecesKey } from "../../exchange/app_like.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { defaultApp } from "../../exchange/default_app.ts";
import { MOST_PIECE_BYTES } from "./body_stream.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** Sources a body can be streamed from. */
export type BodySource = ReadableStream<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/** An iterator that may know that it has returned the last chunk. */
type Chunks = AsyncIterator<Uint8Array | string> & { readonly exhausted?: boolean };

/**
 * The chunks of a program's source, each made in the asynchronous context in which the response was sent: the runtime
 * asks for chunks in a context of its own, in which `AsyncLocalStorage` is empty.
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

/** What a streamed body tells its response. */
export interface StreamedBodyEvents {
  /** The last chunk was taken. */
  finish(): void;
  /** The client left. */
  leave(): void;
  /** The source failed. */
  fail(error: unknown): void;
  /** The source could not be closed, after its chunks were no longer needed. */
  leftOpen(error: unknown): void;
}

/** No queue: it would only hold chunks that the client has not asked for. */
const NO_QUEUE: QueuingStrategy<Uint8Array> = { highWaterMark: 0 };

/** A source of chunks as a web stream that reads a chunk only when the client can take one. */
export class StreamedBody {
  /** What the web response carries; cancelling it ends the source. */
  readonly stream: ReadableStream<Uint8Array>;
  readonly #chunks: Chunks;
  readonly #events: StreamedBodyEvents;
  readonly #nextTurn: (run: () => void) => void;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #over = false;
  #pieces = 0;
  #asked = false;
  /** What is left of a large chunk. */
  #rest: Uint8Array | null = null;
  /** Bytes that the client does not have yet, as the head announces them. */
  #left: number;

  /**
   * @param source A web stream or an async iterable of text or bytes
   * @param events Notified of how it went
   * @param nextTurn Runs something after the present turn of the event loop
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

  /** Called by the web stream when it is made. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller;
  }

  /** Called by the web stream when the client can take a chunk. */
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
      // before the client's side, because the runtime may tell the error, too
      this.#events.fail(error);
      this.giveUp();
      // later, because servers drop what they were given in the turn in which a body fails
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

  /** Called by the web stream when the client is gone, or has the whole body and its end has yet to come. */
  async cancel(reason: unknown): Promise<void> {
    this.#over = true;
    const isComplete = this[deliveredKey];
    if (isComplete) this.#events.finish();
    else this.#events.leave();
    try {
      // Deno's server reads no further than the announced length, and a source that ends there is not to be cancelled
      if (isComplete && (await this.#chunks.next()).done) return;
      await this.#chunks.return?.(reason);
    } catch (error) {
      this.#events.leftOpen(error);
    }
  }

  /** How many pieces the client has asked for; `null` while it waits for one. */
  get [piecesKey](): number | null {
    return this.#asked || this.#over ? null : this.#pieces;
  }

  /** Whether the client has all bytes that the head announces. */
  get [deliveredKey](): boolean {
    return this.#left <= 0;
  }

  /** Cuts the body: the client sees a truncated response. */
  destroy(error: Error): void {
    if (this.#over) return;
    expectError(error, "skip");
    this.#controller.error(error);
    this.giveUp();
    this.#events.leave();
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

// what is no object could not be recognised when the runtime tells it
function asError(thrown: unknown): unknown {
  return typeof thrown === "object" && thrown !== null ? thrown : new Error(String(thrown), { cause: thrown });
}

/**
 * Tests whether a value can be streamed as a body.
 *
 * @param value Anything given to `res.send`
 * @returns Whether it is a web stream or an async iterable
 */
export function isBodySource(value: object): value is BodySource {
  return value instanceof ReadableStream ||
    typeof (value as AsyncIterable<unknown>)[Symbol.asyncIterator] === "function";
}

/** What chunks are written to: a response, whose methods a middleware may have replaced. */
export interface ChunkTarget {
  /** Whether the response has been ended. */
  readonly writableEnded: boolean;
  /** Takes a chunk; `false` asks to wait for `drain`. */
  write(chunk: Uint8Array): boolean;
  /** Ends the response. */
  end(): unknown;
  /** Breaks the response off. */
  destroy(error?: Error): unknown;
  /** Listens for `drain`. */
  on(event: "drain", listener: () => void): unknown;
}

/**
 * Writes all chunks of a source, at the pace of the client.
 *
 * @param source The source; it is closed when the client is gone
 * @param target What they are written to
 * @param exchange The exchange whose response it is; none if what is written to is a mock
 * @param failed Called with the error if the source fails, or cannot be closed
 */
export async function pour(
  source: BodySource,
  target: ChunkTarget,
  exchange: Exchange | null,
  failed: (error: unknown) => void,
): Promise<void> {
  const { [runtimeKey]: runtime } = exchange?.app ?? defaultApp();
  const isOver = (): boolean => exchange !== null && (exchange.aborted || exchange.finished);
  let chunks: Chunks | undefined;
  // One listener each for the whole body, however long it is: compression hands `drain` listeners on to a stream of its
  // own, where they stay.
  let proceed = (): void => {};
  target.on("drain", () => proceed());
  exchange?.onEnd(() => proceed());
  try {
    chunks = iteratorOf(source);
    for (;;) {
      const { done, value } = await chunks.next();
      if (done) break;
      // by somebody else, such as an error handler after a middleware has failed
      if (target.writableEnded) return void await chunks.return?.();
      // middleware that replaced a method expects Buffers
      const bytes = runtime.nodeBytes(chunkBytes("A streamed body", value));
      const isFull = target.write(bytes) === false;
      if (isFull && !isOver()) await new Promise<void>((resolve) => proceed = resolve);
      if (exchange?.aborted) {
        await chunks.return?.();
        return void target.destroy();
      }
    }
    target.end();
  } catch (error) {
    if (chunks !== undefined) void giveUp(chunks, failed);
    failed(error);
    target.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/**
 * Iterates over the chunks of a source; `return` closes it.
 *
 * @param source A web stream or an async iterable
 */
function iteratorOf(source: BodySource): AsyncIterator<Uint8Array | string> {
  if (!(source instanceof ReadableStream)) return source[Symbol.asyncIterator]();
  // not every runtime has async iteration of web streams
  const reader = source.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array | string>>,
    return: async (reason) => {
      await reader.cancel(reason);
      return { done: true, value: undefined };
    },
  };
}
