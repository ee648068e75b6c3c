import { newSeed, seededHash } from "@sluice/sluice/limiting";
import { ALGORITHMS } from "../algorithms/algorithms.ts";
import { decideAlone } from "../algorithms/decide_batch.ts";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import type { Policy } from "../policy/policy.ts";
import { type Aim, CellColumns } from "./cell_columns.ts";
import { ChunkedList } from "./chunked_list.ts";
import { KeyMap } from "./key_map.ts";
import type { Entry, Take, Verdict } from "../policy/store.ts";

/** Places that are looked at for idle keys with every new key; more than one each outruns any number of them. */
const SWEPT_PER_KEY = 4;
/** The same when all places are taken: a free one is worth a search. */
const SWEPT_WHEN_FULL = 64;
/** States that keys share while all places are taken. */
const SHARED_PLACES = 1024;

/**
 * The keys of one policy: a map to places in typed arrays. Nothing in it grows all at once.
 *
 * The number of keys is bounded and no key in use is ever dropped, for it would have its quota twice; blocked keys
 * least of all. When every place is in use, new keys share states by their hash until a place is free: a shared state
 * counts too many, never too few. The hash is seeded, so that nobody can aim at a victim's.
 */
export class KeyTable {
  readonly #columns: CellColumns;
  readonly #maxKeys: number;
  readonly #places = new KeyMap();
  readonly #keys = new ChunkedList<string>();
  /** Places that were ever taken. */
  #used = 0;
  readonly #free: number[] = [];
  readonly #newShared: () => CellColumns;
  readonly #aim: Aim;
  #shared: CellColumns | null = null;
  #seed = 0;
  /** The lowest limit and the longest window of all policies known. */
  #slowest: Policy;
  #hand = 0;
  /** Decisions that had to use a shared state. */
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
    this.#newShared = () => new CellColumns(algorithm, width);
    this.#columns = new CellColumns(algorithm, width);
    this.#maxKeys = maxKeys;
    this.#slowest = { ...policy, limit: policy.limit || MAX_LIMIT };
    this.#aim = this.#columns.newAim();
  }

  /** Places in use, those of idle keys included that no decision has swept yet. */
  get size(): number {
    return this.#places.size;
  }

  /** Decides a take that is alone in its batch. */
  decide(take: Take, times: number, now: number): readonly Verdict[] {
    const place = this.#places.get(take.key) ?? this.place(take, now);
    const aim = this.#aimAt(this.#aim, place, take.policy);
    const verdict = decideAlone(take, aim, times, now);
    this.keep(aim, place);
    return [verdict];
  }

  /**
   * The place of a key, a new one if it has none. Negative for a shared state: `-1 - place`.
   *
   * Another key's place may make the arrays longer, so a batch takes all places before it aims at any. A new key's
   * place looks idle until it is written to; `spared` are places that must not be freed for that reason.
   */
  place({ key }: Take, now: number, spared?: ReadonlySet<string>): number {
    return this.#places.get(key) ?? this.#takePlace(key, now, spared);
  }

  /** Aims at a place. */
  aim(place: number, policy: Policy): Aim {
    return this.#aimAt(this.#columns.newAim(), place, policy);
  }

  /** Makes room for a place, which may move others of its array; a batch does it for all before it aims at any. */
  touch(place: number, policy: Policy): void {
    if (place >= 0) this.#columns.touch(place, policy);
    else this.#shared!.touch(-1 - place, policy);
  }

  #aimAt(aim: Aim, place: number, policy: Policy): Aim {
    if (place >= 0) this.#columns.aim(aim, place, policy);
    else {
      this.overflows++;
      this.#shared!.aim(aim, -1 - place, policy);
    }
    return aim;
  }

  /** Takes over what a decision wrote. */
  keep(aim: Aim, place: number): void {
    if (place >= 0) this.#columns.keep(aim, place);
    else this.#shared!.keep(aim, -1 - place);
  }

  /**
   * Notes a policy that keys of this table are decided by. Keys may have different limits and windows under one name, and
   * none may be taken for idle by another one's.
   */
  know({ limit: own, windowMs }: Policy): void {
    // a bucket that is closed has nothing to give: when others are full is told by those that are open
    const limit = own || this.#slowest.limit;
    if (limit >= this.#slowest.limit && windowMs <= this.#slowest.windowMs) return;
    this.#slowest = {
      ...this.#slowest,
      limit: Math.min(limit, this.#slowest.limit),
      windowMs: Math.max(windowMs, this.#slowest.windowMs),
    };
  }

  // looks at a few places, one after the other round and round, and frees those of idle keys
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
    this.#keys.set(place, undefined);
    this.#columns.clear(place);
    this.#free.push(place);
  }

  #takePlace(key: string, now: number, spared: ReadonlySet<string> | undefined): number {
    const full = this.#used >= this.#maxKeys && this.#free.length === 0;
    this.#sweep(full ? SWEPT_WHEN_FULL : SWEPT_PER_KEY, now, spared);
    let place = this.#free.pop();
    if (place === undefined) {
      if (this.#used >= this.#maxKeys) return this.#sharedPlace(key);
      place = this.#used++;
    }
    this.#keys.set(place, key);
    this.#places.add(key, place);
    // a key that was counted among others keeps that count, or it could have its limit twice
    if (this.#shared !== null) this.#columns.copy(place, this.#shared, -1 - this.#sharedPlace(key));
    return place;
  }

  #sharedPlace(key: string): number {
    if (this.#shared === null) {
      this.#shared = this.#newShared();
      this.#seed = newSeed();
    }
    return -1 - seededHash(key, this.#seed) % SHARED_PLACES;
  }

  /**
   * Gives units back.
   *
   * @returns Whether anything changed
   */
  give({ policy, key }: Take, stamp: number, amount: number, now: number): boolean {
    const place = this.#places.get(key) ?? (this.#shared === null ? undefined : this.#sharedPlace(key));
    if (place === undefined) return false;
    const aim = this.#aim;
    if (place >= 0) this.#columns.aim(aim, place, policy);
    else this.#shared!.aim(aim, -1 - place, policy);
    return aim.algorithm.give(policy, aim.cells, now, stamp, amount);
  }

  /** Forgets one key. A key that shares a state keeps it, for others may have reached their limit by it. */
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
    this.#shared = null;
    return size;
  }

  /**
   * Lists the keys in use, as they stand when they are listed, each of them once.
   *
   * It goes by places: in a map, keys that are forgotten and come again while it is listed would come without end.
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
