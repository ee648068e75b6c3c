/**
 * Runs every test in this repository; its last line is `N passed, N failed`.
 *
 * `--only=tests/http,tests/app` runs some of them with the same settings.
 */
import { cpus } from "node:os";
import { SUITES } from "../tests/field/express_suite/suite.ts";
import { isAtHand } from "../tests/field/support/checkout.ts";
import { findChromium } from "./chromium.ts";
import { startTestMemcached } from "./memcached.ts";
import { startTestPostgres } from "./postgres.ts";
import { run, TOO_LATE } from "./process.ts";
import { startRedis } from "./redis.ts";
import { installRuntimes } from "./runtimes.ts";
import { stdFlags } from "./std.ts";
import { type FailedTest, readTestReport } from "./test_report.ts";
import { installWrk } from "./wrk.ts";

const total = { passed: 0, skipped: 0 };
const only = Deno.args.find((arg) => arg.startsWith("--only="))?.slice("--only=".length).split(",");
const inCi = Deno.env.get("CI") === "true";
const env: Record<string, string> = { NODE_ENV: "test" };

/** Time limit for a part, in ms. */
const LIMIT_MS = 60 * 60_000;

/** The part not listed below. Its output is shown while it runs. */
const REST = "tests";

/** Fetched from GitHub, which some machines cannot reach. */
const EXPRESS_SUITE = "tests/field/express_suite_test.ts";

/**
 * Parts that run in parallel with the rest, by name: tests that start other programs, and wait for them. With two
 * processors, three parts are fastest, and these take about as long as the rest. A file belongs to the first part that
 * lists it or its folder.
 */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  contract: [
    ...["tests/create/", "tests/examples/", "tests/npm/"],
    "tests/runtime/contract_test.ts",
  ],
  runtimes: [
    EXPRESS_SUITE,
    ...["tests/databases/", "tests/reliability/", "tests/runtime/", "tests/workers/"],
    ...["advanced/tests/contract/", "advanced/tests/departed/", "advanced/tests/differential/"],
    ...["advanced/tests/postgres/", "tests/browser/"],
    ...["tests/performance/benchmarks_test.ts", "tests/site/typed_test.ts"],
  ],
};

function isBelow(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => file.startsWith(path));
}

/** Returns the part that runs a file. */
function partOf(file: string): string {
  return Object.entries(BESIDE).find(([, paths]) => isBelow(file, paths))?.[0] ?? REST;
}

/** Lists the files in a folder that `deno test` would run. */
async function testsBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) found.push(...await testsBelow(`${folder}${name}/`));
    else if (/(?:^|[._])test\.(?:[mc]?[jt]s|[jt]sx)$/.test(name)) found.push(folder + name);
  }
  return found.sort();
}

/** Tests that failed, in every part. */
const failures: FailedTest[] = [];

/** CI requirements that this machine lacks. */
const missed: FailedTest[] = [];

/** How long each part took. */
const times: string[] = [];

/** Lines printed when the run ends, where they are noticed. */
const notes: string[] = [];

/**
 * Runs one part under `deno test` and adds its counts to the total.
 *
 * @param name Its name
 * @param args Flags and paths
 * @param quiet Whether to buffer its output until it exits, because a different part prints while it runs
 */
async function part(name: string, args: string[], quiet = false): Promise<void> {
  const began = performance.now();
  const { code, output } = await run(Deno.execPath(), ["test", "-A", "--unstable-kv", ...args], {
    limitMs: LIMIT_MS,
    quiet,
    env,
  });
  times.push(`${name} ${Math.round((performance.now() - began) / 1000)} s`);
  if (quiet) console.log(output);
  const { passed, skipped, failed } = readTestReport(output) ?? { passed: 0, skipped: 0, failed: [] };
  failures.push(...failed);
  if (failed.length === 0 && (code !== 0 || passed + skipped === 0)) {
    const message = code === TOO_LATE ? `ended after ${LIMIT_MS / 60_000} minutes` : `exit code ${code}`;
    failures.push({ file: name, name: "the whole part", message });
  }
  total.skipped += skipped;
  total.passed += passed;
}

/** More failing files than this are a bug, not a slow machine. */
const MOST_RUN_AGAIN = 3;

/**
 * Reruns the failing files alone. Three parts share two processors, so a test that waits for a real clock may time out.
 * A test that passes alone is listed at the end of the run: it must also be fixed.
 */
async function runAgainAlone(flags: readonly string[]): Promise<void> {
  const first = failures.splice(0);
  const files = [...new Set(first.map(({ file }) => file))];
  const known = first.every(({ file }) => file.endsWith("_test.ts"));
  if (first.length === 0 || files.length > MOST_RUN_AGAIN || !known) {
    failures.push(...first);
    return;
  }
  const { passed, skipped } = total;
  await part("again", [...flags, ...files]);
  Object.assign(total, { passed: passed + Math.max(0, first.length - failures.length), skipped });
  for (const { file, name, message } of first) {
    if (!failures.some((again) => again.file === file && again.name === name)) {
      notes.push(`PASSED ALONE, failed beside other tests: ${file}: ${name}: ${message}`);
    }
  }
}

/** Starts measuring the processors' idle share of the time, which the returned function returns. */
function idleShare(): () => number {
  const sums = () => {
    const all = cpus().map(({ times }) => times);
    const idle = all.reduce((sum, times) => sum + times.idle, 0);
    return {
      idle,
      total: all.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
    };
  };
  const before = sums();
  return () => {
    const now = sums();
    return (now.idle - before.idle) / Math.max(1, now.total - before.total);
  };
}

