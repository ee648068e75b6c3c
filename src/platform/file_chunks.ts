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
 * Bytes read at a time. Each piece takes a trip to another thread and back and a turn of the web stream around it,
 * which at 64 KiB cost as much as sending it (docs/performance.md); a slow client holds two of them.
 */
const CHUNK_BYTES = 256 * 1024;

/** A part of a file, piece by piece, read when somebody asks; giving up closes the file, and so does the end. */
export class FileChunks implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  readonly #file: OpenFile;
  #position: number;
  #left: number;
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
    try {
      const chunk = new Uint8Array(Math.min(this.#left, CHUNK_BYTES));
      const read = chunk.length === 0 || this.#closed ? 0 : await this.#file.read(chunk, this.#position);
      if (read === 0) return await this.return();
      this.#position += read;
      this.#left -= read;
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
