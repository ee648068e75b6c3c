import { assertEquals } from "@std/assert";
import { readTestReport } from "../../scripts/test_report.ts";

const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="4" failures="2" errors="0" time="0.077">
    <testsuite name="./a_test.ts" tests="4" disabled="1" errors="0" failures="2">
        <testcase name="good &amp; &lt;x&gt;" classname="./a_test.ts" time="0.000" line="1" col="6">
        </testcase>
        <testcase name="left out" classname="./a_test.ts" time="0.000" line="2" col="6">
            <skipped/>
        </testcase>
        <testcase name="bad &quot;q&quot;" classname="./a_test.ts" time="0.002" line="3" col="6">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="bad &quot;q&quot; &gt; inner" classname="./a_test.ts" time="0.001" line="3" col="47">
            <failure message="Uncaught Error: &quot;x&quot;
    at a_test.ts">Error: &lt;/testcase&gt;</failure>
        </testcase>
    </testsuite>
</testsuites>`;

Deno.test("a report of deno test names the tests that failed, with their files", () => {
  assertEquals(readTestReport(REPORT, ""), {
    passed: 1,
    skipped: 1,
    failed: [
      { file: "a_test.ts", name: 'bad "q"', message: "1 test step failed" },
      { file: "a_test.ts", name: 'bad "q" > inner', message: 'Uncaught Error: "x"' },
    ],
  });
});

Deno.test("a report without tests names none", () => {
  assertEquals(readTestReport('<testsuites name="deno test" tests="0"></testsuites>', ""), {
    passed: 0,
    skipped: 0,
    failed: [],
  });
});

Deno.test("an error outside of tests fails the file it came from", () => {
  const output = "Uncaught error from ./b_test.ts \u001b[31mFAILED\u001b[0m\n\n ERRORS \n\n" +
    "\u001b[1m./b_test.ts\u001b[0m (uncaught error)\n\u001b[0m\u001b[1merror\u001b[0m: (in promise) Error: x\n" +
    "    at file:///b_test.ts:2:7\n\n FAILURES \n\n./b_test.ts (uncaught error)\n\nFAILED | 1 passed | 1 failed";
  assertEquals(readTestReport(REPORT, output).failed.slice(2), [
    { file: "b_test.ts", name: "an error outside of tests", message: "(in promise) Error: x" },
  ]);
});
