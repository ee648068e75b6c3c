import { newSeed, seededMix } from "./seeded_hash.ts";
import { type KeySource, sourceOf } from "./key_source.ts";

/** Counts of sources, for each family of addresses; sources that fall on the same one are taken for one source. */
const COUNTS = 2048;
/** A table with fewer keys does not count where they come from, and one for fewer has no shares. */
const FEW_KEYS = 1024;

/** The number of keys from which on a table counts their sources: before that, no share can have been reached. */
export function sharesBegin(maxKeys: number): number {
  return maxKeys < FEW_KEYS ? Infinity : Math.min(FEW_KEYS, maxKeys >> 1);
}

/**
 * Shares of a bounded table among the sources of its keys, so that one attacker cannot fill it: there is always room for
 * clients from elsewhere.
 *
 * A network of the narrow kind may take a slot as long as it has fewer than are free, one of the wide kind as long as
 * it has fewer than four times as many. So alone they get a half and four fifths, and `n` wide networks that take all
 * they can leave `1 / (4 * n + 1)` of the table to others. Keys that are no addresses have no source, and are not
 * bounded.
 */
export class SourceShares {
  readonly #wide = new Uint32Array(2 * COUNTS);
  readonly #narrow = new Uint32Array(2 * COUNTS);
  readonly #seed = newSeed();

  /**
   * Counts the sources of a table.
   *
   * @param keys The keys it has already
   */
  constructor(keys: Iterable<string>) {
    for (const key of keys) this.#count(sourceOf(key), 1);
  }

  /**
   * Takes a slot for a key, if its source may have another one.
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

  /** Gives the slot of a key back. */
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
