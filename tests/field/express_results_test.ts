/** The report on Express's own suite, and the pages with its results. */
import { assertEquals, assertMatch } from "@std/assert";
import { compare } from "./express_suite/compare.ts";
import { FAILING } from "./express_suite/failing.ts";
import { withExpressSuite } from "./express_suite/page.ts";
import recorded from "./express_suite/results.json" with { type: "json" };
import { MAJORS } from "./express_suite/suite.ts";
import type { Outcome } from "./support/suite.ts";

const THEIRS = results({ a: "passed", b: "passed", c: "passed", d: "failed" });
const LIST = [
  { kind: "reason", why: "a reason", tests: { 5: ["b", "of a method that this runtime lacks"] } },
  { kind: "elsewhere", why: "another", on: ["Bun"], tests: { 5: ["a"] } },
  { kind: "of another major", why: "a third", tests: { 4: ["c"] } },
] as const;

function results(outcomes: Record<string, Outcome>): Map<string, Outcome> {
  return new Map(Object.entries(outcomes));
}

function unexpected(outcomes: Record<string, Outcome>): readonly string[] {
  return compare(5, "Node", THEIRS, results(outcomes), "FAILED c\nError: details", LIST).unexpected;
}

Deno.test("a run of Express's suite in which the listed tests fail is as expected", () => {
  const ours = results({ a: "passed", b: "failed", c: "passed", d: "passed" });
  const judged = compare(5, "Node", THEIRS, ours, "", LIST);
  assertEquals(judged, { tests: 4, express: 3, sluice: 3, failing: { reason: 1 }, unexpected: [] });
});

Deno.test("a run of Express's suite reports an unlisted failure, a listed pass, and tests that run on one side", () => {
  const all = { a: "passed", b: "failed", c: "passed", d: "passed" } as const;
  assertEquals(unexpected({ ...all, c: "failed" }), ["fails: c\n    Error: details"]);
  assertEquals(unexpected({ ...all, b: "passed" }), ["passes now, and is listed in failing.ts: b"]);
  assertEquals(unexpected({ b: "failed", c: "passed", d: "passed" }), ["does not run: a"]);
  assertEquals(unexpected({ ...all, hook: "failed" }), ["runs on Sluice alone: hook"]);
});

Deno.test("every test of Express's suites is listed once", () => {
  for (const major of MAJORS) {
    const titles = FAILING.flatMap(({ tests }) => tests[major] ?? []);
    assertEquals(titles.length, new Set(titles).size);
  }
});

Deno.test("docs/ecosystem.md has the recorded results of Express's suite", async () => {
  const page = await text("docs/ecosystem.md");
  assertEquals(page, withExpressSuite(page, recorded), "write it with deno task test:express --record");
});

Deno.test("the README says how much of Express's suite passes on every runtime", async () => {
  const runs = Object.values(recorded).flatMap((one) => Object.values(one));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const share = Math.round(100 * sum(runs.map(({ sluice }) => sluice)) / sum(runs.map(({ tests }) => tests)));
  assertMatch(
    await text("README.md"),
    new RegExp(`\\b${share} % of Express's own tests pass\\s+on\\s+Node, Deno and Bun`),
  );
});

async function text(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
}
