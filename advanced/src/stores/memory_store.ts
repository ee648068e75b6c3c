import { checkInteger, checkNames, checkType, nextSequence, type OptionNames } from "@sluice/shared";
import { decideBatch } from "../algorithms/decide_batch.ts";
import { ALGORITHM_NAMES, followsClock, type Policy } from "../policy/policy.ts";
import { KeyTable } from "./key_table.ts";
import { assertDistinct } from "./assert_distinct.ts";
import type { Capabilities, Entry, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { shapeOf } from "./state_record.ts";
import { elapsedTime, StoreClock } from "@sluice/limiting";

/**
 * Options for a {@linkcode MemoryStore}.
 *
 * @example A clock that a test controls
 * ```ts
 * import { Limiter, MemoryStore } from "@sluice/rate-limit";
 *
 * let now = 0;
 * const limiter = new Limiter({ limit: 1, windowMs: 1000, store: new MemoryStore({ clock: () => now }), clock: () => now });
 * await limiter.consume("client");
 * now = 1000;
 * console.log((await limiter.consume("client")).allowed); // true
 * ```
 */
export interface MemoryStoreOptions {
  /** Maximum keys per policy with their own state, 100 000 by default; further keys share states. */
  maxKeys?: number | undefined;
  /** Current time in ms, for all windows; for tests. */
  clock?: (() => number) | undefined;
}

const NAMES: OptionNames<MemoryStoreOptions> = { maxKeys: true, clock: true };

/** Symbol for a store's creation number, to recognize stores created inside requests. */
export const sequenceKey: unique symbol = Symbol("sluice.sequence");

/** Symbol for the method that frees replaced policies' memory. */
export const forgetIdleKey: unique symbol = Symbol("sluice.forget idle");

/**
 * A store in this process's memory. Supports all algorithms, and decides synchronously.
 *
 * Windows keep their length when the system clock is changed. Calendar windows, and windows with `align: "clock"`,
 * follow the clock.
 *
 * It has no timers and need not be closed. `maxKeys` bounds its memory. No key in use is ever dropped; once the memory
 * is full, further keys share states, which count too many rather than too few.
 *
 * @example Two limiters that share the memory for keys
 * ```ts
 * import { Limiter, MemoryStore } from "@sluice/rate-limit";
 *
 * const store = new MemoryStore({ maxKeys: 10_000 });
 * const read = new Limiter({ name: "read", limit: 100, store });
 * const write = new Limiter({ name: "write", limit: 10, store });
 * console.log((await read.consume("client")).remaining, (await write.consume("client")).remaining); // 99 9
 * ```
 */
export class MemoryStore implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities = {
    algorithms: new Set(ALGORITHM_NAMES),
    atomicBatch: "all",
    exactDeny: true,
    scope: "process",
    clock: "process",
  };
  /**
   * Number in the order in which stores, limiters and requests were created.
   *
   * @internal
   */
  readonly [sequenceKey]: number = nextSequence();
  readonly #tables = new Map<string, Map<string, KeyTable>>();
  #byPolicy = new WeakMap<Policy, KeyTable>();
  readonly #maxKeys: number;
  /** Clock for windows that keep their length, whatever the system clock is set to. */
  readonly #clock: StoreClock;
  /** Clock for windows that follow the system clock or the calendar. */
  readonly #calendar: StoreClock;
  #lastPolicy: Policy | null = null;
  #lastTable: KeyTable | null = null;
  #lastClock: StoreClock;

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
    this.#clock = this.#lastClock = new StoreClock(clock, elapsedTime());
    this.#calendar = clock === undefined ? new StoreClock() : this.#clock;
  }

  /** Number of keys, including idle ones not swept yet. */
  get size(): number {
    return this.#sum((table) => table.size);
  }

  /** Number of decisions that used a shared state because the memory was full. */
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
    if (takes.length === 1) {
      const table = this.#tableOf(takes[0]!.policy);
      return table.decide(takes[0]!, times, this.#lastClock.now());
    }
    assertDistinct(takes);
    const tables = takes.map(({ policy }) => this.#tableOf(policy));
    const now = takes.map(({ policy }) => this.#nowFor(policy));
    const keys = new Set(takes.map(({ key }) => key));
    const slots = takes.map(({ key }, i) => tables[i]!.slot(key, now[i]!, keys));
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
    this.#lastClock = this.#clockFor(policy);
    return this.#lastTable = table;
  }

  #clockFor(policy: Policy): StoreClock {
    return followsClock(policy) ? this.#calendar : this.#clock;
  }

  #nowFor(policy: Policy): number {
    return this.#clockFor(policy).now();
  }

  // a table holds states of one width, so the bucket count is part of its identity
  #namedTable(policy: Policy): KeyTable {
    let tables = this.#tables.get(policy.name);
    if (tables === undefined) this.#tables.set(policy.name, tables = new Map());
    const shape = shapeOf(policy);
    let table = tables.get(shape);
    if (table === undefined) tables.set(shape, table = new KeyTable(policy, this.#maxKeys));
    return table;
  }

  /**
   * Forgets policies that no longer count anything: a limiter's policies may be replaced many times.
   *
   * @internal
   */
  [forgetIdleKey](): void {
    const now = Math.min(this.#clock.now(), this.#calendar.now());
    for (const [name, tables] of this.#tables) {
      for (const [shape, table] of tables) if (table.isIdle(now)) tables.delete(shape);
      if (tables.size === 0) this.#tables.delete(name);
    }
    // a policy still in use finds its table, or a new one, by its name
    this.#byPolicy = new WeakMap();
    this.#lastPolicy = this.#lastTable = null;
  }

  /** Refunds units; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): boolean {
    return this.#tableOf(take.policy).give(take, stamp, amount, this.#nowFor(take.policy));
  }

  /** Corrects a grant to its actual cost; see {@linkcode Store}. */
  settle(take: Take, stamp: number, change: number): Verdict {
    return this.#tableOf(take.policy).settle(take, stamp, change, this.#nowFor(take.policy));
  }

  /** Forgets keys; see {@linkcode Store}. */
  reset({ policy, key }: Selector): number {
    const tables = [...this.#tables.get(policy)?.values() ?? []];
    // a key whose policy has changed may be in several
    if (key !== undefined) return tables.reduce((count, table) => Math.max(count, table.delete(key)), 0);
    const keys = tables.length > 1 ? new Set(tables.flatMap((table) => [...table.keys()])) : null;
    const count = tables.reduce((sum, table) => sum + table.clear(), 0);
    return keys?.size ?? count;
  }

  /** Lists keys in use; see {@linkcode Store}. */
  async *inspect(policy: Policy): AsyncGenerator<Entry> {
    yield* this.#tableOf(policy).entries(policy, () => this.#nowFor(policy));
  }
}
