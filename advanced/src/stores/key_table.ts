import { ChunkedList, KeyMap, SharedPlaces, sharesBegin, SourceShares } from "@sluice/limiting";
import { detachedString } from "@sluice/limiting/core";
import { ALGORITHMS } from "../algorithms/algorithms.ts";
import { decideAlone } from "../algorithms/decide_batch.ts";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import type { Policy } from "../policy/policy.ts";
import { type Aim, CellColumns } from "./cell_columns.ts";
import type { Entry, Take, Verdict } from "../policy/store.ts";

/** Places that are checked for idle keys with every new key; more than one outpaces new keys. */
const SWEPT_PER_KEY = 4;
/** The same when all places are taken, and finding a free one is worth more effort. */
const SWEPT_WHEN_FULL = 64;

/** States that keys share. */
interface Shared {
  readonly places: SharedPlaces;
  readonly columns: CellColumns;
}

/**
 * The keys of one policy: a map to places in typed arrays, which grow in small steps.
 *
 * The number of keys is bounded, and no key in use is ever dropped, least of all a blocked one: it would get its quota
 * twice. When all places are taken, or the network a key comes from has its share of them, new keys share states until
 * a place is free, those of one network with one another. A shared state counts too many, never too few.
 */
export class KeyTable {
  readonly #columns: CellColumns;
  readonly #maxKeys: number;
  readonly #places = new KeyMap();
  readonly #keys = new ChunkedList<string>();
  /** Number of places that have ever been taken. */
  #used = 0;
  readonly #free: number[] = [];
  readonly #newShared: () => Shared;
  readonly #aim: Aim;
  /** Which networks the keys come from, counted once there are more than a few. */
  #shares: SourceShares | null = null;
  #shared: Shared | null = null;
  /** A policy with the lowest limit and the longest window of all known ones. */
  #slowest: Policy;
  #hand = 0;
  /** Number of decisions that used a shared state. */
  overflows = 0;

  /**
   * Creates an instance.
   *
   * @param policy The first policy it is used for
   * @param maxKeys Most keys with a state of their own
   */
  constructor(policy: Policy, maxKeys: number) {
    const algorithm = ALGORITHMS[policy.algorithm];
    const width = algorithm.width(policy);
    this.#newShared = () => ({ places: new SharedPlaces(maxKeys), columns: new CellColumns(algorithm, width) });
    this.#columns = new CellColumns(algorithm, width);
    this.#maxKeys = maxKeys;
    this.#slowest = { ...policy, limit: policy.limit || MAX_LIMIT };
    this.#aim = this.#columns.newAim();
  }

  /** Number of places in use, including those of idle keys that have not been swept yet. */
  get size(): number {
    return this.#places.size;
  }

  /** Decides a take that is alone in its batch. */
  decide(take: Take, times: number, now: number): readonly Verdict[] {
    const place = this.place(take.key, now);
    const aim = this.#aimAt(this.#aim, place, take.policy);
    const verdict = decideAlone(take, aim, times, now);
    this.keep(aim, place);
    return [verdict];
  }

  /**
   * The place of a key, a new one if it has none. Negative for a shared state: `-1 - place`.
   *
   * A further key may make the arrays longer, so a batch takes all its places before it aims at any. The place of a new
   * key looks idle until it is written to; the keys in `spared` must not be swept for that reason.
   */
  place(key: string, now: number, spared?: ReadonlySet<string>): number {
    return this.#places.get(key) ?? this.#takePlace(key, now, spared);
  }

  /** Aims at a place. */
  aim(place: number, policy: Policy): Aim {
    return this.#aimAt(this.#columns.newAim(), place, policy);
  }

  /** Allocates a place, which may move others of its array; a batch does so for all before it aims at any. */
  touch(place: number, policy: Policy): void {
    if (place >= 0) this.#columns.touch(place, policy);
    else this.#shared!.columns.touch(-1 - place, policy);
  }

