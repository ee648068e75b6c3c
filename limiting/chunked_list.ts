/** Places in one chunk, as a power of two. */
const BITS = 12;
const SIZE = 1 << BITS;

/** A list by number that grows a chunk at a time, so that no growth copies what is there: a pause nobody notices. */
export class ChunkedList<T> {
  readonly #chunks: (T | undefined)[][] = [];

  /** Reads a place. */
  get(place: number): T | undefined {
    return this.#chunks[place >>> BITS]?.[place & (SIZE - 1)];
  }

  /** Writes a place. */
  set(place: number, value: T | undefined): void {
    (this.#chunks[place >>> BITS] ??= [])[place & (SIZE - 1)] = value;
  }
}

/** A fixed count of numbers for each of many places, side by side; they grow a chunk at a time as well. */
export class ChunkedCells {
  readonly #width: number;
  readonly #chunks: Float64Array[] = [];

  /**
   * Creates an instance.
   *
   * @param width Numbers of one place
   */
  constructor(width: number) {
    this.#width = width;
  }

  /** The chunk that a place lies in; made when it is not there yet. */
  chunk(place: number): Float64Array {
    const number = place >>> BITS;
    const chunk = this.#chunks[number];
    // the first chunk begins small, for most limiters have few keys
    if (chunk !== undefined && (number > 0 || this.offset(place) < chunk.length)) return chunk;
    return this.#grow(number, place);
  }

  #grow(number: number, place: number): Float64Array {
    let places = number > 0 ? SIZE : 64;
    while (places <= (place & (SIZE - 1))) places *= 2;
    const grown = new Float64Array(places * this.#width);
    const former = this.#chunks[number];
    if (former !== undefined) grown.set(former);
    return this.#chunks[number] = grown;
  }

  /** Where a place begins in its chunk. */
  offset(place: number): number {
    return (place & (SIZE - 1)) * this.#width;
  }

  /** Makes the numbers of a place zero. */
  clear(place: number): void {
    const at = this.offset(place);
    this.chunk(place).fill(0, at, at + this.#width);
  }

  /** Copies the numbers of a place from elsewhere. */
  copy(place: number, from: ChunkedCells, other: number): void {
    const at = from.offset(other);
    this.chunk(place).set(from.chunk(other).subarray(at, at + this.#width), this.offset(place));
  }
}
