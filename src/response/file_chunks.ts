import type { OpenFile } from "../http/file_system.ts";

/**
 * Bytes read at a time, at least and at most. Each piece takes a trip to another thread and back and a turn of the web
 * stream around it; at 64 KiB that is as much work as sending it (docs/performance.md). But a slow client would keep
 * two large pieces in memory, so they grow only for one that keeps up.
 */
const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 512 * 1024;
/** A client that asks for the next piece within this many ms keeps up. */
const KEEPS_UP_MS = 20;

/** A part of a file, piece by piece, read when somebody asks; giving up closes the file, and so does the end. */
export class FileChunks implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  readonly #file: OpenFile;
  #left: number;
  #size = LEAST_BYTES;
  #givenAt = 0;
  #closed = false;

  /**
   * @param file The open file, before the first byte
   * @param length How many bytes
   */
  constructor(file: OpenFile, length: number) {
    this.#file = file;
    this.#left = length;
  }

  /** Whether the last piece was given. */
  get exhausted(): boolean {
    return this.#closed;
  }

  /** The pieces are these. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads the next piece. */
  async next(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> {
    const keepsUp = this.#givenAt > 0 && Date.now() - this.#givenAt < KEEPS_UP_MS;
    this.#size = keepsUp ? Math.min(this.#size * 2, MOST_BYTES) : LEAST_BYTES;
    try {
      const chunk = new Uint8Array(Math.min(this.#left, this.#size));
      const read = chunk.length === 0 || this.#closed ? 0 : await this.#file.read(chunk);
      if (read === 0) return await this.return();
      this.#left -= read;
      this.#givenAt = Date.now();
      // a client that has all it was promised may leave at once, and has missed nothing
      if (this.#left === 0) await this.return();
      return { done: false, value: read === chunk.length ? chunk : chunk.subarray(0, read) };
    } catch (error) {
      // who has given up need not hear that the file under way was closed
      if (!this.#closed) {
        await this.return();
        throw error;
      }
      return { done: true, value: undefined };
    }
  }

  /** Closes the file. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.#closed) {
      this.#closed = true;
      await this.#file.close();
    }
    return { done: true, value: undefined };
  }
}
