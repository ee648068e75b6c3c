/** What limiters say about keys, whom they let wait, and what they count: short runs, and faults that the fuzzers must find. */
import { assert, assertEquals } from "@std/assert";
import { MemoryStore, type Verdict } from "../../advanced/mod.ts";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import { AccountFuzzer } from "../../reliability/fuzz/waits/account_fuzzer.ts";
import { RefusalFuzzer } from "../../reliability/fuzz/waits/refusal_fuzzer.ts";
import type { MakeStore } from "../../reliability/fuzz/waits/run_steps.ts";
import { WaitingFuzzer } from "../../reliability/fuzz/waits/waiting_fuzzer.ts";

const SEED = 40;

Deno.test("a peek says what a request gets, and a refusal when it ends, whoever decides", async () => {
  const report = await fuzz(new RefusalFuzzer(), { seed: SEED, rounds: 3000 });
  assertEquals(report.findings, [], reported(report, "waits"));
});

Deno.test("nobody waits while there are units, however late they came back", async () => {
  const report = await fuzz(new WaitingFuzzer(), { seed: SEED, rounds: 600 });
  assertEquals(report.findings, [], reported(report, "waits"));
});

Deno.test("what requests got is counted until they refund it, and nothing else is, however late the store replies", async () => {
  const report = await fuzz(new AccountFuzzer(), { seed: SEED, rounds: 1000 });
  assertEquals(report.findings, [], reported(report, "waits"));
});

/** A memory store that changes its verdicts. */
function changing(change: (verdict: Verdict, cost: number) => Verdict): MakeStore {
  return (clock) => {
    const store = new MemoryStore({ clock: clock.read });
    const decide = store.decide.bind(store);
    store.decide = (takes, times) => decide(takes, times).map((verdict, i) => change(verdict, takes[i]!.cost));
    return store;
  };
}

const LATER = changing((verdict) => verdict.denied ? { ...verdict, retryAfterMs: verdict.retryAfterMs + 1 } : verdict);
const MORE = changing((verdict, cost) => cost === 0 ? { ...verdict, remaining: verdict.remaining + 1 } : verdict);

for (
  const [kind, make] of [
    ["a refusal ends too early or too late", LATER],
    ["a peek says another remaining than consume", MORE],
  ] as const
) {
  Deno.test(`the fuzzer of refusals finds that ${kind}`, async () => {
    const report = await fuzz(new RefusalFuzzer(make), { seed: SEED, rounds: 300, smallerMs: 2000 });
    const finding = report.findings.find((one) => one.kind === kind);
    assert(finding !== undefined, reported(report, "waits"));
    assert(finding.reproduction.split("\n").length <= 4, finding.reproduction);
  });
}

Deno.test("the fuzzer of waiting callers finds a store that does not say that it took units back", async () => {
  const make: MakeStore = (clock) => {
    const store = new MemoryStore({ clock: clock.read });
    const give = store.give.bind(store);
    store.give = (...given) => give(...given) && false;
    return store;
  };
  const report = await fuzz(new WaitingFuzzer(make), { seed: SEED, rounds: 300, most: 1, smallerMs: 2000 });
  assertEquals(report.findings.map(({ kind }) => kind), ["a caller waits although there are units"]);
});

Deno.test("the fuzzer of accounts finds a store that loses what was given back", async () => {
  const make: MakeStore = (clock) => {
    const store = new MemoryStore({ clock: clock.read });
    store.give = () => true;
    return store;
  };
  const report = await fuzz(new AccountFuzzer(make), { seed: SEED, rounds: 300, most: 1, smallerMs: 2000 });
  assertEquals(report.findings.map(({ kind }) => kind), ["units are counted that no request got"]);
});
