/** A short run of the fuzzer of orders on every runtime, and faults that it has to find. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { OrderFuzzer, SUBJECTS } from "../../reliability/fuzz/orders/order_fuzzer.ts";
import type { WireRequest } from "../../reliability/fuzz/orders/random_request.ts";
import { reported } from "../../reliability/fuzz/reported.ts";

const SEED = 61;
const LISTENING_ON_NODE = SUBJECTS[0]!;

for (const subject of SUBJECTS) {
  const { runtime, servedBy } = subject;
  Deno.test(`no response of ${servedBy} on ${runtime} depends on the requests before it or beside it`, async () => {
    const fuzzer = await OrderFuzzer.on(subject, { requests: 100 });
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 1, smallerMs: 5000 });
    assertEquals(report.findings, [], reported(report, "orders"));
  });
}

/** Two requests of one type, of which the first has no body. */
const PAIR: readonly WireRequest[] = ["none" as const, "length" as const].map((framing) => ({
  method: framing === "none" ? "DELETE" : "POST",
  target: "/look",
  headers: [["Host", "localhost"], ["Content-Type", "application/json"]],
  body: framing === "none" ? "" : "{}",
  framing,
}));

Deno.test("the fuzzer of orders finds a verdict that is remembered by too little, in random requests and in a pair", async () => {
  const fuzzer = await OrderFuzzer.on(LISTENING_ON_NODE, { fault: "verdict", requests: 60 });
  const { findings } = await fuzz(fuzzer, { seed: SEED, rounds: 1, most: 1, smallerMs: 0 });
  assertEquals(findings.length, 1);
  assertMatch(findings[0]!.kind, /^a response to \/\S+ depends on other requests$/);
  const wrong = await fuzzer.check(PAIR);
  assertMatch(wrong?.detail ?? "", /x-is: null[^]*x-is: json/);
});

Deno.test("the fuzzer of orders finds a variable that requests share which come at once", async () => {
  const fuzzer = await OrderFuzzer.on(LISTENING_ON_NODE, { fault: "current", requests: 60 });
  const { findings } = await fuzz(fuzzer, { seed: SEED, rounds: 1, most: 1, smallerMs: 0 });
  assertEquals(findings.length, 1);
  assertStringIncludes(findings[0]!.detail, "16 at once");
});
