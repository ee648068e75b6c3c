/** An open file, as a platform reads it. */
export interface OpenFile {
  /**
   * Reads at a position.
   *
   * @param into Where the bytes go, as many as fit
   * @param position Where they are in the file
   * @returns How many were read, 0 at the end
   */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Closes the file. */
  close(): void | Promise<void>;
}

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
  #position: number;
  #left: number;
  #size = LEAST_BYTES;
  #givenAt = 0;
  #closed = false;

  /**
   * @param file The open file
   * @param start First byte
   * @param end Last byte, included
   */
  constructor(file: OpenFile, start: number, end: number) {
    this.#file = file;
    this.#position = start;
    this.#left = end - start + 1;
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
      const read = chunk.length === 0 || this.#closed ? 0 : await this.#file.read(chunk, this.#position);
      if (read === 0) return await this.return();
      this.#position += read;
      this.#left -= read;
      this.#givenAt = Date.now();
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
