/** `create-sluice try`: runs an Express program's own tests on Sluice, in a copy. */
import process from "node:process";
import { UserError } from "../user_error.ts";
import { type ExpressProgram, expressProgram } from "./express_program.ts";
import { ALIAS, type Copies, copyProgram } from "./program_copies.ts";
import { type Cost, requestCost } from "./request_cost.ts";
import { lastLines, runCommand, TOO_LATE } from "./run_command.ts";
import { sourceFindings } from "./source_findings.ts";
import { countTests, differences, namesAll, type Outcome, readTestResults } from "./test_results.ts";
import { readTryArguments, TRY_HELP, type TryArguments } from "./try_arguments.ts";
import { differs, reportText, type TestReport, type TryReport } from "./try_report.ts";

/** Exit code if there was nothing to compare. */
const NOTHING_COMPARED = 2;

/** Number of rounds for measuring the cost of a request, alternating between the two programs. */
const COST_ROUNDS = 3;

/**
 * Tries Sluice on the program in the working directory.
 *
 * @param args The arguments after `try`
 * @returns The exit code: 0 if nothing differs, 1 if something does, 2 if there was nothing to compare
 */
export async function tryProgram(args: readonly string[]): Promise<number> {
  try {
    const chosen = readTryArguments(args);
    if (chosen.help) {
      process.stdout.write(TRY_HELP);
      return 0;
    }
    const report = await trial(await expressProgram(process.cwd()), chosen);
    process.stdout.write(chosen.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
    return differs(report) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return NOTHING_COMPARED;
  }
}

async function trial(program: ExpressProgram, chosen: TryArguments): Promise<TryReport> {
  const command = chosen.test ?? (program.testScript === undefined ? undefined : "npm test");
  if (command === undefined && chosen.start === undefined) {
    throw new UserError(
      "package.json has no script `test`: give the command with --test, or --start to compare the cost of a request",
    );
  }
  const copies = await step("Copying the program", () => copyProgram(program));
  try {
    const tests = command === undefined ? null : await compareTests(command, copies, chosen.minutes * 60_000);
    const findings = await sourceFindings(program.folder);
    const cost = chosen.start === undefined ? null : await compareCost({ ...chosen, start: chosen.start }, copies);
    return { express: program.express.version, sluice: `${ALIAS} ${copies.version}`, tests, findings, cost };
  } finally {
    await copies.remove();
  }
}

async function compareTests(command: string, { express, sluice }: Copies, limitMs: number): Promise<TestReport> {
  const run = (what: string, folder: string) =>
    step(`${command} on ${what}`, async () => {
      const ended = await runCommand(command, { folder, limitMs });
      if (ended.code === TOO_LATE) {
        throw new UserError(`"${command}" took more than ${limitMs / 60_000} minutes; --minutes allows more`);
      }
      const outcomes = readTestResults(ended.output);
      return { ...ended, outcomes, total: countTests(ended.output, outcomes) };
    });
  const first = await run("Express, the first time", express);
  if (first.code !== 0 && first.outcomes.size === 0) {
    throw new UserError(`"${command}" ends with ${first.code} on Express itself:\n${lastLines(first.output)}`);
  }
  const second = await run("Express, once more", express);
  const other = await run("Sluice", sluice);
  // a test that depends on time or on the network may fail in any run, not only on Express
  const again = isAlike(first, other) ? other : await run("Sluice, once more", sluice);
  const areAllNamed = [first, second, other, again].every(isNamed);
  const between = (one: TestRun, another: TestRun) => differences(one.outcomes, another.outcomes, areAllNamed);
  const flaky = new Set([...between(first, second), ...between(other, again)].map(({ name }) => name));
  const differing = between(first, other).filter(({ name }) => !flaky.has(name));
  const areSteady = isSame(first.total, second.total) && isSame(other.total, again.total);
  // what no name shows, such as a file with tests that was not found
  if (differing.length === 0 && areSteady && !isSame(first.total, other.total)) {
    differing.push({ name: "all tests", before: first.total, after: other.total });
  }
  return {
    command,
    total: first.total.passed + first.total.failed,
    failing: first.total.failed,
    exitCodes: { express: first.code, sluice: again.code },
    areAllNamed,
    flaky: [...flaky].sort(),
    differences: differing,
  };
}

/** One run of the tests. */
interface TestRun {
  readonly code: number;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly total: Outcome;
}

function isAlike(one: TestRun, other: TestRun): boolean {
  const areAllNamed = isNamed(one) && isNamed(other);
  return isSame(one.total, other.total) && (one.code === 0) === (other.code === 0) &&
    differences(one.outcomes, other.outcomes, areAllNamed).length === 0;
}

function isNamed({ outcomes, total }: TestRun): boolean {
  return namesAll(outcomes, total);
}

function isSame(one: Outcome, other: Outcome): boolean {
  return one.passed === other.passed && one.failed === other.failed;
}

async function compareCost(
  options: TryArguments & { readonly start: string },
  { express, sluice }: Copies,
): Promise<NonNullable<TryReport["cost"]>> {
  const rounds: { express: Cost; sluice: Cost }[] = [];
  for (let round = 1; round <= COST_ROUNDS; round++) {
    const measure = (what: string, folder: string) =>
      step(`${options.start} on ${what}, ${round} of ${COST_ROUNDS}`, () => requestCost(folder, options));
    rounds.push({ express: await measure("Express", express), sluice: await measure("Sluice", sluice) });
  }
  return {
    url: options.url,
    express: middle(rounds.map(({ express }) => express)),
    sluice: middle(rounds.map(({ sluice }) => sluice)),
  };
}

function middle(costs: Cost[]): Cost {
  return costs.sort((a, b) => a.processorUs - b.processorUs)[costs.length >> 1]!;
}

// on stderr, so that the report can be piped
async function step<T>(what: string, run: () => Promise<T>): Promise<T> {
  process.stderr.write(`${what} …`);
  const began = performance.now();
  try {
    return await run();
  } finally {
    process.stderr.write(` ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
  }
}
