import { detachedString } from "../src/util/detached_string.ts";
import { ChunkedList } from "./chunked_list.ts";
import { KeyMap } from "./key_map.ts";
import { SharedSlots } from "./shared_slots.ts";
import { sharesBegin, SourceShares } from "./source_shares.ts";

/** Slots checked for idle keys on every new key; checking more than one outpaces new keys. */
const SWEPT_PER_KEY = 4;
/** Slots checked once all slots are in use, when finding a free one is worth more effort. */
const SWEPT_WHEN_FULL = 64;

/** The states behind a table's slots. Shared slots have negative numbers. */
export interface SlotStates {
  /**
   * Returns whether a slot's state equals an unseen key's.
   *
   * @param slot The slot, possibly a shared one
   * @param now The current time in ms
   */
  isIdle(slot: number, now: number): boolean;
  /**
   * Resets a slot's state to an unseen key's.
   *
   * @param slot A key's own slot
   */
  clear(slot: number): void;
  /**
   * Copies a shared state.
   *
   * @param slot The slot that receives it, a key's own
   * @param shared The shared slot
   */
  inherit(slot: number, shared: number): void;
  /** Resets all shared slots' states. */
  clearShared(): void;
}

/**
 * The index of a slot's state among the states of its kind.
 *
 * @param slot A key's own slot, or a shared one
 */
export function indexOf(slot: number): number {
  return slot >= 0 ? slot : ~slot;
}

/**
 * Maps each key of a limiter's table to a slot: a number that indexes the arrays holding the key's state.
 *
 * The number of keys is bounded, and no key in use is ever dropped, least of all a blocked one, which would get its
 * quota twice. There are no timers: each new key sweeps a few slots and frees those of idle keys. When all slots are in
 * use, or a key's network has used its share ({@linkcode SourceShares}), new keys share slots within their own network
 * until one is free ({@linkcode SharedSlots}). A shared slot may count too much, never too little.
 */
export class SlotTable {
  readonly #maxKeys: number;
  readonly #states: SlotStates;
  readonly #slots = new KeyMap();
  readonly #keys = new ChunkedList<string>();
  /** Number of slots ever used. */
  #used = 0;
  readonly #free: number[] = [];
  /** The keys' networks, counted once there are more than a few keys. */
  #shares: SourceShares | null = null;
  #shared: SharedSlots | null = null;
  #hand = 0;
  /** How many times a key shared a slot. */
  overflows = 0;

  /**
   * Creates an empty table.
   *
   * @param maxKeys Maximum number of keys with a slot of their own
   * @param states The slots' states
   */
  constructor(maxKeys: number, states: SlotStates) {
    this.#maxKeys = maxKeys;
    this.#states = states;
  }

  /** Number of slots in use, including those of idle keys not yet swept. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * The slot for a key, a new one if it has none.
   *
   * A new key's slot looks idle until its state is written. To take several slots before writing, pass all keys in
   * `spared`.
   *
   * @param key The key
   * @param now The current time in ms
   * @param spared Keys that must keep their slots
   * @returns The key's own slot; negative for a shared one
   */
  take(key: string, now: number, spared?: ReadonlySet<string>): number {
    return this.#slots.get(key) ?? this.#takeNew(key, now, spared);
  }

  /**
   * The slot in which a key may have been counted.
   *
   * @param key The key
   * @returns Its own slot, a shared slot, or `undefined` if it cannot have been counted
   */
  find(key: string): number | undefined {
    return this.#slots.get(key) ?? (this.#shared === null ? undefined : ~this.#shared.of(key).index);
  }

  #takeNew(key: string, now: number, spared: ReadonlySet<string> | undefined): number {
    const full = this.#used >= this.#maxKeys && this.#free.length === 0;
    this.#sweep(full ? SWEPT_WHEN_FULL : SWEPT_PER_KEY, now, spared);
    if (!this.#hasRoomFor(key)) return this.share(key, now);
    const slot = this.#free.pop() ?? this.#used++;
    const own = detachedString(key);
    this.#keys.set(slot, own);
    this.#slots.add(own, slot);
    if (this.#shared !== null) this.#inherit(this.#shared, key, slot);
    return slot;
  }

  // checks a few slots, round-robin, and frees those used by idle keys
  #sweep(slots: number, now: number, spared: ReadonlySet<string> | undefined): void {
    for (let i = 0; i < slots && i < this.#used; i++) {
      this.#hand = this.#hand + 1 >= this.#used ? 0 : this.#hand + 1;
      const key = this.#keys.get(this.#hand);
      if (key === undefined || spared?.has(key)) continue;
      if (this.#states.isIdle(this.#hand, now)) this.#release(key, this.#hand);
    }
  }

  #release(key: string, slot: number): void {
    this.#slots.delete(key);
    this.#shares?.free(key);
    this.#keys.set(slot, undefined);
    this.#states.clear(slot);
    this.#free.push(slot);
  }

  #hasRoomFor(key: string): boolean {
    const free = this.#maxKeys - this.#slots.size;
    if (this.#shares === null && this.#slots.size < sharesBegin(this.#maxKeys)) return free > 0;
    this.#shares ??= new SourceShares(this.#slots.keys());
    return this.#shares.take(key, free);
  }

  // a new slot inherits the key's shared state; otherwise the key could use its limit twice
  #inherit(shared: SharedSlots, key: string, slot: number): void {
    const one = shared.of(key);
    if (shared.mayHold(one)) this.#states.inherit(slot, ~one.index);
  }

  /**
   * The shared slot for a key that must not get its own.
   *
   * @param key The key
   * @param now The current time in ms
   * @returns The slot; negative
   */
  share(key: string, now: number): number {
    this.overflows++;
    this.#shared ??= new SharedSlots(this.#maxKeys);
    const one = this.#shared.of(key);
    this.#shared.enter(one, this.#states.isIdle(~one.index, now));
    return ~one.index;
  }

  /**
   * Frees the slots of all idle keys. Only for reports, because it checks every slot.
   *
   * @param now The current time in ms
   */
  sweep(now: number): void {
    this.#sweep(this.#used, now, undefined);
  }

  /**
   * Removes one key. Keeps the shared state, because other keys may have reached their limit in it.
   *
   * @param key The key
   * @returns Whether it had a slot of its own
   */
  delete(key: string): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    this.#release(key, slot);
    return true;
  }

  /**
   * Removes all keys and their shared states.
   *
   * @returns How many had a slot of their own
   */
  clear(): number {
    const { size } = this.#slots;
    for (const [key, slot] of [...this.#slots.entries()]) this.#release(key, slot);
    this.#shares = this.#shared = null;
    this.#states.clearShared();
    return size;
  }

  /**
   * Lists the keys that have slots of their own. A key removed and added again during the iteration may appear twice.
   *
   * It iterates over slots: iterating over a map would never end if keys were removed and added again during the
   * iteration.
   */
  *entries(): Generator<readonly [key: string, slot: number]> {
    const slots = this.#used;
    for (let slot = 0; slot < slots; slot++) {
      const key = this.#keys.get(slot);
      if (key !== undefined) yield [key, slot];
    }
  }
}
