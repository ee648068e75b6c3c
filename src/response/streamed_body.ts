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

/**
 * Turns a source of chunks into a web stream that asks for a chunk only when the client can take one.
 *
 * @param source A web stream or an async iterable of text or bytes
 * @param events Whom to tell how it went
 * @returns The stream; cancelling it ends the source
 */
export function streamedBody(source: BodySource, events: StreamedBodyEvents): ReadableStream<Uint8Array> {
  const chunks = iteratorOf(source);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (!done) return controller.enqueue(chunkBytes("A streamed body", value));
        controller.close();
        events.finish();
      } catch (error) {
        controller.error(error);
        events.fail(error);
      }
    },
    async cancel(reason) {
      events.leave();
      await chunks.return?.(reason);
    },
  }, { highWaterMark: 0 });
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

function iteratorOf(source: BodySource): AsyncIterator<Uint8Array | string> {
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
