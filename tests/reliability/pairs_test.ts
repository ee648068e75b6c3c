/** A short run of the pairs fuzzer, and faults it must find. */
import { assertEquals } from "@std/assert";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { PairsFuzzer } from "../../reliability/fuzz/pairs/pairs_fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import { RUNTIMES } from "../../reliability/support/children.ts";
import { random } from "../support/random.ts";

/** With this seed, a session that waits for its store meets brotli, where responses once never ended on Deno. */
const SEED = 10;

for (const runtime of RUNTIMES) {
  Deno.test(`on ${runtime}, every response behind two middlewares is what it is behind each of them`, async () => {
    await using fuzzer = await PairsFuzzer.on(runtime, { steps: 16 });
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 1 });
    assertEquals(report.findings, [], reported(report, "pairs"));
  });
}

Deno.test("a long round of the fuzzer of pairs has every pair", async () => {
  await using fuzzer = await PairsFuzzer.on("Deno");
  const pairs = fuzzer.round(random(SEED)).map(({ pair }) => [...pair].sort().join(" "));
  const names = new Set(pairs.flatMap((pair) => pair.split(" ")));
  assertEquals(new Set(pairs).size, names.size * (names.size - 1) / 2);
});

for (
  const [fault, kind] of Object.entries({
    "swallows drain": "the response does not end",
    "finishes twice": "finish does not come once",
  })
) {
  Deno.test(`the fuzzer of pairs finds middleware that ${fault}`, async () => {
    await using fuzzer = await PairsFuzzer.on("Deno", { steps: 8, fault, patienceMs: 1500 });
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 20, most: 1, smallerMs: 500 });
    assertEquals(report.findings.map((finding) => finding.kind), [kind]);
  });
}