/** Reports a test's missing requirement: a failure in CI, a counted skip elsewhere. */
function missing(what: string, why: string): void {
  console.log(`${inCi ? "MISSING" : "SKIPPED"}: no ${what} (${why})`);
  if (inCi) missed.push({ file: what, name: "missing", message: why });
  else total.skipped++;
}

const idle = idleShare();
const { real, flags } = await stdFlags();
if (real) console.log("The standard library comes from JSR");
else {
  console.log("JSR is unreachable: tests use tests/support/std_assert.ts, and tests/jsr/ is skipped");
  total.skipped++;
}

const express = (await Promise.all(Object.values(SUITES).map(isAtHand))).every(Boolean);
if (!express) {
  console.log(
    "SKIPPED: Express's own suite (neither checked out nor in FIELD_REPOS: deno task test:express fetches it)",
  );
  total.skipped++;
}

const redis = await startRedis();
if (typeof redis === "string") missing("Redis", redis);
else env["REDIS_URL"] = redis.url;

const postgres = await startTestPostgres();
if (typeof postgres === "string") missing("PostgreSQL", postgres);
else env["POSTGRES_URL"] = postgres.url;

const memcached = await startTestMemcached();
if (typeof memcached === "string") missing("Memcached", memcached);
else env["MEMCACHED_ADDRESS"] = memcached.address;

const chromium = await findChromium();
if (chromium === undefined) missing("Chromium", "not installed, and apt-get could not install it");
else env["CHROMIUM_PATH"] = chromium;

if (!await installWrk()) missing("wrk", "not installed, and apt-get could not install it");

// the first `deno bundle` on a machine downloads its bundler, and two at once would conflict
const bundling = ["bundle", "--quiet", "--no-lock", "-o", ".cache/first_bundle.js", "src/util/is_thenable.ts"];
const bundled = await run(Deno.execPath(), bundling, { limitMs: 60_000, quiet: true });
if (bundled.code !== 0) missing("deno bundle", bundled.output);

// without Node, Deno runs itself under that name
const node = /^v\d/.test((await run("node", ["--version"], { limitMs: 5000, quiet: true })).output);
if (!node) missing("Node", "npm's middleware is compared with Express on it");

// only some folders need them; other parts do not wait for them
const needing = [
  "advanced/tests/departed",
  "advanced/tests/frameworks",
  "advanced/tests/stores",
  "middleware/tests",
  "tests/create",
  "tests/databases",
  "tests/field",
  "tests/npm",
  "tests/performance",
  "tests/reliability",
  "tests/runtime",
  "tests/security",
  "tests/site",
  "tests/workers",
  "tests/views",
  "tests/examples",
  "tests/ecosystem",
];
if (only === undefined || only.some((path) => needing.some((one) => path.startsWith(one) || one.startsWith(path)))) {
  const runtimes = await installRuntimes();
  if (typeof runtimes === "string") missing("Bun, workerd or edge-runtime", runtimes);
  else env["SLUICE_RUNTIMES"] = runtimes.folder;
}

// types are not checked here: `deno task ok` also checks the tests' types
const unchecked = [...flags, "--no-check"];
try {
  if (only !== undefined) await part("only", [...unchecked, ...only]);
  else {
    const ignored = [
      ...(real ? [] : ["tests/jsr/"]),
      ...(express ? [] : [EXPRESS_SUITE]),
      ...(typeof redis === "string" ? ["tests/redis/", "advanced/tests/redis/", "middleware/tests/redis/"] : []),
      ...(typeof postgres === "string" ? ["advanced/tests/postgres/"] : []),
      ...(typeof redis === "string" || typeof postgres === "string" ? ["tests/databases/"] : []),
      ...(typeof memcached === "string" ? ["tests/examples/memcached_test.ts"] : []),
      ...(chromium === undefined ? ["tests/browser/"] : []),
      ...(typeof redis === "string" || !node
        ? ["tests/create/", "tests/ecosystem/", "tests/npm/", "tests/site/typed_test.ts"]
        : []),
    ];
    // Deno's own --ignore only applies to the first of several paths
    const all = [
      ...await testsBelow("tests/"),
      ...(await Promise.all(["advanced/", "middleware/", "openapi/"].map(testsBelow))).flat(),
    ];
    const files = Map.groupBy(all.filter((file) => !isBelow(file, ignored)), partOf);
    await Promise.all(Array.from(files, ([name, some]) => part(name, [...unchecked, ...some], name !== REST)));
    await runAgainAlone(unchecked);
    await part("docs", [
      ...flags,
      "--doc",
      "mod.ts",
      "src/",
      "limiting/",
      "shared/",
      "advanced/*.ts",
      "advanced/src/",
      "middleware/*.ts",
      "middleware/src/",
      "openapi/*.ts",
      "openapi/src/",
    ]);
  }
} finally {
  if (typeof redis !== "string") await redis.stop();
  if (typeof postgres !== "string") await postgres.stop();
  if (typeof memcached !== "string") await memcached.stop();
}

const failed = [...missed, ...failures];
// some messages contain a whole page
for (const { file, name, message } of failed) console.log(`FAILED: ${file}: ${name}: ${message}`.slice(0, 500));
for (const note of notes) console.log(note);
// whether more parallel parts could shorten the run
console.log(`Parts: ${times.join(", ")}; processors idle for ${Math.round(100 * idle())} % of the time`);
if (total.skipped > 0) console.log(`${total.skipped} skipped`);
console.log(`${total.passed} passed, ${failed.length} failed`);
Deno.exit(failed.length > 0 ? 1 : 0);
