import { ChunkedCells } from "../../../limiting/chunked_list.ts";
import { indexOf, SlotTable } from "../../../limiting/slot_table.ts";
import { StoreClock } from "../../../limiting/store_clock.ts";

/** What a hit did to a key's count. */
export interface Hit {
  /** Requests in the window, this one included. */
  readonly count: number;
  /** ms until the window ends. */
  readonly resetMs: number;
}

// the numbers of a slot: the requests in its window, and when that ends
const COUNT = 0;
const END = 1;
const WIDTH = 2;

/** Longer keys always share counters: otherwise a client that chooses its key could fill the memory with a few. */
const MAX_KEY_LENGTH = 1024;

/**
 * Fixed windows in memory: a key's window begins with its first request.
 *
 * The number of keys is bounded; those that find no room share counters ({@linkcode SlotTable}). A shared counter
 * counts too many, never too few, so no key is admitted more than `limit` times in a window. But a shared window may have
 * been begun by another key. Any fixed window admits up to `2 * limit - 1` requests in some `windowMs`, across two
 * windows; a key that loses its slot may touch a third window, and be admitted up to `3 * limit - 2` times.
 *
 * Setting the clock back frees no count, and every window keeps its remaining time ({@linkcode StoreClock}).
 */
export class FixedWindowTable {
  readonly #windowMs: number;
  readonly #clock = new StoreClock();
  readonly #slots: SlotTable;
  readonly #own = new ChunkedCells(WIDTH);
  #shared = new ChunkedCells(WIDTH);

  /**
   * Creates an empty table.
   *
   * @param windowMs Window length in ms
   * @param maxKeys Most keys with a counter of their own
   */
  constructor(windowMs: number, maxKeys: number) {
    this.#windowMs = windowMs;
    this.#slots = new SlotTable(maxKeys, {
      isIdle: (slot, now) => this.#endOf(slot) <= now,
      clear: (slot) => this.#own.clear(slot),
      inherit: (slot, shared) => this.#own.copy(slot, this.#shared, indexOf(shared)),
      clearShared: () => this.#shared = new ChunkedCells(WIDTH),
    });
  }

  #cellsOf(slot: number): ChunkedCells {
    return slot >= 0 ? this.#own : this.#shared;
  }

  #endOf(slot: number): number {
    const cells = this.#cellsOf(slot);
    const index = indexOf(slot);
    return cells.chunk(index)[cells.offset(index) + END]!;
  }

  /** Number of counters that are taken, those of expired windows included that no new key has swept yet. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Sweeps every counter; for reports, since it looks at all keys.
   *
   * @param time The present time in ms
   * @returns The number of keys whose window has not ended
   */
  liveCount(time: number): number {
    this.#slots.sweep(this.#clock.at(time));
    return this.#slots.size;
  }

  /**
   * Counts a request.
   *
   * @param key The key
   * @param time The present time in ms
   * @returns The count, and how long the window lasts
   */
  hit(key: string, time: number): Hit {
    const now = this.#clock.at(time);
    const slot = key.length > MAX_KEY_LENGTH ? this.#slots.share(key, now) : this.#slots.take(key, now);
    const cells = this.#cellsOf(slot);
    const index = indexOf(slot);
    const chunk = cells.chunk(index);
    const at = cells.offset(index);
    if (chunk[at + END]! <= now) {
      chunk[at + COUNT] = 0;
      chunk[at + END] = now + this.#windowMs;
    }
    const count = chunk[at + COUNT]! + 1;
    chunk[at + COUNT] = count;
    return { count, resetMs: chunk[at + END]! - now };
  }

  /**
   * Forgets one key. A shared counter is kept, because other keys may have reached their limit with it.
   *
   * @param key The key
   */
  delete(key: string): void {
    this.#slots.delete(key);
  }

  /** Forgets all keys. */
  clear(): void {
    this.#slots.clear();
  }
}
