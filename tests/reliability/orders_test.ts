/** A short run of the order fuzzer on every runtime, and faults it must find. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { OrderFuzzer, SUBJECTS } from "../../reliability/fuzz/orders/order_fuzzer.ts";
import type { WireRequest } from "../../reliability/fuzz/orders/random_request.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import { random } from "../support/random.ts";

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

/** Two requests of one type, the first without a body. */
const PAIR: readonly WireRequest[] = ["none" as const, "length" as const].map((framing) => ({
  method: framing === "none" ? "DELETE" : "POST",
  target: "/look",
  headers: [["Host", "localhost"], ["Content-Type", "application/json"]],
  body: framing === "none" ? "" : "{}",
  framing,
}));

Deno.test("the fuzzer of orders finds a verdict that is remembered by too little", async () => {
  const fuzzer = await OrderFuzzer.on(LISTENING_ON_NODE, { fault: "verdict" });
  const wrong = await fuzzer.check(PAIR);
  assertEquals(wrong?.kind, "a response to /look depends on other requests");
  assertMatch(wrong!.detail, /x-is: null[^]*x-is: json/);
});

Deno.test("the fuzzer of orders finds a variable that requests share which come at once", async () => {
  const fuzzer = await OrderFuzzer.on(LISTENING_ON_NODE, { fault: "current", requests: 40 });
  const changes = await fuzzer.changes(fuzzer.round(random(SEED)));
  assert(changes.some(({ detail }) => detail.includes("16 at once")));
});
