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
 * Stops what fills a sink, and discards the rest of the body. The sink may get an end or a failure afterwards.
 *
 * @internal
 */
export type StopFilling = () => void;

/**
 * Fills a sink from a stream.
 *
 * @param stream The body; locked from now on
 * @param sink Takes it
 * @returns Stops
 * @throws {TypeError} If somebody else is reading it
 */
export function fillFrom(stream: ReadableStream<Uint8Array<ArrayBuffer>>, sink: BodySink): StopFilling {
  const reader = stream.getReader();
  pump(reader, sink).then(() => sink.end(), (cause) => sink.fail(cause));
  // pending reads end with that, also where the runtime would never settle them; it does not matter if it fails
  return () => void reader.cancel().catch(() => {});
}

async function pump(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, sink: BodySink): Promise<void> {
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) return;
    sink.take(value);
  }
}
