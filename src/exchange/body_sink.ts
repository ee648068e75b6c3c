import { captureContext } from "../util/async_context.ts";

/**
 * Takes a body chunk by chunk.
 *
 * @internal
 */
export interface BodySink {
  /** Takes the next chunk. */
  take(chunk: Uint8Array<ArrayBuffer>): void;
  /** Notes that all of the body has come. */
  end(): void;
  /** Notes that the rest of the body will not come. */
  fail(cause: unknown): void;
}

/**
 * What fills a sink.
 *
 * @internal
 */
export interface Filling {
  /** Stops, and discards the rest of the body. The sink may get an end or a failure afterwards. */
  stop(): void;
  /** Runs a function, now or soon, in the asynchronous context in which the filling began. */
  inContext(run: () => void): void;
}

/**
 * Fills a sink from a stream.
 *
 * @param stream The body; locked from now on
 * @param sink Takes it
 * @returns What fills it
 * @throws {TypeError} If somebody else is reading it
 */
export function fillFrom(stream: ReadableStream<Uint8Array<ArrayBuffer>>, sink: BodySink): Filling {
  const reader = stream.getReader();
  pump(reader, sink).then(() => sink.end(), (cause) => sink.fail(cause));
  return {
    // pending reads end with that, also where the runtime would never settle them; it does not matter if it fails
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
