/** Requests that end in every way: afterwards every counter is 0, and no counter is 0 before its handler ends. */
import { assertEquals } from "@std/assert";
import { EndingFuzzer, type Framework } from "../../reliability/fuzz/endings/ending_fuzzer.ts";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import { type RuntimeName, RUNTIMES } from "../../reliability/support/children.ts";

const SEED = 40;

const SUBJECTS = (["Sluice", "Express"] as const).flatMap((framework) =>
  RUNTIMES.map((runtime): [Framework, RuntimeName] => [framework, runtime])
);

for (const [framework, runtime] of SUBJECTS) {
  Deno.test(`however a request ends in ${framework} on ${runtime}, every counter notices, and none too early`, async () => {
    await using fuzzer = await EndingFuzzer.on(framework, runtime);
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 8 });
    assertEquals(report.findings, [], reported(report, "endings"));
    assertEquals(report.steps, 64);
    if (framework === "Sluice") assertEquals(await fuzzer.close(), true, "a request or a socket keeps it open");
  });
}

for (
  const [fault, kind] of Object.entries({
    forgets: "planted does not return to 0",
    hurries: "planted is freed while the handler works",
  })
) {
  Deno.test(`the fuzzer of endings finds a counter that ${fault}, with one connection`, async () => {
    await using fuzzer = await EndingFuzzer.on("Sluice", "Deno", { fault, patienceMs: 500 });
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 20, most: 1, smallerMs: 4000 });
    assertEquals(report.findings.map((finding) => finding.kind), [kind]);
  });
}

Deno.test("a request that reaches the counters late does not count in the next round", async () => {
  await using fuzzer = await EndingFuzzer.on("Sluice", "Deno", { patienceMs: 2000, slowMs: 200 });
  const late = { moment: "before", slow: true, gate: false, twice: false, half: false, body: "none" } as const;
  assertEquals(await fuzzer.check([{ ...late, way: "never" }]), undefined);
  assertEquals(await fuzzer.check([{ ...late, way: "send", moment: "stays" }]), undefined);
});
