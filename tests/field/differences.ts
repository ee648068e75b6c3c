/** Tests that pass on Express and not on Sluice, and why that stays. */

/** Tests of a suite that fail for one reason. */
export interface Difference {
  /** Name of the suite. */
  readonly suite: string;
  /** The reason, for users. */
  readonly why: string;
  /** Full titles of the tests. */
  readonly tests: readonly string[];
}

/** All of them. */
export const DIFFERENCES: readonly Difference[] = [];
