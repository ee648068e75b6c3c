import { chunkBytes } from "./chunk_bytes.ts";

/** Sources a body can be streamed from. */
export type BodySource = ReadableStream<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/** What a streamed body tells its response. */
export interface StreamedBodyEvents {
  /** The last chunk was taken. */
  finish(): void;
  /** The client left. */
  leave(): void;
  /** The source failed in mid-stream. */
  fail(error: unknown): void;
}

/** A body and the means to break it off. */
export interface StreamedBody {
  /** What the web response carries. */
  readonly stream: ReadableStream<Uint8Array>;
  /** Breaks the body off: the client sees a truncated answer. */
  destroy(error: Error): void;
}

/**
 * Turns a source of chunks into a web stream that asks for a chunk only when the client can take one.
 *
 * @param source A web stream or an async iterable of text or bytes
 * @param events Whom to tell how it went
 * @returns The stream, whose cancelling ends the source, and a function that breaks it off
 */
export function streamedBody(source: BodySource, events: StreamedBodyEvents): StreamedBody {
  const chunks = iteratorOf(source);
  let broken = false;
  let breakOff: (error: Error) => void = () => {};
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      breakOff = (error) => {
        broken = true;
        controller.error(error);
        events.leave();
        // the source is given up; what it makes of that is nobody's business any more
        Promise.resolve(chunks.return?.()).catch(() => {});
      };
    },
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (broken) return;
        if (!done) return controller.enqueue(chunkBytes("A streamed body", value));
        controller.close();
        events.finish();
      } catch (error) {
        if (broken) return;
        controller.error(error);
        events.fail(error);
      }
    },
    async cancel(reason) {
      events.leave();
      await chunks.return?.(reason);
    },
  }, { highWaterMark: 0 });
  return { stream, destroy: (error) => breakOff(error) };
}

/**
 * Tells whether a value can be streamed as a body.
 *
 * @param value Anything given to `res.send`
 * @returns Whether it is a web stream or an async iterable
 */
export function isBodySource(value: object): value is BodySource {
  return value instanceof ReadableStream ||
    typeof (value as AsyncIterable<unknown>)[Symbol.asyncIterator] === "function";
}

/**
 * Chunks of a source, one after the other; `return` gives the source up.
 *
 * @param source A web stream or an async iterable
 */
export function iteratorOf(source: BodySource): AsyncIterator<Uint8Array | string> {
  if (!(source instanceof ReadableStream)) return source[Symbol.asyncIterator]();
  // not every runtime can iterate a web stream
  const reader = source.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array | string>>,
    return: async (reason) => {
      await reader.cancel(reason);
      return { done: true, value: undefined };
    },
  };
}
