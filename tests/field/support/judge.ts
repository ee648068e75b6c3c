/** Compares a suite's results on Sluice with those on Express. */
import { DIFFERENCES } from "../differences.ts";
import type { Results } from "./suite.ts";

/** A suite's results. */
export interface Judged {
  /** Number of its tests that pass on Express. */
  readonly express: number;
  /** Number of these tests that pass on Sluice. */
  readonly sluice: number;
  /** Tests that fail on Sluice without a known reason. */
  readonly unexpected: readonly string[];
  /** Tests that pass although they are expected to fail. */
  readonly gone: readonly string[];
}

/** Titles of a suite's tests that are expected to fail on Sluice alone. */
export function differencesOf(suite: string): readonly string[] {
  return DIFFERENCES.filter((one) => one.suite === suite).flatMap(({ tests }) => tests);
}

/**
 * Compares results.
 *
 * @param theirs Results on Express
 * @param ours Results on Sluice
 * @param known Titles of tests expected to fail
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
