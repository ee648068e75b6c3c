import { newSeed, seededMix } from "./seeded_hash.ts";
import { type KeySource, sourceOf } from "./key_source.ts";

/** Source counters per address family; sources with the same counter count as one. */
const COUNTS = 2048;
/** With fewer keys, a table does not count sources; a table limited to fewer has no shares. */
const FEW_KEYS = 1024;

/** The number of keys at which a table starts counting sources: below it, no source can have reached its share. */
export function sharesBegin(maxKeys: number): number {
  return maxKeys < FEW_KEYS ? Infinity : Math.min(FEW_KEYS, maxKeys >> 1);
}

/**
 * Divides a bounded table among the sources of its keys, so one attacker cannot fill it: slots always remain for
 * clients from elsewhere.
 *
 * A narrow network may take a slot while it has fewer slots than are free; a wide one, while it has fewer than four
 * times as many. Alone, they can fill half and four fifths of the table, and `n` wide networks at their maximum leave
 * `1 / (4 * n + 1)` of it to other networks. Keys that are not addresses have no source and no bound.
 */
export class SourceShares {
  readonly #wide = new Uint32Array(2 * COUNTS);
  readonly #narrow = new Uint32Array(2 * COUNTS);
  readonly #seed = newSeed();

  /**
   * Counts the sources in a table.
   *
   * @param keys The keys it already has
   */
  constructor(keys: Iterable<string>) {
    for (const key of keys) this.#count(sourceOf(key), 1);
  }

  /**
   * Takes a slot for a key if its source may have one more.
   *
   * @param key The key
   * @param free Number of free slots
   * @returns Whether it may
   */
  take(key: string, free: number): boolean {
    const source = sourceOf(key);
    if (source === null) return free > 0;
    if (this.#wide[this.#wideAt(source)]! >= 4 * free || this.#narrow[this.#narrowAt(source)]! >= free) return false;
    this.#count(source, 1);
    return true;
  }

  /** Gives back a key's slot. */
  free(key: string): void {
    this.#count(sourceOf(key), -1);
  }

  #count(source: KeySource | null, by: 1 | -1): void {
    if (source === null) return;
    const [wide, narrow] = [this.#wideAt(source), this.#narrowAt(source)];
    this.#wide[wide] = this.#wide[wide]! + by;
    this.#narrow[narrow] = this.#narrow[narrow]! + by;
  }

  #wideAt({ isV6, wide }: KeySource): number {
    return seededMix(wide, this.#seed) % COUNTS + (isV6 ? COUNTS : 0);
  }

  #narrowAt({ isV6, wide, narrow }: KeySource): number {
    return seededMix(seededMix(wide, this.#seed) ^ narrow, this.#seed) % COUNTS + (isV6 ? COUNTS : 0);
  }
}
