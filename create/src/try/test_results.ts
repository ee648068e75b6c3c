/** Parses a test runner's output. */
import { stripVTControlCharacters } from "node:util";

/** Number of passed and failed tests with one name. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

/** A test with a different outcome. */
export interface Difference {
  /** Its name, as printed by the runner. */
  readonly name: string;
  /** Its outcome in the first run. */
  readonly before: Outcome;
  /** Its outcome in the second run. */
  readonly after: Outcome;
}

const NONE: Outcome = { passed: 0, failed: 0 };

/** Lines from mocha, Jest, Vitest, AVA and `node --test` for a passed test. */
const PASSED = /^\s*[✓✔√]\s+(.+)$/;
/** The same for a failed test. */
const FAILED = /^\s*(?:[✕✖×✗✘]|●)\s+(.+)$/;
/** Headings that look like a failed test. */
const HEADINGS = /^(?:failing tests:|Console|.*Warning:?)$/;
/** A failed test in mocha's list, which repeats it with its error after the totals. */
const NUMBERED = /^\s*\d+\) (.+)$/;
/** A Test Anything Protocol line. */
const TAP = /^\s*(not )?ok \d+\s*(?:- )?(.*)$/;
/** mocha's totals, after which it repeats failures. */
const TOTALS = /^\s*\d+ (?:passing|failing|pending)\b/;
/** Jest's files: with several, it prints no individual tests. */
const FILE = /^\s*(PASS|FAIL)\s+(\S+)(?: \(.*\))?$/;

/**
 * Parses a test runner's output.
 *
 * @param output The output
 * @returns The tests' outcomes, by name; empty if it prints no names
 */
export function readTestResults(output: string): ReadonlyMap<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  const note = (name: string, isPassed: boolean): void => {
    const { passed, failed } = outcomes.get(name) ?? NONE;
    outcomes.set(name, isPassed ? { passed: passed + 1, failed } : { passed, failed: failed + 1 });
  };
  const repeated = new Set<string>();
  let isSummary = false;
  for (const line of stripVTControlCharacters(output).split(/\r?\n/)) {
    if (TOTALS.test(line)) isSummary = true;
    const tap = TAP.exec(line);
    const file = FILE.exec(line);
    if (tap) {
      // skipped tests and todos have no outcome
      if (!/#\s*(?:skip|todo)\b/i.test(tap[2]!)) note(nameIn(tap[2]!), tap[1] === undefined);
    } else if (file) {
      note(file[2]!, file[1] === "PASS");
    } else if (PASSED.test(line)) {
      isSummary = false;
      note(nameIn(PASSED.exec(line)![1]!), true);
    } else if (FAILED.test(line)) {
      const name = nameIn(FAILED.exec(line)![1]!);
      // Jest, Vitest and `node --test` repeat failures at the end
      if (!repeated.has(name) && !HEADINGS.test(name)) note(name, false);
      repeated.add(name);
    } else if (NUMBERED.test(line) && !isSummary) {
      note(nameIn(NUMBERED.exec(line)![1]!), false);
    }
  }
  return outcomes;
}

/** Totals from Jest, Vitest, `node --test`, jasmine and mocha, which may print fewer names. */
const TOTAL =
  /^Tests:.*?(\d+) total$|^\s*Tests\s.*\((\d+)\)$|^[#ℹ] tests (\d+)$|^(\d+) specs?,|^\s*(\d+) (?:pass|fail)ing\b/gm;

/**
 * Returns how many tests ran, by the runner's totals, or by name.
 *
 * @param output The output
 * @param outcomes The outcomes parsed from it
 */
export function countTests(output: string, outcomes: ReadonlyMap<string, Outcome>): number {
  const totals = Array.from(
    stripVTControlCharacters(output).matchAll(TOTAL),
    (found) => Number(found.slice(1).find(Boolean)),
  );
  const named = [...outcomes.values()].reduce((sum, { passed, failed }) => sum + passed + failed, 0);
  return totals.length === 0 ? named : totals.reduce((sum, one) => sum + one, 0);
}

// without the duration, which Vitest prints after the test count
function nameIn(text: string): string {
  return text.replace(/^\[fail\]: /, "").replace(/\s+\(?\d+(?:\.\d+)?\s?m?s\)?\s*$/, "").replace(/\s+#.*$/, "").trim();
}

/**
 * Compares two runs.
 *
 * @param before Outcomes from the first run
 * @param after Outcomes from the second run
 * @returns The tests that differ, sorted by name
 */
export function differences(
  before: ReadonlyMap<string, Outcome>,
  after: ReadonlyMap<string, Outcome>,
): Difference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names
    .map((name) => ({ name, before: before.get(name) ?? NONE, after: after.get(name) ?? NONE }))
    .filter(({ before, after }) => before.passed !== after.passed || before.failed !== after.failed);
}
