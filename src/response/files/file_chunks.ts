import type { OpenFile } from "../../exchange/file_system.ts";

/**
 * Minimum and maximum bytes per read. Each piece costs a round trip to another thread and a turn of the web stream; at
 * 64 KiB that costs as much as sending it (docs/measurements/details.md). A slow client would keep two large pieces in
 * memory, so pieces grow only for clients that keep up.
 */
const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 512 * 1024;
/**
 * Bytes that all files together may have in memory, counting only bytes beyond the minimum piece size. The cost per
 * piece matters less when many downloads keep the process busy, and their clients may stop reading at any time.
 */
const SHARED_BYTES = 4 * 1024 * 1024;
/** A client that requests the next piece within this many ms keeps up. */
const KEEPS_UP_MS = 20;

/** Number of files being sent. */
let sending = 0;

/** A part of a file, read piece by piece on demand. The file is closed at the end, and by `return`. */
export class FileChunks implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  readonly #file: OpenFile;
  #left: number;
  #size = LEAST_BYTES;
  #givenAt = 0;
  #closed = false;

  /**
   * @param file The open file, before the first byte
   * @param length Number of bytes
   */
  constructor(file: OpenFile, length: number) {
    this.#file = file;
    this.#left = length;
    sending++;
  }

  /** Whether the last piece has been returned. */
  get exhausted(): boolean {
    return this.#closed;
  }

  /** Returns this iterator. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads the next piece. */
  async next(): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> {
    const keepsUp = this.#givenAt > 0 && Date.now() - this.#givenAt < KEEPS_UP_MS;
    const most = Math.max(LEAST_BYTES, Math.min(MOST_BYTES, SHARED_BYTES / sending));
    this.#size = keepsUp ? Math.min(this.#size * 2, most) : LEAST_BYTES;
    try {
      const chunk = new Uint8Array(Math.min(this.#left, this.#size));
      const read = chunk.length === 0 || this.#closed ? 0 : await this.#file.read(chunk);
      if (read === 0) {
        // ending here would look like the end of the file if the body is sent without a length, as on Bun
        if (!this.#closed) throw new Error("The file became shorter while it was being sent");
        return await this.return();
      }
      this.#left -= read;
      this.#givenAt = Date.now();
      // closed right away: a client that has everything may disconnect now, which must not count as cut
      if (this.#left === 0) await this.return();
      return { done: false, value: read === chunk.length ? chunk : chunk.subarray(0, read) };
    } catch (error) {
      // after `return`, a pending read is expected to fail
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
      sending--;
      await this.#file.close();
    }
    return { done: true, value: undefined };
  }
}
