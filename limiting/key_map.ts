/** Keys in the first map; copying a map of this size takes less than half a ms. */
const FIRST_KEYS = 16_384;
/** Number of maps that share the remaining keys. */
const MAPS = 256;

/**
 * A map from keys to slots that never pauses to grow as a whole: the first keys are in one map, later keys in many
 * small maps.
 */
export class KeyMap {
  readonly #first = new Map<string, number>();
  #others: (Map<string, number> | undefined)[] | null = null;
  #othersSize = 0;

  /** Number of keys. */
  get size(): number {
    return this.#first.size + this.#othersSize;
  }

  /** The slot for a key. */
  get(key: string): number | undefined {
    if (this.#others === null) return this.#first.get(key);
    return this.#others[mapOf(key)]?.get(key) ?? this.#first.get(key);
  }

  /** Assigns a slot to a new key. */
  add(key: string, slot: number): void {
    if (this.#first.size < FIRST_KEYS) {
      this.#first.set(key, slot);
      return;
    }
    this.#others ??= new Array(MAPS).fill(undefined);
    (this.#others[mapOf(key)] ??= new Map()).set(key, slot);
    this.#othersSize++;
  }

  /** Removes a key. */
  delete(key: string): void {
    if (!this.#first.delete(key) && this.#others?.[mapOf(key)]?.delete(key)) this.#othersSize--;
  }

  /** All keys. */
  *keys(): Generator<string> {
    for (const [key] of this.entries()) yield key;
  }

  /** All keys with their slots. */
  *entries(): Generator<[string, number]> {
    yield* this.#first;
    for (const map of this.#others ?? []) if (map !== undefined) yield* map;
  }
}

// hashes a few characters near the end, where addresses and user ids differ; it only spreads the load
function mapOf(key: string): number {
  const { length } = key;
  const mixed = key.charCodeAt(length - 1) + 31 * key.charCodeAt(length - 2) + 17 * key.charCodeAt(length - 6);
  return (mixed ^ key.charCodeAt(length >> 1)) & (MAPS - 1);
}
