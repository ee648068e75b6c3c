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

/** What a run of `deno test` came to. */
export interface TestReport {
  readonly passed: number;
  readonly skipped: number;
  readonly failed: readonly FailedTest[];
}

const TEST_CASE = /<testcase name="([^"]*)" classname="([^"]*)"[^>]*>(.*?)<\/testcase>/gs;
const UNCAUGHT = /^(\S+) \(uncaught error\)\n(?:error: )?(.+)/gm;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", apos: "'", gt: ">", lt: "<", quot: '"' };

function decode(text: string): string {
  return text.replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}

function pathOf(name: string): string {
  return decode(name).replace(/^\.\//, "");
}

/**
 * Reads what `deno test` reports.
 *
 * @param xml The report of `--junit-path`
 * @param output What it printed: errors outside of tests, which end a file, stand in the output alone
 */
export function readTestReport(xml: string, output: string): TestReport {
  let passed = 0, skipped = 0;
  const failed: FailedTest[] = [];
  for (const [, name = "", file = "", outcome = ""] of xml.matchAll(TEST_CASE)) {
    const failure = /<(?:failure|error) message="([^"]*)"/.exec(outcome);
    if (failure) {
      failed.push({
        file: pathOf(file),
        name: decode(name),
        message: decode(failure[1] ?? "").split("\n", 1)[0] ?? "",
      });
    } else if (outcome.includes("<skipped/>")) skipped++;
    else passed++;
  }
  for (const [, file = "", message = ""] of stripVTControlCharacters(output).matchAll(UNCAUGHT)) {
    failed.push({ file: pathOf(file), name: "an error outside of tests", message });
  }
  return { passed, skipped, failed };
}
