import { assertEquals } from "@std/assert";
import { readTestReport } from "../../scripts/test_report.ts";

const REPORT = `running 4 tests from ./a_test.ts
good & <x> ... ok (849µs)
\u001b[1mbad "q"\u001b[0m ...
------- post-test output -------
ok | 7 passed | 0 failed (3s)
----- post-test output end -----

 ERRORS 

./b_test.ts (uncaught error)
error: (in promise) Error: x
throw new Error("x");

\u001b[1mbad "q" ... inner\u001b[0m => ./a_test.ts:3:82
\u001b[31merror\u001b[0m: Error: line one
line two
    at file:///a_test.ts:3:107

throws text => ./a_test.ts:5:6
error: "a string"

 FAILURES 

./b_test.ts (uncaught error)
bad "q" ... inner => ./a_test.ts:3:82
throws text => ./a_test.ts:5:6

\u001b[31mFAILED\u001b[0m | 30 passed (1 step) | 3 failed (2 steps) | 1 ignored (2 steps) (1m2s)

error: Test failed
`;

Deno.test("a report names the tests that failed, with their files, and errors outside of tests", () => {
  assertEquals(readTestReport(REPORT), {
    passed: 31,
    skipped: 3,
    failed: [
      { file: "b_test.ts", name: "an error outside of tests", message: "(in promise) Error: x" },
      { file: "a_test.ts", name: 'bad "q" ... inner', message: "Error: line one" },
      { file: "a_test.ts", name: "throws text", message: '"a string"' },
    ],
  });
});

Deno.test("a run in which everything passed names none", () => {
  assertEquals(readTestReport("ok | 295 passed (370 steps) | 0 failed (4m11s)\n"), {
    passed: 665,
    skipped: 0,
    failed: [],
  });
});

Deno.test("a failure that the run has not named is a failure all the same", () => {
  assertEquals(readTestReport("FAILED | 2 passed | 1 failed (3s)\n"), {
    passed: 2,
    skipped: 0,
    failed: [{ file: "a file", name: "a test", message: "1 failed, and 0 were named" }],
  });
});

Deno.test("a run without a summary has no report", () => {
  assertEquals(readTestReport('error: Module not found "file:///nope.ts".\n'), null);
});
