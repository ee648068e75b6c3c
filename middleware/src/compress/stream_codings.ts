import type { Coding, CodingName, Compressor, CompressorEvents, Taken } from "./coding.ts";

/** Bytes that may queue before the writer has to wait. */
const MOST_WAITING = 16 * 1024;

/**
 * Codings from the web's `CompressionStream` (Compression standard), which has no levels and cannot flush: used on
 * Workers without `nodejs_compat`.
 *
 * @returns The codings by name; empty where there is no such class
 */
export function streamCodings(): Partial<Record<CodingName, Coding>> {
  if (globalThis.CompressionStream === undefined) return {};
  return { gzip: coding("gzip"), deflate: coding("deflate") };
}

function coding(name: "gzip" | "deflate"): Coding {
  return { name, canFlush: false, start: (events) => new StreamCompressor(new CompressionStream(name), events) };
}

class StreamCompressor implements Compressor {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly #events: CompressorEvents;
  #waiting = 0;
  #needsDrain = false;
  #isOver = false;
  #resume: (() => void) | null = null;

  constructor({ readable, writable }: CompressionStream, events: CompressorEvents) {
    this.#events = events;
    this.#writer = writable.getWriter() as WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
    this.#reader = readable.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
    this.#read().catch((error) => this.#fail(error));
  }

  get waitingBytes(): number {
    return this.#waiting;
  }

  write(bytes: Uint8Array<ArrayBuffer>, taken?: Taken): boolean {
    this.#waiting += bytes.byteLength;
    this.#writer.write(bytes).then(() => {
      this.#waiting -= bytes.byteLength;
      taken?.();
      if (!this.#needsDrain || this.#waiting > 0 || this.#isOver) return;
      this.#needsDrain = false;
      this.#events.drain();
    }, (error) => {
      taken?.(error);
      this.#fail(error);
    });
    this.#needsDrain ||= this.#waiting >= MOST_WAITING;
    return !this.#needsDrain;
  }

  flush(): void {}

  end(): void {
    this.#writer.close().catch((error) => this.#fail(error));
  }

  resume(): void {
    this.#resume?.();
    this.#resume = null;
  }

  destroy(): void {
    this.#isOver = true;
    this.resume();
    const ignore = (): void => {};
    // both promises only report the end, which is intended here
    this.#writer.abort().catch(ignore);
    this.#reader.cancel().catch(ignore);
  }

  async #read(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (this.#isOver) return;
      if (done) return this.#events.end();
      if (!this.#events.piece(value)) await new Promise<void>((resolve) => this.#resume = resolve);
      if (this.#isOver) return;
    }
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.fail(error);
  }
}
