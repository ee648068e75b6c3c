/** Compares the results of Express's own suites on Sluice with `failing.ts`. */
import type { RuntimeName } from "../../../reliability/support/children.ts";
import type { Results } from "../support/suite.ts";
import { FAILING, type Failing } from "./failing.ts";
import type { Major } from "./suite.ts";

/** The suite's results on one runtime. */
export interface Judged {
  /** The runtime's version. */
  readonly version: string;
  /** Number of tests. */
  readonly tests: number;
  /** Number of tests that pass on Express. */
  readonly express: number;
  /** Number of tests that pass on Sluice. */
  readonly sluice: number;
  /** Number of tests that fail on Sluice, by the known reason's `kind`. */
  readonly failing: Readonly<Record<string, number>>;
  /** Results that `failing.ts` does not list, one line or more each. */
  readonly unexpected: readonly string[];
}

/**
 * Compares a suite's results on a runtime.
 *
 * @param major The suite's major
 * @param runtime The runtime
 * @param theirs Results on Express
 * @param ours Results on Sluice
 * @param output The tests' output on Sluice
 * @param list Known failures
 */
export function compare(
  major: Major,
  runtime: RuntimeName,
  theirs: Results,
  ours: Results,
  output: string,
  list: readonly Failing[] = FAILING,
): Omit<Judged, "version"> {
  const known = list.filter(({ on, tests }) => (on?.includes(runtime) ?? true) && tests[major] !== undefined)
    .map(({ kind, tests }) => ({ kind, tests: tests[major]! }));
  const listed = new Set(known.flatMap(({ tests }) => tests));
  // there are no tests for a method that the runtime lacks
  const titles = [...theirs.keys()];
  const passes = (title: string) => ours.get(title) === "passed";
  const unlisted = titles.filter((title) => theirs.get(title) === "passed" && !passes(title) && !listed.has(title));
  const fixed = titles.filter((title) => passes(title) && listed.has(title));
  const added = [...ours.keys()].filter((title) => !theirs.has(title));
  const counts = known.map(({ kind, tests }) => [kind, tests.filter((title) => theirs.has(title)).length] as const);
  return {
    tests: titles.length,
    express: titles.filter((title) => theirs.get(title) === "passed").length,
    sluice: titles.filter(passes).length,
    failing: Object.fromEntries(counts),
    unexpected: [
      ...unlisted.map((title) => ours.has(title) ? `fails: ${detailOf(title, output)}` : `does not run: ${title}`),
      ...fixed.map((title) => `passes now, and is listed in failing.ts: ${title}`),
      ...added.map((title) => `runs on Sluice alone: ${title}`),
    ],
  };
}

/** The reporter's output for a failed test. */
function detailOf(title: string, output: string): string {
  const at = output.indexOf(`FAILED ${title}\n`);
  return at === -1 ? title : output.slice(at + "FAILED ".length).split("\n").slice(0, 12).join("\n    ");
}
