/** Test runner output, recorded for the same few tests: one fails, one is skipped. */
import { assertEquals } from "@std/assert";
import { countTests, differences, namesAll, readTestResults } from "../../create/src/try/test_results.ts";

const read = (name: string) => Deno.readTextFile(new URL(`fixtures/${name}.txt`, import.meta.url));

const PASSED = { passed: 1, failed: 0 };
const FAILED = { passed: 0, failed: 1 };
const TWICE = { passed: 2, failed: 0 };

const EXPECTED: Readonly<Record<string, { total: unknown; outcomes: Record<string, unknown> }>> = {
  mocha: {
    total: { passed: 3, failed: 1 },
    outcomes: { "are listed": TWICE, "are made": FAILED, "are hidden": PASSED },
  },
  mocha_tap: {
    total: { passed: 3, failed: 1 },
    outcomes: {
      "users are listed": PASSED,
      "users are made": FAILED,
      "users of others are hidden": PASSED,
      "links are listed": PASSED,
    },
  },
  jest_one_file: {
    total: { passed: 2, failed: 2 },
    outcomes: {
      "t/jest.test.js": FAILED,
      "are listed": TWICE,
      "are made": FAILED,
      "are hidden": FAILED,
      "users › are made": FAILED,
      "users › of others › are hidden": FAILED,
    },
  },
  jest_files: {
    total: { passed: 4, failed: 4 },
    outcomes: {
      "t/jest.test.js": FAILED,
      "t/other.test.js": FAILED,
      "users › are made": FAILED,
      "users › of others › are hidden": FAILED,
    },
  },
  vitest: {
    total: { passed: 3, failed: 1 },
    outcomes: {
      "users > are listed": PASSED,
      "users > are made": FAILED,
      "users > of others > are hidden": PASSED,
      "links > are listed": PASSED,
    },
  },
  vitest_verbose: {
    total: { passed: 3, failed: 1 },
    outcomes: {
      "t/vitest.test.mjs > users > are listed": PASSED,
      "t/vitest.test.mjs > users > are made": FAILED,
      "t/vitest.test.mjs > users > of others > are hidden": PASSED,
      "t/vitest.test.mjs > links > are listed": PASSED,
    },
  },
  node_spec: {
    total: { passed: 3, failed: 1 },
    outcomes: {
      "are listed": TWICE,
      "are made": FAILED,
      "are hidden": PASSED,
      "of others": PASSED,
      "users": FAILED,
      "links": PASSED,
    },
  },
  node_tap: {
    total: { passed: 3, failed: 1 },
    outcomes: {
      "are listed": TWICE,
      "are made": FAILED,
      "are hidden": PASSED,
      "of others": PASSED,
      "users": FAILED,
      "links": PASSED,
    },
  },
  jasmine: { total: { passed: 1, failed: 1 }, outcomes: { "users are made": FAILED } },
  tap: {
    total: { passed: 2, failed: 3 },
    outcomes: {
      "ok": PASSED,
      "users are listed": PASSED,
      "no": FAILED,
      "users are made": FAILED,
      "tt/a.test.cjs": FAILED,
    },
  },
};

for (const [runner, { total, outcomes }] of Object.entries(EXPECTED)) {
  Deno.test(`the outcomes that ${runner} prints are read by name`, async () => {
    const output = await read(runner);
    const found = readTestResults(output);
    assertEquals(Object.fromEntries(found), outcomes);
    assertEquals(countTests(output, found), total);
    assertEquals(differences(found, readTestResults(output)), []);
  });
}

Deno.test("what AVA prints of a failed test begins with its name", async () => {
  const names = [...readTestResults(await read("ava")).keys()];
  assertEquals(names, ["users are listed", "users are made Test failed via `t.fail()`"]);
});

Deno.test("tests that fail, appear or are gone differ, by name", async () => {
  const before = readTestResults(await read("mocha"));
  const after = readTestResults(
    (await read("mocha")).replace("✔ are hidden (99ms)", "2) are hidden").replace("1) are made", ""),
  );
  assertEquals(differences(before, after), [
    { name: "are hidden", before: PASSED, after: FAILED },
    { name: "are made", before: FAILED, after: { passed: 0, failed: 0 } },
  ]);
});

Deno.test("the duration of a test, and how often Vitest retries it, are not part of its name", async () => {
  const found = readTestResults(await read("vitest_slow"));
  assertEquals([...found.keys()], ["is listed", "fails each time", "passes the third time", "is slow"]);
});

Deno.test("Vitest names some tests that passed, and only failed ones then differ", async () => {
  const output = await read("vitest_slow");
  const before = readTestResults(output);
  assertEquals(namesAll(before, countTests(output, before)), false);
  const faster = output.replace(/^.*is slow.*$/m, "").replace("✓ is listed", "× is listed");
  const after = readTestResults(faster);
  assertEquals(differences(before, after, false), [{ name: "is listed", before: PASSED, after: FAILED }]);
});

Deno.test("mocha names every test that passed", async () => {
  const output = await read("mocha");
  const found = readTestResults(output);
  assertEquals(namesAll(found, countTests(output, found)), true);
});
