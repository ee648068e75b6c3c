/** Compares the results of a suite on Sluice with those on Express. */
import { DIFFERENCES } from "../differences.ts";
import type { Results } from "./suite.ts";

/** What became of a suite. */
export interface Judged {
  /** How many of its tests pass on Express. */
  readonly express: number;
  /** How many of these pass on Sluice. */
  readonly sluice: number;
  /** Those that do not, and nobody said why. */
  readonly unexpected: readonly string[];
  /** Those of which somebody said why they would not, and that pass. */
  readonly gone: readonly string[];
}

/** Titles of the tests of a suite that are expected to fail on Sluice alone. */
export function differencesOf(suite: string): readonly string[] {
  return DIFFERENCES.filter((one) => one.suite === suite).flatMap(({ tests }) => tests);
}

/**
 * Compares.
 *
 * @param theirs Results on Express
 * @param ours Results on Sluice
 * @param known Titles of the tests that are expected to fail
 */
export function judge(theirs: Results, ours: Results, known: readonly string[]): Judged {
  const passing = [...theirs].filter(([, outcome]) => outcome === "passed").map(([title]) => title);
  const failing = passing.filter((title) => ours.get(title) !== "passed");
  return {
    express: passing.length,
    sluice: passing.length - failing.length,
    unexpected: failing.filter((title) => !known.includes(title)),
    gone: known.filter((title) => !failing.includes(title)),
  };
}
