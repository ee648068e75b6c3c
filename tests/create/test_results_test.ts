/** Test runner output, recorded for the same few tests: one fails, one is skipped. */
import { assertEquals } from "@std/assert";
import { countTests, differences, readTestResults } from "../../create/src/try/test_results.ts";

const read = (name: string) => Deno.readTextFile(new URL(`fixtures/${name}.txt`, import.meta.url));

const PASSED = { passed: 1, failed: 0 };
const FAILED = { passed: 0, failed: 1 };
const TWICE = { passed: 2, failed: 0 };

const EXPECTED: Readonly<Record<string, { total: number; outcomes: Record<string, unknown> }>> = {
  mocha: { total: 4, outcomes: { "are listed": TWICE, "are made": FAILED, "are hidden": PASSED } },
  mocha_tap: {
    total: 4,
    outcomes: {
      "users are listed": PASSED,
      "users are made": FAILED,
      "users of others are hidden": PASSED,
      "links are listed": PASSED,
    },
  },
  jest_one_file: {
    total: 5,
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
    total: 10,
    outcomes: {
      "t/jest.test.js": FAILED,
      "t/other.test.js": FAILED,
      "users › are made": FAILED,
      "users › of others › are hidden": FAILED,
    },
  },
  vitest: {
    total: 5,
    outcomes: {
      "users > are listed": PASSED,
      "users > are made": FAILED,
      "users > of others > are hidden": PASSED,
      "links > are listed": PASSED,
    },
  },
  vitest_verbose: {
    total: 5,
    outcomes: {
      "t/vitest.test.mjs > users > are listed": PASSED,
      "t/vitest.test.mjs > users > are made": FAILED,
      "t/vitest.test.mjs > users > of others > are hidden": PASSED,
      "t/vitest.test.mjs > links > are listed": PASSED,
    },
  },
  node_spec: {
    total: 5,
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
    total: 5,
    outcomes: {
      "are listed": TWICE,
      "are made": FAILED,
      "are hidden": PASSED,
      "of others": PASSED,
      "users": FAILED,
      "links": PASSED,
    },
  },
  jasmine: { total: 2, outcomes: { "users are made": FAILED } },
  tap: {
    total: 5,
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