  #aimAt(aim: Aim, place: number, policy: Policy): Aim {
    if (place >= 0) this.#columns.aim(aim, place, policy);
    else this.#shared!.columns.aim(aim, -1 - place, policy);
    aim.isOfThisWindow = policy.windowMs >= this.#slowest.windowMs;
    return aim;
  }

  /** Stores what a decision wrote. */
  keep(aim: Aim, place: number): void {
    if (place >= 0) this.#columns.keep(aim, place);
    else this.#shared!.columns.keep(aim, -1 - place);
  }

  /**
   * Notes a policy that is used with this table. Keys may have different limits and windows under one name, and must
   * not count as idle by those of another key.
   */
  know({ limit: own, windowMs }: Policy): void {
    // a limit of 0 grants nothing, and says nothing about when the state of other keys is idle
    const limit = own || this.#slowest.limit;
    if (limit >= this.#slowest.limit && windowMs <= this.#slowest.windowMs) return;
    this.#slowest = {
      ...this.#slowest,
      limit: Math.min(limit, this.#slowest.limit),
      windowMs: Math.max(windowMs, this.#slowest.windowMs),
    };
  }

  // checks a few places, round-robin, and frees those of idle keys
  #sweep(places: number, now: number, spared: ReadonlySet<string> | undefined): void {
    for (let i = 0; i < places && i < this.#used; i++) {
      this.#hand = this.#hand + 1 >= this.#used ? 0 : this.#hand + 1;
      const key = this.#keys.get(this.#hand);
      if (key === undefined || spared?.has(key)) continue;
      if (this.#columns.isIdle(this.#aim, this.#hand, this.#slowest, now)) this.#release(key, this.#hand);
    }
  }

  #release(key: string, place: number): void {
    this.#places.delete(key);
    this.#shares?.free(key);
    this.#keys.set(place, undefined);
    this.#columns.clear(place);
    this.#free.push(place);
  }

  #takePlace(key: string, now: number, spared: ReadonlySet<string> | undefined): number {
    const full = this.#used >= this.#maxKeys && this.#free.length === 0;
    this.#sweep(full ? SWEPT_WHEN_FULL : SWEPT_PER_KEY, now, spared);
    if (!this.#hasRoomFor(key)) {
      this.overflows++;
      return this.#enterShared(key, now);
    }
    const place = this.#free.pop() ?? this.#used++;
    const own = detachedString(key);
    this.#keys.set(place, own);
    this.#places.add(own, place);
    if (this.#shared !== null) this.#inheritShared(this.#shared, key, place);
    return place;
  }

  #hasRoomFor(key: string): boolean {
    const free = this.#maxKeys - this.#places.size;
    if (this.#shares === null && this.#places.size < sharesBegin(this.#maxKeys)) return free > 0;
    this.#shares ??= new SourceShares(this.#places.keys());
    return this.#shares.take(key, free);
  }

  #enterShared(key: string, now: number): number {
    const { places, columns } = this.#shared ??= this.#newShared();
    const spot = places.of(key);
    places.enter(spot, columns.isIdle(this.#aim, spot.place, this.#slowest, now));
    return -1 - spot.place;
  }

  // a key that had a shared state takes that over: otherwise it could use its limit twice
  #inheritShared({ places, columns }: Shared, key: string, place: number): void {
    const spot = places.of(key);
    if (places.mayHold(spot)) this.#columns.copy(place, columns, spot.place);
  }

  /**
   * Gives units back.
   *
   * @returns Whether anything changed
   */
  give({ policy, key }: Take, stamp: number, amount: number, now: number): boolean {
    const shared = this.#shared?.places.of(key).place;
    const place = this.#places.get(key) ?? (shared === undefined ? undefined : -1 - shared);
    if (place === undefined) return false;
    const aim = this.#aimAt(this.#aim, place, policy);
    return aim.algorithm.give(policy, aim.cells, now, stamp, amount);
  }

  /** Forgets one key. A shared state is kept, because other keys may have reached their limit with it. */
  delete(key: string): number {
    const place = this.#places.get(key);
    if (place === undefined) return 0;
    this.#release(key, place);
    return 1;
  }

  /** Forgets all keys. */
  clear(): number {
    const { size } = this.#places;
    for (const [key, place] of [...this.#places.entries()]) this.#release(key, place);
    this.#shares = this.#shared = null;
    return size;
  }

  /**
   * Lists the keys in use, each once, with their state at that moment.
   *
   * It iterates over places: iterating a map would never end if keys were forgotten and added again meanwhile.
   */
  *entries(policy: Policy, clock: () => number): Generator<Entry> {
    const aim = this.#columns.newAim();
    const listed = new Set<string>();
    const places = this.#used;
    for (let place = 0; place < places; place++) {
      const key = this.#keys.get(place);
      const now = clock();
      if (key === undefined || listed.has(key) || this.#columns.isIdle(aim, place, policy, now)) continue;
      listed.add(key);
      yield { key, verdict: decideAlone({ policy, key, cost: 0 }, aim, 1, now) };
    }
  }
}
