/** A short run of each fuzzer, and faults each must find. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import sluice from "@sluice/sluice";
import { MemoryStore } from "../../advanced/mod.ts";
import { fuzz, type FuzzReport } from "../../reliability/fuzz/fuzzer.ts";
import { LimiterFuzzer } from "../../reliability/fuzz/limiter/limiter_fuzzer.ts";
import { RAW_SERVERS, RawFuzzer } from "../../reliability/fuzz/raw/raw_fuzzer.ts";
import { reported } from "../../reliability/fuzz/reported.ts";
import { RequestFuzzer } from "../../reliability/fuzz/requests/request_fuzzer.ts";
import { buildTarget } from "../../reliability/fuzz/requests/target.ts";
import type { Any } from "../support/sluice_and_express.ts";

const SEED = 40;

function found({ findings }: FuzzReport): readonly string[] {
  return findings.map(({ kind }) => kind);
}

for (const server of RAW_SERVERS) {
  Deno.test(`no connection to ${server} takes its server down or reaches a handler that it must not reach`, async () => {
    await using fuzzer = await RawFuzzer.on(server);
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 15 });
    assertEquals(report.findings, [], reported(report, "raw"));
    assertEquals(report.steps, 120);
  });
}

Deno.test("no request in process is answered with 500, takes long, or leaves the served folder", async () => {
  using fuzzer = new RequestFuzzer(buildTarget());
  const report = await fuzz(fuzzer, { seed: SEED, rounds: 20 });
  assertEquals(report.findings, [], reported(report, "requests"));
});

Deno.test("the counters of the limiter say what their model says", async () => {
  const report = await fuzz(new LimiterFuzzer(), { seed: SEED, rounds: 300 });
  assertEquals(report.findings, [], reported(report, "limiter"));
});

for (
  const [fault, kind] of Object.entries({
    status: "an answer is 599",
    silence: "a proper request is not answered",
    noise: "something is written to stderr",
  })
) {
  Deno.test(`the fuzzer of connections finds a server with the fault "${fault}", and the header that brings it about`, async () => {
    await using fuzzer = await RawFuzzer.on("Deno", { fault, patienceMs: 500 });
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 60, most: 1, smallerMs: 3000 });
    assertEquals(found(report), [kind]);
    const { reproduction } = report.findings[0]!;
    assertMatch(reproduction, fault === "silence" ? /X-Flag/ : /Range/);
    assertEquals(reproduction.match(/send\(/g)?.length, 1, "one connection is enough");
  });
}

Deno.test("the fuzzer of connections finds a server that ends", async () => {
  await using fuzzer = await RawFuzzer.on("Deno", { fault: "end" });
  const report = await fuzz(fuzzer, { seed: SEED, rounds: 60, most: 1, smallerMs: 2000 });
  assertEquals(found(report), ["a proper request afterwards is not answered"]);
});

const REQUEST_FAULTS: Readonly<Record<string, (req: Any) => unknown>> = {
  "an answer is 500": (req) => {
    if (req.get("range") !== undefined) throw new Error("planted");
  },
  "a rejection is not handled": (req) => {
    if (req.get("range") !== undefined) void Promise.reject(new Error("planted"));
  },
  "a request to /look takes too long": (req) => {
    if (req.path.startsWith("/look") && req.url.includes("?")) {
      for (
        const end = Date.now() + 260;
        Date.now() < end;
      );
    }
  },
};

for (const [kind, fault] of Object.entries(REQUEST_FAULTS)) {
  Deno.test(`the fuzzer of requests finds that ${kind}`, async () => {
    const app = sluice().set("env", "test");
    app.use((req, _res, next) => {
      fault(req);
      next();
    });
    app.use(buildTarget());
    using fuzzer = new RequestFuzzer(app);
    const report = await fuzz(fuzzer, { seed: SEED, rounds: 60, most: 1, smallerMs: 1000 });
    assertEquals(found(report), [kind]);
    assertMatch(report.findings[0]!.reproduction, /await app\.fetch\(new Request\(/);
  });
}

Deno.test("the fuzzer of the limiter finds a store that admits one too many, in a few steps", async () => {
  const report = await fuzz(
    new LimiterFuzzer((clock) => {
      const store = new MemoryStore({ clock: clock.read });
      const decide = store.decide.bind(store);
      store.decide = (takes, times) =>
        decide(
          takes.map((take) => {
            const { policy } = take;
            return policy.limit === 7 ? { ...take, policy: { ...policy, limit: 8 } } : take;
          }),
          times,
        );
      return store;
    }),
    { seed: SEED, rounds: 300, most: 1 },
  );
  assertEquals(report.findings.length, 1);
  const { reproduction } = report.findings[0]!;
  assert(reproduction.split("\n").length <= 3, reproduction);
});
