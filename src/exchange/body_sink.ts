import { captureContext } from "../util/async_context.ts";

/**
 * Receives a body chunk by chunk.
 *
 * @internal
 */
export interface BodySink {
  /** Receives the next chunk. */
  take(chunk: Uint8Array<ArrayBuffer>): void;
  /** Called when the body is complete. */
  end(): void;
  /** Called when the rest of the body will not arrive. */
  fail(cause: unknown): void;
}

/**
 * Fills a sink.
 *
 * @internal
 */
export interface Filling {
  /** Stops, and discards the rest of the body. The sink may still end or fail afterwards. */
  stop(): void;
  /** Runs a function, now or soon, in the async context in which filling began. */
  inContext(run: () => void): void;
}

/**
 * Fills a sink from a stream.
 *
 * @param stream The body; locked from now on
 * @param sink Receives it
 * @returns Controls for filling
 * @throws {TypeError} If the stream is locked
 */
export function fillFrom(stream: ReadableStream<Uint8Array<ArrayBuffer>>, sink: BodySink): Filling {
  const reader = stream.getReader();
  pump(reader, sink).then(() => sink.end(), (cause) => sink.fail(cause));
  return {
    // ends pending reads, even where the runtime would never settle them; ignores failures
    stop: () => void reader.cancel().catch(() => {}),
    inContext: captureContext(),
  };
}

async function pump(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, sink: BodySink): Promise<void> {
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) return;
    sink.take(value);
  }
}
