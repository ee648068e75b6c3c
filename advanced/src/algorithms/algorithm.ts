import type { Policy } from "../policy/policy.ts";
import type { Verdict } from "../policy/store.ts";

/**
 * The numbers that one key has in one policy: a part of a larger array, or an array of its own that may be replaced by
 * a longer one. All zeros is the state of a key never seen.
 */
export interface Cells {
  /** The array. */
  array: Float64Array;
  /** Where the state begins in it. */
  at: number;
}

/**
 * An algorithm: pure functions over the cells of one key.
 *
 * Times are whole ms of the store's clock; units are whole. All of them grant `k` units exactly when `k <= room`.
 */
export interface Algorithm {
  /** Number of cells a key has; 0 when it varies, and then the array is the key's own. */
  width(policy: Policy): number;
  /** Units that can be granted now; negative if rejections were charged. */
  room(policy: Policy, cells: Cells, now: number): number;
  /**
   * Takes units, whether there is room or not, and returns the stamp for {@linkcode Algorithm.give}.
   *
   * Where the moment is not known, it is between `now` and `by`: what was counted before counts as at `now`, and the
   * units as if they were taken at `by`, so that the state is never too lenient, whenever it was. `by` is at most what
   * {@linkcode Algorithm.holdsUntil} says.
   */
  take(policy: Policy, cells: Cells, now: number, units: number, by?: number): number;
  /** The last ms at which a decision made at `now` is still right. Not there where one always is. */
  holdsUntil?(policy: Policy, cells: Cells, now: number): number;
  /** ms until `units` fit, 0 if they do now. Asked only for units up to the capacity. */
  wait(policy: Policy, cells: Cells, now: number, units: number): number;
  /** ms until the state is that of a key never seen. */
  reset(policy: Policy, cells: Cells, now: number): number;
  /** Gives units back; tells whether anything changed. */
  give(policy: Policy, cells: Cells, now: number, stamp: number, units: number): boolean;
  /**
   * Counts units for which there is no room, after all that there was has been taken: each of them counts from the
   * moment there is room for it, as if it had waited until then. Not there where nothing can be owed.
   */
  owe?(policy: Policy, cells: Cells, now: number, units: number): void;
  /**
   * Pays off what is owed, as far as time has gone on; before anything else is asked. Not there where a state says by
   * itself what is owed at any time.
   */
  pay?(policy: Policy, cells: Cells, now: number): void;
  /**
   * The whole decision about one take in one step, for policies whose rejections are free; same outcome as the rule in
   * `decide_batch.ts` with the functions above. Optional, for algorithms where the speed matters.
   */
  decide?(policy: Policy, cells: Cells, now: number, cost: number, times: number): Verdict;
  /**
   * Bounds what was counted by a longer window: it ends, or counts as used, no later than if it had been used now by the
   * policy's window. Changes nothing otherwise. Not there where a state says by itself what a shorter window means.
   */
  shorten?(policy: Policy, cells: Cells, now: number): void;
  /** Restarts the wait: what is used counts as used now. Returns the stamp it has now. */
  extend(policy: Policy, cells: Cells, now: number): number;
}
