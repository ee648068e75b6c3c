import { indexOf, SlotTable } from "@sluice/limiting";
import { ALGORITHMS } from "../algorithms/algorithms.ts";
import { decideAlone, giveTake, settleTake } from "../algorithms/decide_batch.ts";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import { followsClock, hasDebts, type Policy } from "../policy/policy.ts";
import { CellColumns, type SlotCursor } from "./cell_columns.ts";
import type { Entry, Take, Verdict } from "../policy/store.ts";

/** The keys under one policy, with states in typed arrays that grow in small steps. */
export class KeyTable {
  readonly #slots: SlotTable;
  readonly #own: CellColumns;
  /** States shared by keys, created on first use. */
  #shared: CellColumns | null = null;
  readonly #newColumns: () => CellColumns;
  readonly #cursor: SlotCursor;
  /** A policy with the lowest limit and the longest window among all known policies. */
  #slowest: Policy;
  /** The longest window among policies that have written to the table, in ms; `Infinity` once it may contain debts. */
  #longestMs: number;
  /** Whether the windows of the first policy follow the system clock. */
  readonly #followsClock: boolean;

  /**
   * Creates an instance.
   *
   * @param policy The first policy it is used for
   * @param maxKeys Maximum keys with their own state
   */
  constructor(policy: Policy, maxKeys: number) {
    const algorithm = ALGORITHMS[policy.algorithm];
    const width = algorithm.width(policy);
    this.#newColumns = () => new CellColumns(algorithm, width);
    this.#own = this.#newColumns();
    this.#cursor = this.#own.newCursor();
    this.#slowest = { ...policy, limit: policy.limit || MAX_LIMIT, windowMs: longestOf(policy), window: undefined };
    this.#followsClock = followsClock(policy);
    this.#longestMs = hasDebts(policy) ? Infinity : policy.windowMs;
    this.#slots = new SlotTable(maxKeys, {
      isIdle: (slot, now) => this.#columnsOf(slot).isIdle(this.#cursor, indexOf(slot), this.#slowest, now),
      clear: (slot) => this.#own.clear(slot),
      inherit: (slot, shared) => this.#own.copy(slot, this.#columnsOf(shared), indexOf(shared)),
      clearShared: () => this.#shared = null,
    });
  }

  #columnsOf(slot: number): CellColumns {
    return slot >= 0 ? this.#own : this.#shared ??= this.#newColumns();
  }

  /** Slots in use, including idle keys not swept yet. */
  get size(): number {
    return this.#slots.size;
  }

  /** Decisions that used a shared state. */
  get overflows(): number {
    return this.#slots.overflows;
  }

  /** Decides the only take in a batch. */
  decide(take: Take, times: number, now: number): readonly Verdict[] {
    const slot = this.#slots.take(take.key, now);
    const cursor = this.#movedTo(this.#cursor, slot, take.policy);
    const verdict = decideAlone(take, cursor, times, now);
    this.commit(cursor, slot);
    return [verdict];
  }

  /**
   * Returns a key's slot, a new one if it has none; see {@linkcode SlotTable.take}.
   *
   * Another key may grow the arrays, so a batch gets all its slots before it creates any cursor.
   */
  slot(key: string, now: number, spared: ReadonlySet<string>): number {
    return this.#slots.take(key, now, spared);
  }

  cursor(slot: number, policy: Policy): SlotCursor {
    return this.#movedTo(this.#own.newCursor(), slot, policy);
  }

  /**
   * Allocates a slot, which may move other slots in its array. A batch allocates all of them before it creates any
   * cursor.
   */
  allocate(slot: number, policy: Policy): void {
    this.#columnsOf(slot).allocate(indexOf(slot), policy);
  }

  #movedTo(cursor: SlotCursor, slot: number, policy: Policy): SlotCursor {
    this.#columnsOf(slot).moveTo(cursor, indexOf(slot), policy);
    cursor.isOfThisWindow = policy.windowMs >= this.#longestMs;
    return cursor;
  }

  /** Stores the writes from a decision. */
  commit(cursor: SlotCursor, slot: number): void {
    this.#columnsOf(slot).commit(cursor, indexOf(slot));
  }

  /**
   * Records a policy that is used with this table. Keys may have different limits and windows under one name, and must
   * not count as idle under another key's policy.
   */
  notePolicy(policy: Policy): void {
    const { limit: own, windowMs, maxDebt } = policy;
    // windows counted by a different clock may seem to end at any time
    if (followsClock(policy) !== this.#followsClock) this.#longestMs = Infinity;
    if (maxDebt !== undefined) {
      this.#longestMs = Infinity;
      this.#slowest = { ...this.#slowest, maxDebt };
    }
    // a limit of 0 grants nothing, and does not determine when other keys' states are idle
    const limit = own || this.#slowest.limit;
    const longestMs = longestOf(policy);
    if (limit >= this.#slowest.limit && longestMs <= this.#slowest.windowMs) return;
    this.#slowest = {
      ...this.#slowest,
      limit: Math.min(limit, this.#slowest.limit),
      windowMs: Math.max(longestMs, this.#slowest.windowMs),
    };
    this.#longestMs = Math.max(this.#longestMs, windowMs);
  }

  /**
   * Refunds units.
   *
   * @returns Whether anything changed
   */
  give(take: Take, stamp: number, amount: number, now: number): boolean {
    const slot = this.#slots.find(take.key);
    if (slot === undefined) return false;
    const cursor = this.#movedTo(this.#cursor, slot, take.policy);
    const given = giveTake(take, cursor, stamp, amount, now);
    this.commit(cursor, slot);
    return given;
  }

  /** Corrects a grant to its actual cost. */
  settle(take: Take, stamp: number, change: number, now: number): Verdict {
    const slot = this.#slots.take(take.key, now);
    const cursor = this.#movedTo(this.#cursor, slot, take.policy);
    const verdict = settleTake(take, cursor, stamp, change, now);
    this.commit(cursor, slot);
    return verdict;
  }

  /** Forgets one key, but not a shared state. Returns how many keys it forgot. */
  delete(key: string): number {
    return this.#slots.delete(key) ? 1 : 0;
  }

  /** The keys that have their own state. */
  *keys(): Generator<string> {
    for (const [key] of this.#slots.entries()) yield key;
  }

  /** Forgets all keys. Returns how many had their own state. */
  clear(): number {
    return this.#slots.clear();
  }

  /** Frees idle keys' slots. Returns whether nothing is counted anymore. */
  isIdle(now: number): boolean {
    this.#slots.sweep(now);
    return this.size === 0 && this.overflows === 0;
  }

  /** Lists the keys in use, each once, with their current state. */
  *entries(policy: Policy, clock: () => number): Generator<Entry> {
    const cursor = this.#own.newCursor();
    const listed = new Set<string>();
    for (const [key, slot] of this.#slots.entries()) {
      const now = clock();
      if (listed.has(key) || this.#own.isIdle(cursor, slot, policy, now)) continue;
      listed.add(key);
      // on a copy: the listed policy may have a shorter window than the key's own
      yield { key, verdict: decideAlone({ policy, key, cost: 0 }, this.#own.copyAt(cursor), 1, now) };
    }
  }
}

// debts must not be forgotten on later days, and some days are longer than usual
function longestOf({ windowMs, window, maxDebt }: Policy): number {
  return window === undefined || maxDebt === undefined ? windowMs : windowMs + windowMs / 8;
}
