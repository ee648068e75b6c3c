/** Slots in one chunk, as a power of two. */
const BITS = 12;
// 2 ** BITS, as a literal: bundlers keep a module with something to compute even if it is unused
const SIZE = 4096;

/** A list indexed by number that grows chunk by chunk. Growing copies nothing, so it never pauses noticeably. */
export class ChunkedList<T> {
  readonly #chunks: (T | undefined)[][] = [];

  /** Reads a slot. */
  get(slot: number): T | undefined {
    return this.#chunks[slot >>> BITS]?.[slot & (SIZE - 1)];
  }

  /** Writes a slot. */
  set(slot: number, value: T | undefined): void {
    (this.#chunks[slot >>> BITS] ??= [])[slot & (SIZE - 1)] = value;
  }
}

/** A fixed count of numbers per slot, side by side. It also grows chunk by chunk. */
export class ChunkedCells {
  readonly #width: number;
  readonly #chunks: Float64Array[] = [];

  /**
   * Creates an instance.
   *
   * @param width Numbers per slot
   */
  constructor(width: number) {
    this.#width = width;
  }

  /** The chunk that contains a slot; created if missing. */
  chunk(slot: number): Float64Array {
    const number = slot >>> BITS;
    const chunk = this.#chunks[number];
    // the first chunk starts small, because most limiters have few keys
    if (chunk !== undefined && (number > 0 || this.offset(slot) < chunk.length)) return chunk;
    return this.#grow(number, slot);
  }

  #grow(number: number, slot: number): Float64Array {
    let slots = number > 0 ? SIZE : 64;
    while (slots <= (slot & (SIZE - 1))) slots *= 2;
    const grown = new Float64Array(slots * this.#width);
    const former = this.#chunks[number];
    if (former !== undefined) grown.set(former);
    return this.#chunks[number] = grown;
  }

  /** A slot's offset in its chunk. */
  offset(slot: number): number {
    return (slot & (SIZE - 1)) * this.#width;
  }

  /** Zeroes a slot's numbers. */
  clear(slot: number): void {
    const at = this.offset(slot);
    this.chunk(slot).fill(0, at, at + this.#width);
  }

  /** Copies a slot's numbers from elsewhere. */
  copy(slot: number, from: ChunkedCells, other: number): void {
    const at = from.offset(other);
    this.chunk(slot).set(from.chunk(other).subarray(at, at + this.#width), this.offset(slot));
  }
}
