import { checkInteger, checkNames, checkType, nextSequence, type OptionNames } from "@sluice/limiting/core";
import { decideBatch } from "../algorithms/decide_batch.ts";
import { ALGORITHM_NAMES, type Policy } from "../policy/policy.ts";
import { KeyTable } from "./key_table.ts";
import { assertDistinct } from "./assert_distinct.ts";
import type { Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { shapeOf } from "./state_record.ts";
import { StoreClock } from "@sluice/limiting";

/**
 * Options of a {@linkcode MemoryStore}.
 *
 * @example A clock that a test moves
 * ```ts
 * import { Limiter, MemoryStore } from "@sluice/rate-limit";
 *
 * let now = 0;
 * const limiter = new Limiter({ max: 1, windowMs: 1000, store: new MemoryStore({ clock: () => now }), clock: () => now });
 * await limiter.check("client");
 * now = 1000;
 * console.log((await limiter.check("client")).allowed); // true
 * ```
 */
export interface MemoryStoreOptions {
  /** Most keys for each policy with a state of their own, 100 000 by default; further keys share states. */
  maxKeys?: number | undefined;
  /** The present time in ms; for tests. */
  clock?: (() => number) | undefined;
}

const NAMES: OptionNames<MemoryStoreOptions> = { maxKeys: true, clock: true };

/**
 * Counters in the memory of this process: every algorithm, decided synchronously.
 *
 * It has no timers and need not be closed. Memory is bounded by `maxKeys`: no key in use is ever dropped, but when
 * there is no room for more, further keys share states, which count too many rather than too few.
 *
 * @example Two limiters that share the memory for keys
 * ```ts
 * import { Limiter, MemoryStore } from "@sluice/rate-limit";
 *
 * const store = new MemoryStore({ maxKeys: 10_000 });
 * const read = new Limiter({ name: "read", max: 100, store });
 * const write = new Limiter({ name: "write", max: 10, store });
 * console.log((await read.check("client")).remaining, (await write.check("client")).remaining); // 99 9
 * ```
 */
export class MemoryStore implements Store {
  /** What the store can do. */
  readonly capabilities: Capabilities = {
    algorithms: new Set(ALGORITHM_NAMES),
    atomicBatch: "all",
    exactDeny: true,
    scope: "process",
    clock: "process",
  };
  /** Number in the order in which stores, limiters and requests were made, to recognise stores made inside requests. */
  readonly sequence: number = nextSequence();
  readonly #tables = new Map<string, Map<string, KeyTable>>();
  #byPolicy = new WeakMap<Policy, KeyTable>();
  readonly #maxKeys: number;
  readonly #clock: StoreClock;
  #lastPolicy: Policy | null = null;
  #lastTable: KeyTable | null = null;

  /**
   * Creates an instance.
   *
   * @param options Bounds and clock
   * @throws {TypeError} If an option is unknown
   * @throws {RangeError} If `maxKeys` is out of range
   */
  constructor(options: MemoryStoreOptions = {}) {
    checkNames("MemoryStore", options, NAMES);
    const { maxKeys = 100_000, clock } = options;
    checkInteger("MemoryStore", "maxKeys", maxKeys, 1, 2 ** 24);
    checkType("MemoryStore", "clock", clock, "function");
    this.#maxKeys = maxKeys;
    this.#clock = new StoreClock(clock);
  }

  /** Number of keys, including idle ones that have not been swept yet. */
  get size(): number {
    return this.#sum((table) => table.size);
  }

  /** Number of decisions that used a shared state, because there was no room for another key. */
  get overflows(): number {
    return this.#sum((table) => table.overflows);
  }

  #sum(of: (table: KeyTable) => number): number {
    let sum = 0;
    for (const tables of this.#tables.values()) for (const table of tables.values()) sum += of(table);
    return sum;
  }

  /** Decides a batch; see {@linkcode Store}. */
  decide(takes: readonly Take[], times = 1): readonly Verdict[] {
    const now = this.#clock.now();
    if (takes.length === 1) return this.#tableOf(takes[0]!.policy).decide(takes[0]!, times, now);
    assertDistinct(takes);
    const tables = takes.map(({ policy }) => this.#tableOf(policy));
    const keys = new Set(takes.map(({ key }) => key));
    const slots = takes.map(({ key }, i) => tables[i]!.slot(key, now, keys));
    takes.forEach(({ policy }, i) => tables[i]!.allocate(slots[i]!, policy));
    const cursors = takes.map(({ policy }, i) => tables[i]!.cursor(slots[i]!, policy));
    const verdicts = decideBatch(takes, cursors, times, now);
    cursors.forEach((cursor, i) => tables[i]!.commit(cursor, slots[i]!));
    return verdicts;
  }

  #tableOf(policy: Policy): KeyTable {
    if (policy === this.#lastPolicy) return this.#lastTable!;
    let table = this.#byPolicy.get(policy);
    if (table === undefined) {
      this.#byPolicy.set(policy, table = this.#namedTable(policy));
      table.notePolicy(policy);
    }
    this.#lastPolicy = policy;
    return this.#lastTable = table;
  }

  // a table holds states of one width, so the number of buckets is part of its identity
  #namedTable(policy: Policy): KeyTable {
    let tables = this.#tables.get(policy.name);
    if (tables === undefined) this.#tables.set(policy.name, tables = new Map());
    const shape = shapeOf(policy);
    let table = tables.get(shape);
    if (table === undefined) tables.set(shape, table = new KeyTable(policy, this.#maxKeys));
    return table;
  }

  /**
   * Forgets policies by which nothing is counted any more: a limiter's may be replaced by others, again and again.
   *
   * @internal
   */
  forgetIdle(): void {
    const now = this.#clock.now();
    for (const [name, tables] of this.#tables) {
      for (const [shape, table] of tables) if (table.isIdle(now)) tables.delete(shape);
      if (tables.size === 0) this.#tables.delete(name);
    }
    // a policy that is still in use finds its table, or a new one, by its name
    this.#byPolicy = new WeakMap();
    this.#lastPolicy = this.#lastTable = null;
  }

  /** Gives units back; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): boolean {
    return this.#tableOf(take.policy).give(take, stamp, amount, this.#clock.now());
  }

  /** Corrects what was granted to its real cost; see {@linkcode Store}. */
  settle(take: Take, stamp: number, change: number): Verdict {
    return this.#tableOf(take.policy).settle(take, stamp, change, this.#clock.now());
  }

  /** Forgets keys; see {@linkcode Store}. */
  reset({ policy, key }: Selector): number {
    let count = 0;
    for (const table of this.#tables.get(policy)?.values() ?? []) {
      count += key === undefined ? table.clear() : table.delete(key);
    }
    return count;
  }

  /** Lists keys in use; see {@linkcode Store}. */
  async *inspect(policy: Policy): AsyncGenerator<Entry> {
    yield* this.#tableOf(policy).entries(policy, () => this.#clock.now());
  }
}
