import { ChunkedCells } from "../../../limiting/chunked_list.ts";
import { indexOf, SlotTable } from "../../../limiting/slot_table.ts";
import { StoreClock } from "../../../limiting/store_clock.ts";

/** The result of counting a request. */
export interface Hit {
  /** Requests in the window, including this one. */
  readonly count: number;
  /** Time until the window ends, in ms. */
  readonly resetMs: number;
}

// a slot's numbers: the requests in its window, and the window's end
const COUNT = 0;
const END = 1;
const WIDTH = 2;

/** Longer keys share counters, because otherwise a few client-chosen keys could fill memory. */
const MAX_KEY_LENGTH = 1024;

/**
 * Fixed windows in memory: a key's window begins with its first request.
 *
 * The number of keys is bounded; further keys share counters ({@linkcode SlotTable}). A shared counter overcounts and
 * never undercounts, so no key is admitted more than `limit` times in a window. However, another key may have started a
 * shared window. Any fixed window admits up to `2 * limit - 1` requests within one `windowMs`, across two windows. A
 * key that loses its slot may touch a third window and be admitted up to `3 * limit - 2` times.
 *
 * Setting the clock back clears no counts, and every window keeps its remaining time ({@linkcode StoreClock}).
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
   * @param maxKeys Maximum number of keys with their own counter
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

  /** Number of counters in use, including those for expired windows that no new key has swept yet. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Sweeps every counter; visits all keys, so it is meant for reports.
   *
   * @param time The current time in ms
   * @returns The number of keys with an open window
   */
  liveCount(time: number): number {
    this.#slots.sweep(this.#clock.at(time));
    return this.#slots.size;
  }

  /**
   * Counts a request.
   *
   * @param key The key
   * @param time The current time in ms
   * @returns The count, and the window's remaining time
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
   * Resets one key. A shared counter is kept, because other keys may have reached their limit with it.
   *
   * @param key The key
   */
  delete(key: string): void {
    this.#slots.delete(key);
  }

  /** Resets all keys. */
  clear(): void {
    this.#slots.clear();
  }
}
