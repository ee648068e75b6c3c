import type { Policy } from "../policy/policy.ts";
import type { Verdict } from "../policy/store.ts";

/**
 * The state of one key in one policy: part of a larger array, or its own array, which a longer one may replace. A new
 * key's state is all zeros.
 */
export interface Cells {
  array: Float64Array;
  /** The state's offset. */
  at: number;
}

/**
 * An algorithm: pure functions over one key's cells.
 *
 * Times are whole ms on the store's clock; units are integers. All algorithms grant `k` units exactly when `k <= room`.
 */
export interface Algorithm {
  /** Number of cells per key; 0 if it varies, in which case the key has its own array. */
  width(policy: Policy): number;
  /** Units that can be granted now; negative if refusals were charged. */
  room(policy: Policy, cells: Cells, now: number): number;
  /**
   * Consumes units, whether they fit or not, and returns the stamp for {@linkcode Algorithm.give}.
   *
   * If the exact time is unknown, it is between `now` and `by`. Earlier units then count as of `now`, and the new ones
   * as if consumed at `by`, so that the state is never too lenient, whatever the time was. `by` never exceeds
   * {@linkcode Algorithm.holdsUntil}.
   */
  take(policy: Policy, cells: Cells, now: number, units: number, by?: number): number;
  /** The last ms at which a decision made at `now` is still valid. Omitted if decisions never expire. */
  holdsUntil?(policy: Policy, cells: Cells, now: number): number;
  /** Time until `units` fit, in ms; 0 if they do now. Only called for units up to the capacity. */
  wait(policy: Policy, cells: Cells, now: number, units: number): number;
  /** Time until the state equals that of a new key, in ms. */
  reset(policy: Policy, cells: Cells, now: number): number;
  /** Refunds units. Returns whether anything changed. */
  give(policy: Policy, cells: Cells, now: number, stamp: number, units: number): boolean;
  /**
   * Counts units that do not fit, once all that fit are consumed. Each counts from the moment it fits, as if it had
   * waited. Omitted if there are no debts.
   */
  owe?(policy: Policy, cells: Cells, now: number, units: number): void;
  /**
   * Pays off debts for the elapsed time and under the current policy, before any other call but `give`. Omitted if the
   * state itself always shows the debt.
   */
  pay?(policy: Policy, cells: Cells, now: number): void;
  /**
   * Decides one take in one step, for policies whose refusals are free. Same outcome as the rule in `decide_batch.ts`
   * with the functions above. Optional; a fast path.
   */
  decide?(policy: Policy, cells: Cells, now: number, cost: number, times: number): Verdict;
  /**
   * Bounds units counted under a longer window: they expire no later than if they had been used now under the policy's
   * window. Otherwise changes nothing. Omitted if the state itself adapts to a shorter window.
   */
  shorten?(policy: Policy, cells: Cells, now: number): void;
  /** Restarts the wait: used units count as used now. Returns the new stamp. */
  extend(policy: Policy, cells: Cells, now: number): number;
}
