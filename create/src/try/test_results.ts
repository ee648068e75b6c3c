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
      const name = nameIn(PASSED.exec(line)![1]!);
      if (!COUNTED.test(name)) note(name, true);
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

/** Totals from Jest and Vitest: `Tests: 1 failed, 2 passed, 3 total` and `Tests  1 failed | 2 passed (3)`. */
const TOTALS_LINE = /^\s*Tests:?\s+(\d+ .*(?:\d+ total|\(\d+\)))$/gm;
/** Totals from `node --test` and mocha's TAP reporter, from mocha, and from jasmine, one number per line. */
const TOTAL_PASSED = /^(?:[#ℹ] pass (\d+)|\s*(\d+) passing\b.*)$/gm;
const TOTAL_FAILED = /^(?:[#ℹ] (?:fail|cancelled) (\d+)|\s*(\d+) failing\b.*)$/gm;
const SPECS = /^(\d+) specs?, (\d+) failures?/gm;

/**
 * Returns how many tests passed and failed, by the runner's totals, or by name. Skipped tests did not run.
 *
 * @param output The output
 * @param outcomes The outcomes parsed from it
 */
export function countTests(output: string, outcomes: ReadonlyMap<string, Outcome>): Outcome {
  const text = stripVTControlCharacters(output).replaceAll("\r\n", "\n");
  const totals: Outcome[] = [
    ...Array.from(text.matchAll(TOTALS_LINE), ([, line]) => ({
      passed: sumOf(line!, /(\d+) passed/g),
      failed: sumOf(line!, /(\d+) failed/g),
    })),
    ...Array.from(text.matchAll(SPECS), ([, all, failed]) => ({
      passed: Number(all) - Number(failed),
      failed: Number(failed),
    })),
    { passed: sumOf(text, TOTAL_PASSED), failed: sumOf(text, TOTAL_FAILED) },
  ];
  const total = sum(totals);
  return total.passed + total.failed > 0 ? total : sum(outcomes.values());
}

function sumOf(text: string, pattern: RegExp): number {
  return Array.from(text.matchAll(pattern), (found) => Number(found.slice(1).find(Boolean)))
    .reduce((sum, one) => sum + one, 0);
}

function sum(all: Iterable<Outcome>): Outcome {
  let [passed, failed] = [0, 0];
  for (const one of all) {
    passed += one.passed;
    failed += one.failed;
  }
  return { passed, failed };
}

/**
 * Whether a run printed the name of every test that passed. Jest does so only for a single file, Vitest only for slow
 * tests and for those beside a failed one.
 *
 * @param outcomes The outcomes by name
 * @param total The runner's totals
 */
export function namesAll(outcomes: ReadonlyMap<string, Outcome>, total: Outcome): boolean {
  return sum(outcomes.values()).passed >= total.passed;
}

/** Vitest's line for a file: its name and the number of its tests. */
const COUNTED = / \(\d+ tests?(?: \| .*)?\)$/;
/** What Vitest prints after a test's name or count, and others after its name: the duration, and how often it ran. */
const AFTER_NAME = /(?:\s+(?:\(?\d+(?:\.\d+)?\s?m?s\)?|\((?:retry|repeat) x\d+\)))+\s*$/;

function nameIn(text: string): string {
  return text.replace(/^\[fail\]: /, "").replace(AFTER_NAME, "").replace(/\s+#.*$/, "").trim();
}

/**
 * Compares two runs.
 *
 * @param before Outcomes from the first run
 * @param after Outcomes from the second run
 * @param areAllNamed Whether both name every test that passed; if not, only failed tests differ
 * @returns The tests that differ, sorted by name
 */
export function differences(
  before: ReadonlyMap<string, Outcome>,
  after: ReadonlyMap<string, Outcome>,
  areAllNamed = true,
): Difference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names
    .map((name) => ({ name, before: before.get(name) ?? NONE, after: after.get(name) ?? NONE }))
    .filter(({ before, after }) => before.failed !== after.failed || (areAllNamed && before.passed !== after.passed));
}
