/** Minimum size, in bytes, for a buffer of several chunks. */
const LEAST_BYTES = 16 * 1024;

/**
 * Joins chunks as they arrive. They are copied: otherwise a client that sends one byte at a time would make the process
 * keep an object, and on Deno a 64 KiB buffer, for each byte.
 */
export class ByteCollector {
  #buffer: Uint8Array<ArrayBuffer> | null = null;
  #length = 0;

  /** Number of bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds a chunk. */
  add(chunk: Uint8Array<ArrayBuffer>): void {
    if (chunk.length === 0) return;
    const before = this.#length;
    this.#length += chunk.length;
    // most bodies are one chunk
    if (before === 0) return void (this.#buffer = chunk);
    const full = this.#buffer!;
    // the first chunk's memory belongs to other code and has no spare capacity
    if (this.#length > full.length) {
      this.#buffer = new Uint8Array(Math.max(LEAST_BYTES, full.length * 2, this.#length));
      this.#buffer.set(full.subarray(0, before));
    }
    this.#buffer!.set(chunk, before);
  }

  /** All bytes. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer?.subarray(0, this.#length) ?? new Uint8Array(0);
  }
}
