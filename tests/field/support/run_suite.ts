/** Runs a suite on a framework. */
import { globSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { run, TOO_LATE } from "../../../scripts/process.ts";
import { tool } from "../../npm/support/tools.ts";
import { folderOf, type Framework } from "./frameworks.ts";
import { FIELD } from "./folder.ts";
import { needsOf } from "./needs.ts";
import { replaceExpress } from "./replace_express.ts";
import type { Outcome, Results, Runner, Suite, Written } from "./suite.ts";

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Each runner's command, without the tests; it writes the results to a file. */
const COMMANDS: Readonly<Record<Runner, (results: string) => string[]>> = {
  jasmine: () => ["node_modules/.bin/jasmine", `--reporter=${beside("jasmine_reporter.cjs")}`],
  jest: (results) => [
    "node_modules/.bin/jest",
    "--json",
    `--outputFile=${results}`,
    "--runInBand",
    "--coverage=false",
    // a failed test may have left a timer
    "--forceExit",
  ],
  mocha: () => ["node_modules/.bin/mocha", "--exit", "--reporter", beside("mocha_reporter.cjs")],
  node: (results) => [
    "node",
    "--test",
    "--test-concurrency=1",
    `--test-reporter=${beside("node_reporter.mjs")}`,
    `--test-reporter-destination=${results}`,
  ],
  vitest: (results) => [
    "node_modules/.bin/vitest",
    "run",
    "--reporter=json",
    `--outputFile=${results}`,
    "--no-file-parallelism",
    "--coverage.enabled=false",
  ],
};

/** Options that make a runner record each test as skipped or passed without running it. */
const COUNTING: Readonly<Record<Runner, string>> = {
  jasmine: "--filter=(?!)",
  jest: "--testNamePattern=(?!)",
  mocha: "--dry-run",
  node: "--test-name-pattern=(?!)",
  vitest: "--testNamePattern=(?!)",
};

/** The tests' output, kept for debugging failures. */
const LOGS = new URL("logs/", FIELD);

/**
 * Runs a suite's tests.
 *
 * @param suite The suite
 * @param folder Its checkout, with a trailing slash
 * @param framework The framework that replaces `express`
 * @returns Each test's result
 * @throws {Error} If the program did not finish
 */
export async function runSuite(suite: Suite, folder: string, framework: Framework | "its own"): Promise<Results> {
  const found = byTitle(await writtenBy(suite, folder, framework, suite.tests));
  if (found.size === 0) throw new Error(`${suite.name} on ${framework} ran no test; see ${fileURLToPath(LOGS)}`);
  return found;
}

/**
 * Counts a suite's tests, whether they run or not.
 *
 * @param suite The suite
 * @param folder Its checkout, with a trailing slash
 * @param all Arguments that run all of its tests
 */
export async function countTests(suite: Suite, folder: string, all: readonly string[]): Promise<number> {
  return (await writtenBy(suite, folder, "its own", [COUNTING[suite.runner], ...all])).length;
}

async function writtenBy(
  suite: Suite,
  folder: string,
  framework: Framework | "its own",
  tests: readonly string[],
): Promise<readonly Written[]> {
  const measure = suite.express ?? "express-5";
  await replaceExpress(folder, framework);
  await using needs = await needsOf(suite);
  const { env } = needs;
  const cwd = folder + (suite.folder ?? "");
  await prepare(suite, cwd);
  await Deno.mkdir(LOGS, { recursive: true });
  const log = fileURLToPath(new URL(`${suite.name.replaceAll(/\W+/g, "_")}-${framework.replace(" ", "_")}`, LOGS));
  const results = `${log}.json`;
  await Deno.remove(results).catch(() => undefined);
  const paths = suite.runner === "node" ? tests.flatMap((one) => pathsOf(one, cwd)) : tests;
  const [program, ...args] = [...COMMANDS[suite.runner](results), ...paths];
  const wrapping = suite.wraps ? [`--require=${beside("wrapping.cjs")}`] : [];
  const { code, output } = await run(await pathOf(program!, [cwd, folder]), args, {
    limitMs: LIMIT_MS,
    quiet: true,
    cwd,
    env: {
      NODE_ENV: "test",
      CI: "true",
      // the framework's types are tested elsewhere
      TS_NODE_TRANSPILE_ONLY: "true",
      ...env,
      ...await installerOf(suite),
      FIELD_RESULTS: results,
      FIELD_FRAMEWORK: folderOf(framework === "its own" ? measure : framework, measure),
      NODE_OPTIONS: [env["NODE_OPTIONS"] ?? "", ...wrapping].join(" ").trim(),
    },
  });
  await Deno.writeTextFile(`${log}.log`, output);
  if (code === TOO_LATE) throw new Error(`${suite.name} on ${framework} took more than ${LIMIT_MS / 60_000} minutes`);
  const text = await Deno.readTextFile(results).catch(() => "");
  if (text === "") throw new Error(`${suite.name} on ${framework} wrote no results:\n${output.slice(-4000)}`);
  return pairs(suite.runner, JSON.parse(text));
}

// Node's own runner supports patterns only in Node 22 or later
function pathsOf(argument: string, cwd: string): string[] {
  return argument.includes("*") ? globSync(argument, { cwd }).sort() : [argument];
}

// for programs that find their plugins through their installer
async function installerOf({ installer }: Suite): Promise<Record<string, string>> {
  if (installer === undefined) return {};
  return { PATH: `${dirname(await tool(installer))}${delimiter}${Deno.env.get("PATH")}` };
}

// in a workspace, a package's programs may be installed above it
async function pathOf(program: string, folders: readonly string[]): Promise<string> {
  if (!program.includes("/")) return program;
  for (const folder of folders) {
    if (await Deno.stat(folder + program).then(() => true, () => false)) return folder + program;
  }
  throw new Error(`${folders[0]} has no ${program}`);
}

async function prepare({ prepare, name }: Suite, cwd: string): Promise<void> {
  if (prepare === undefined) return;
  const { code, output } = await run(prepare[0], prepare.slice(1), { limitMs: 60_000, quiet: true, cwd });
  if (code !== 0) throw new Error(`${name}, ${prepare.join(" ")}: ${output}`);
}

const LIMIT_MS = 2_400_000;

/**
 * The reference for a suite: its results on the Express it installs, recorded once per checkout.
 *
 * @param suite The suite
 * @param folder Its checkout, with a trailing slash
 */
export async function measureOf(suite: Suite, folder: string): Promise<Results> {
  const kept = `${folder}.git/measure.json`;
  const key = JSON.stringify(suite);
  const earlier: { key: string; results: [string, Outcome][] } = JSON.parse(
    await Deno.readTextFile(kept).catch(() => "{}"),
  );
  if (earlier.key === key) return new Map(earlier.results);
  const results = await runSuite(suite, folder, "its own");
  await Deno.writeTextFile(kept, JSON.stringify({ key, results: [...results] }));
  return results;
}

/** Jest and Vitest output. */
interface JestResults {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

function pairs(runner: Runner, written: unknown): readonly Written[] {
  if (runner !== "jest" && runner !== "vitest") return written as Written[];
  const all = (written as JestResults).testResults.flatMap(({ assertionResults }) => assertionResults);
  return all.map(({ fullName, status }) => [fullName, isOutcome(status) ? status : "skipped"]);
}

function isOutcome(status: string): status is Outcome {
  return status === "passed" || status === "failed";
}

/**
 * Results by title. Tests with equal titles are numbered.
 *
 * @param pairs Each test's full title and result
 */
export function byTitle(pairs: readonly Written[]): Results {
  const results = new Map<string, Outcome>();
  for (const [given, outcome] of pairs) {
    if (outcome === "skipped") continue;
    const title = given.trim().replaceAll(/\s+/g, " ");
    let name = title;
    for (let number = 2; results.has(name); number++) name = `${title} (${number})`;
    results.set(name, outcome);
  }
  return results;
}
