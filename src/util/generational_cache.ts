import { detachedString } from "./detached_string.ts";

/** A bounded cache in two generations: it drops the older half at once, instead of tracking each entry's age. */
export class GenerationalCache<V> {
  readonly #half: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /**
   * Creates an empty cache.
   *
   * @param most Maximum number of entries
   */
  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2));
  }

  /** Reads an entry and makes it young again. */
  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined || this.#old.size === 0) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Writes an entry. */
  set(key: string, value: V): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#old.delete(key);
    this.#young.set(detachedString(key), value);
  }

  /** Removes an entry. */
  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Removes all entries. */
  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
