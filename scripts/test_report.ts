import { stripVTControlCharacters } from "node:util";

/** A test that failed. */
export interface FailedTest {
  /** Path of its file, from the folder of the run. */
  readonly file: string;
  /** Its name, after those of the tests it is a step of. */
  readonly name: string;
  /** First line of what it said. */
  readonly message: string;
}

/** What a run of `deno test` came to; steps count as tests. */
export interface TestReport {
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly FailedTest[];
}

/** The last line: tests and, in brackets, steps. */
const SUMMARY =
  /^(?:ok|FAILED) \| (\d+ passed.*) \| (\d+ failed.*?)(?: \| (\d+ ignored.*?))? \([\d.]+\w+(?: [\d.]+\w+)*\)$/gm;
/** A failure: where it is and, in the next line, what it said. */
const FAILURE = /^(?:(.+) => (\.\/\S+?)(?::\d+)+|(\S+) \(uncaught error\))\n(?:error: )?(.*)/gm;

function sum(text = ""): number {
  return [...text.matchAll(/\d+/g)].reduce((total, [digits]) => total + Number(digits), 0);
}

/** Path of a file as the run's own list has it. */
function pathOf(name: string): string {
  return name.replace(/^\.\//, "");
}

/**
 * Reads what `deno test` prints. Not the report of `--junit-path`: that is cut off if the process is slow to write it, and
 * lacks errors outside of tests.
 *
 * @param output All that the run has printed
 * @returns `null` if the run did not get to its summary
 */
export function readTestReport(output: string): TestReport | null {
  const text = stripVTControlCharacters(output).replaceAll("\r\n", "\n");
  // the last one: tests may print the output of others
  const summary = [...text.matchAll(SUMMARY)].at(-1);
  if (summary === undefined) return null;
  const [, passed, failures, skipped] = summary;
  const errors = text.slice(0, summary.index).split("\n ERRORS \n").at(-1)!.split("\n FAILURES \n");
  const failed: FailedTest[] = errors.length < 2 ? [] : [...errors[0]!.matchAll(FAILURE)].map((
    [, name, file, uncaught, message = ""],
  ) => ({ file: pathOf(file ?? uncaught!), name: name ?? "an error outside of tests", message }));
  const tests = Number.parseInt(failures!);
  if (failed.length < tests) {
    failed.push({ file: "a file", name: "a test", message: `${tests} failed, and ${failed.length} were named` });
  }
  return { passed: sum(passed), skipped: sum(skipped), failed };
}
