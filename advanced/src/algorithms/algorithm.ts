import type { Policy } from "../policy/policy.ts";
import type { Verdict } from "../policy/store.ts";

/**
 * The state of one key in one policy: a part of a larger array, or its own array, which may be replaced by a longer
 * one. All zeros is the state of a new key.
 */
export interface Cells {
  array: Float64Array;
  /** Offset of the state. */
  at: number;
}

/**
 * An algorithm: pure functions over the cells of one key.
 *
 * Times are whole ms of the store's clock; units are integers. All algorithms grant `k` units exactly when `k <= room`.
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
   * as if consumed at `by`, so that the state is never too lenient, whatever the time was. `by` is at most the result
   * of {@linkcode Algorithm.holdsUntil}.
   */
  take(policy: Policy, cells: Cells, now: number, units: number, by?: number): number;
  /** The last ms at which a decision made at `now` is still valid. Omitted if one always is. */
  holdsUntil?(policy: Policy, cells: Cells, now: number): number;
  /** ms until `units` fit, 0 if they do now. Only called for units up to the capacity. */
  wait(policy: Policy, cells: Cells, now: number, units: number): number;
  /** ms until the state equals that of a new key. */
  reset(policy: Policy, cells: Cells, now: number): number;
  /** Refunds units. Returns whether anything changed. */
  give(policy: Policy, cells: Cells, now: number, stamp: number, units: number): boolean;
  /**
   * Counts units that do not fit, after all that fit have been consumed. Each of them counts from the moment it fits,
   * as if it had waited until then. Omitted if there are no debts.
   */
  owe?(policy: Policy, cells: Cells, now: number, units: number): void;
  /**
   * Pays off debts for the time that has passed, before any other call. Omitted if the state itself shows the debt at
   * any time.
   */
  pay?(policy: Policy, cells: Cells, now: number): void;
  /**
   * The whole decision about one take in one step, for policies whose refusals are free. Same outcome as the rule in
   * `decide_batch.ts` with the functions above. Optional, for algorithms where speed matters.
   */
  decide?(policy: Policy, cells: Cells, now: number, cost: number, times: number): Verdict;
  /**
   * Bounds what a longer window has counted: it ends, or counts as used, no later than if it had been used now under
   * the policy's window. Otherwise changes nothing. Omitted if the state itself adapts to a shorter window.
   */
  shorten?(policy: Policy, cells: Cells, now: number): void;
  /** Restarts the wait: used units count as used now. Returns the new stamp. */
  extend(policy: Policy, cells: Cells, now: number): number;
}
