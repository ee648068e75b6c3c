import { detachedString } from "../../util/detached_string.ts";
import { SharedPlaces } from "../../../limiting/shared_slots.ts";
import { sharesBegin, SourceShares } from "../../../limiting/source_shares.ts";

/** What a hit did to a key's count. */
export interface Hit {
  /** Requests in the window, this one included. */
  readonly count: number;
  /** End of the window, in ms of the clock. */
  readonly resetAt: number;
}

/** Slots that are checked for expired keys with every hit; two outpace one new key for each hit. */
const SWEPT_PER_HIT = 2;
/** Longer keys always share counters: otherwise a client that chooses its key could fill the memory with a few. */
const MAX_KEY_LENGTH = 1024;

/**
 * Fixed windows in memory: a key's window begins with its first request.
 *
 * There are no timers. Every hit sweeps a few slots, so expired keys go as new ones come. The number of keys is
 * bounded: when all slots are taken by live keys, or the network a key comes from has its share of them
 * ({@linkcode SourceShares}), new keys share counters ({@linkcode SharedPlaces}) until a slot is free. A shared counter
 * counts too many, never too few, so no key is admitted more than `max` times in a window. But a shared window may have
 * been begun by another key. Any fixed window admits up to `2 * max - 1` requests in some `windowMs`, across two
 * windows; a key that loses its slot may touch a third window, and be admitted up to `3 * max - 2` times.
 */
export class MemoryStore {
  readonly #windowMs: number;
  readonly #maxKeys: number;
  readonly #slots = new Map<string, number>();
  readonly #keys: (string | undefined)[] = [];
  readonly #free: number[] = [];
  #counts: Float64Array;
  #ends: Float64Array;
  /** Which networks the keys come from, counted once there are more than a few. */
  #shares: SourceShares | null = null;
  #shared: SharedPlaces | null = null;
  #overflowCounts: Float64Array | null = null;
  #overflowEnds: Float64Array | null = null;
  #hand = 0;
  #latest = -Infinity;

  /**
   * @param windowMs Window length in ms
   * @param maxKeys Most keys with a place of their own
   */
  constructor(windowMs: number, maxKeys: number) {
    this.#windowMs = windowMs;
    this.#maxKeys = maxKeys;
    const places = Math.min(64, maxKeys);
    this.#counts = new Float64Array(places);
    this.#ends = new Float64Array(places);
  }

  /** Number of places that are taken, those of expired keys included that no hit has swept yet. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * Sweeps every place; for reports, since it looks at all keys.
   *
   * @param time The present time in ms
   * @returns The number of keys whose window has not ended
   */
  liveCount(time: number): number {
    const now = this.#monotonic(time);
    for (const [key, slot] of this.#slots) {
      if (this.#ends[slot]! <= now) this.#release(key, slot);
    }
    return this.#slots.size;
  }

  /**
   * Counts a request.
   *
   * Setting the clock back never frees a count. After a jump of up to a window, time stands still until the clock has
   * caught up, so a window lasts at most twice its length. After a longer jump the store follows the clock, and every
   * window keeps its remaining time.
   *
   * @param key The key
   * @param time The present time in ms
   * @returns The count and the end of the window
   */
  hit(key: string, time: number): Hit {
    const now = this.#monotonic(time);
    this.#sweep(now);
    const slot = this.#slots.get(key) ?? this.#takeSlot(key);
    if (slot < 0) return this.#hitShared(key, now);
    return count(this.#counts, this.#ends, slot, now, this.#windowMs);
  }

  #monotonic(time: number): number {
    if (time < this.#latest - this.#windowMs) this.#shiftEnds(this.#latest - time);
    else if (time < this.#latest) return this.#latest;
    return this.#latest = time;
  }

  // the clock was set back by more than a window: every window keeps its remaining time
  #shiftEnds(by: number): void {
    for (let slot = 0; slot < this.#ends.length; slot++) this.#ends[slot] = this.#ends[slot]! - by;
    this.#overflowEnds?.forEach((end, slot, ends) => ends[slot] = end - by);
  }

  #sweep(now: number): void {
    for (let i = 0; i < SWEPT_PER_HIT && this.#keys.length > 0; i++) {
      this.#hand = (this.#hand + 1) % this.#keys.length;
      const key = this.#keys[this.#hand];
      if (key !== undefined && this.#ends[this.#hand]! <= now) this.#release(key, this.#hand);
    }
  }

  #release(key: string, slot: number): void {
    this.#slots.delete(key);
    this.#shares?.free(key);
    this.#keys[slot] = undefined;
    this.#free.push(slot);
  }

  #hasRoomFor(key: string): boolean {
    const free = this.#maxKeys - this.#slots.size;
    if (this.#shares === null && this.#slots.size < sharesBegin(this.#maxKeys)) return free > 0;
    this.#shares ??= new SourceShares(this.#slots.keys());
    return this.#shares.take(key, free);
  }

  #takeSlot(key: string): number {
    if (key.length > MAX_KEY_LENGTH || !this.#hasRoomFor(key)) return -1;
    let slot = this.#free.pop();
    if (slot === undefined) {
      slot = this.#keys.length;
      if (slot >= this.#counts.length) this.#grow();
    }
    const own = detachedString(key);
    this.#keys[slot] = own;
    this.#slots.set(own, slot);
    this.#ends[slot] = -Infinity;
    if (this.#shared !== null) this.#inheritShared(this.#shared, key, slot);
    return slot;
  }

  // a key that had a shared counter takes over that count: otherwise it could use its limit twice in a window
  #inheritShared(shared: SharedPlaces, key: string, slot: number): void {
    const spot = shared.of(key);
    if (!shared.mayHold(spot)) return;
    this.#counts[slot] = this.#overflowCounts![spot.place]!;
    this.#ends[slot] = this.#overflowEnds![spot.place]!;
  }

  #grow(): void {
    const places = Math.min(this.#maxKeys, this.#counts.length * 2);
    const counts = new Float64Array(places);
    const ends = new Float64Array(places);
    counts.set(this.#counts);
    ends.set(this.#ends);
    this.#counts = counts;
    this.#ends = ends;
  }

  #hitShared(key: string, now: number): Hit {
    this.#shared ??= new SharedPlaces(this.#maxKeys);
    this.#overflowCounts ??= new Float64Array(this.#shared.count);
    this.#overflowEnds ??= new Float64Array(this.#shared.count).fill(-Infinity);
    const spot = this.#shared.of(key);
    this.#shared.enter(spot, this.#overflowEnds[spot.place]! <= now);
    return count(this.#overflowCounts, this.#overflowEnds, spot.place, now, this.#windowMs);
  }

  /**
   * Forgets one key. A shared counter is kept, because other keys may have reached their limit with it.
   *
   * @param key The key
   */
  delete(key: string): void {
    const slot = this.#slots.get(key);
    if (slot !== undefined) this.#release(key, slot);
  }

  /** Forgets all keys. */
  clear(): void {
    this.#slots.clear();
    this.#keys.length = this.#free.length = this.#hand = 0;
    this.#shares =
      this.#shared =
      this.#overflowCounts =
      this.#overflowEnds =
        null;
  }
}

function count(counts: Float64Array, ends: Float64Array, slot: number, now: number, windowMs: number): Hit {
  if (ends[slot]! <= now) {
    counts[slot] = 0;
    ends[slot] = now + windowMs;
  }
  const hits = counts[slot]! + 1;
  counts[slot] = hits;
  return { count: hits, resetAt: ends[slot]! };
}
