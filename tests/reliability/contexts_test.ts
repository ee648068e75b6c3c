/** A short run of the asynchronous context fuzzer on every kind of server, and faults it must find. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { CONTEXT_SERVERS, ContextFuzzer } from "../../reliability/fuzz/contexts/context_fuzzer.ts";
import { type ContextStep, ContextTarget } from "../../reliability/fuzz/contexts/context_target.ts";
import { fuzz } from "../../reliability/fuzz/fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";

const SEED = 61;

let express: ContextTarget;

Deno.test.beforeAll(async () => {
  express = await ContextTarget.express();
});

Deno.test.afterAll(async () => {
  await express?.[Symbol.asyncDispose]();
});

/** The fuzzer's earlier findings. */
const FOUND_BEFORE: readonly ContextStep[] = [
  "json()",
  "urlencoded()",
  "text()",
  "a WebSocket",
  "a generator as the body",
]
  .map((way) => ({ way, kind: way === "a WebSocket" ? "none" : "slow", entry: "run" }));

/** Express serves all tests and outlives each one. */
const OUTLIVED = { sanitizeOps: false, sanitizeResources: false };

for (const target of CONTEXT_SERVERS) {
  const [runtime, server] = target;
  Deno.test(`every callback sees the context of its own request on ${runtime}, ${server}`, OUTLIVED, async () => {
    await using fuzzer = await ContextFuzzer.on(express, target);
    const before = FOUND_BEFORE.filter(({ way }) => way !== "a WebSocket" || server === "listen");
    assertEquals(await fuzzer.wrongs(before), []);
    const rounds = server === "listen" ? 4 : 1;
    const report = await fuzz(fuzzer, { seed: SEED, rounds, smallerMs: 2000 });
    assertEquals(report.findings, [], reported(report, "contexts"));
    assert(fuzzer.counts.own > report.steps, "a request has a callback at least, which Express excuses for few");
  });
}

for (const [fault, step] of [["lost", /kind: "gzip"/], ["foreign", /\}\n\{/]] as const) {
  Deno.test(
    `the fuzzer of contexts finds a context that is ${fault}, and the requests that show it`,
    OUTLIVED,
    async () => {
      await using fuzzer = await ContextFuzzer.on(express, ["Deno", "listen"], fault);
      const { findings } = await fuzz(fuzzer, { seed: SEED, rounds: 20, most: 3, smallerMs: 500 });
      // a request with one kind of entry that continues in a different kind's context has no entry
      const found = findings.find(({ kind }) => kind.startsWith(`${fault}: `));
      assertMatch(found?.reproduction ?? Deno.inspect(findings), step);
    },
  );
}
