/** Applications that listen, serve and close in any order: every closing keeps its promises. */
import { assertEquals } from "@std/assert";
import { ClosingFuzzer } from "../../reliability/fuzz/closings/closing_fuzzer.ts";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import { RUNTIMES } from "../../reliability/support/children.ts";

const SEED = 40;

for (const runtime of RUNTIMES) {
  Deno.test(`however an application listens and closes on ${runtime}, its requests end as documented, and nothing is left`, async () => {
    const report = await fuzz(await ClosingFuzzer.on(runtime), { seed: SEED, rounds: 2 });
    assertEquals(report.findings, [], reported(report, "closings"));
    assertEquals(report.steps, 24);
  });
}

for (
  const [fault, kind] of Object.entries({
    cuts: "a request in progress is cut: slow",
    repeats: '"close" is not emitted once',
    rejects: "the program fails",
  })
) {
  Deno.test(`the fuzzer of closings finds an application that ${fault}`, async () => {
    const report = await fuzz(await ClosingFuzzer.on("Deno", fault), {
      seed: SEED,
      rounds: 4,
      most: 1,
      smallerMs: 500,
    });
    assertEquals(report.findings.map((finding) => finding.kind), [kind]);
  });
}
