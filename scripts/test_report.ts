import { stripVTControlCharacters } from "node:util";

/** A test that failed. */
export interface FailedTest {
  /** Its file's path, relative to the run's folder. */
  readonly file: string;
  /** Its name, after the names of its parent tests. */
  readonly name: string;
  /** First line of its error. */
  readonly message: string;
}

/** The result of a `deno test` run; steps count as tests. */
export interface TestReport {
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly FailedTest[];
}

/** The summary line: tests and, in brackets, steps. */
const SUMMARY =
  /^(?:ok|FAILED) \| (\d+ passed.*) \| (\d+ failed.*?)(?: \| (\d+ ignored.*?))? \([\d.]+\w+(?: [\d.]+\w+)*\)$/gm;
/** A failure: its location and, on the next line, its error. */
const FAILURE = /^(?:(.+) => (\.\/\S+?)(?::\d+)+|(\S+) \(uncaught error\))\n(?:error: )?(.*)/gm;

function sum(text = ""): number {
  return [...text.matchAll(/\d+/g)].reduce((total, [digits]) => total + Number(digits), 0);
}

/** A file's path, as in the run's own list. */
function pathOf(name: string): string {
  return name.replace(/^\.\//, "");
}

/**
 * Parses `deno test` output. It does not use the `--junit-path` report, which is truncated if the process is slow to
 * write it, and lacks errors outside tests.
 *
 * @param output The run's whole output
 * @returns `null` if the run did not reach its summary
 */
export function readTestReport(output: string): TestReport | null {
  const text = stripVTControlCharacters(output).replaceAll("\r\n", "\n");
  // the last summary: tests may print output from other tests
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
