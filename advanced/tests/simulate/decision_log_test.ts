/** A limiter's own log replays exactly. */
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { Limiter, LoggedMemoryStore, type Store } from "@sluice/rate-limit";
import { VirtualClock } from "@sluice/rate-limit/testing";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import type { PolicyReport } from "../../src/simulate/simulation_report.ts";
import { decidesAsMemory } from "../support/random_trace.ts";
import { simulate } from "../support/simulate_command.ts";

/** Steps with each of 28 policies. */
const STEPS = Math.ceil(Number(Deno.env.get("SLUICE_FUZZ_OPERATIONS") ?? 3000) / 28);

/** Refusals, counted outside the store. */
interface Count {
  requests: number;
  limited: number;
}

/** A store decorator that counts decisions. */
function counting(store: Store, counts: Map<string, Count>): Store {
  return {
    capabilities: store.capabilities,
    decide(takes, times = 1) {
      const verdicts = store.decide(takes, times) as ReturnType<LoggedMemoryStore["decide"]>;
      takes.forEach(({ policy, cost }, i) => {
        if (cost === 0) return;
        const { denied, granted } = verdicts[i]!;
        const count = counts.get(policy.name) ?? { requests: 0, limited: 0 };
        counts.set(policy.name, count);
        count.requests += times;
        if (denied) count.limited += times - granted / cost;
      });
      return verdicts;
    },
    give: (take, stamp, amount) => store.give(take, stamp, amount),
    settle: (take, stamp, change) => store.settle!(take, stamp, change),
    reset: (selector) => store.reset(selector),
  };
}

for (const seed of [1, 2]) {
  Deno.test(`decisions, refunds and resets of every algorithm are repeated exactly from the log, seed ${seed}`, async () => {
    const clock = new VirtualClock();
    const lines: string[] = [];
    const counts = new Map<string, Count>();
    const store = new LoggedMemoryStore({ write: (line) => lines.push(line), clock: clock.read });
    const decisions = await decidesAsMemory(counting(store, counts), clock, seed, STEPS);
    const { code, output, errors } = await simulate({ "decisions.log": lines.join("\n") }, ["decisions.log", "--json"]);
    assertEquals(code, 0, errors);
    const report = JSON.parse(output);
    assertEquals([report.isEstimate, report.log.broken], [false, 0]);
    const seen = report.policies.map(({ name, requests, limited, recorded }: PolicyReport) => [
      name,
      { requests, limited, different: recorded!.different },
    ]);
    assertEquals(
      Object.fromEntries(seen),
      Object.fromEntries([...counts].map(([name, count]) => [name, { ...count, different: 0 }])),
    );
    const refused = [...counts.values()].reduce((sum, { limited }) => sum + limited, 0);
    assert(decisions >= 28 * STEPS / 2 && refused > decisions / 10, `${decisions} decisions, ${refused} refused`);
  });
}

Deno.test("a limiter with tiers, costs and refunds is repeated exactly from its log, and other limits are tried", async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const store = new LoggedMemoryStore({ write: (line) => lines.push(line), clock: clock.read });
  const limiter = new Limiter({ name: "api", algorithm: "token-bucket", limit: 5, windowMs: 1000, store });
  const pick = seededRandom(3);
  let limited = 0;
  for (let i = 0; i < 2000; i++) {
    clock.advance(pick(120));
    const key = `customer ${pick(4)}`;
    const options = key === "customer 0" ? { cost: 1 + pick(3), limit: 9 } : { cost: 1 + pick(2) };
    const decision = await limiter.consume(key, options);
    if (!decision.allowed) limited++;
    else if (pick(5) === 0) await limiter.refund(decision);
  }
  assert(limited > 100);
  assertEquals([limiter.counters.limited, limiter.size], [limited, 4]);
  const log = { "decisions.log": lines.join("\n") };
  const exact = JSON.parse((await simulate(log, ["decisions.log", "--json"])).output);
  const [{ requests, limited: again, recorded }] = exact.policies;
  assertEquals([requests, again], [2000, limited]);
  assertEquals(recorded, { decisions: 2000, refusals: limited, different: 0 });
  const policies = "policies: [{ name: api, window: 1s, limit: 5000 }]";
  const tried = await simulate({ ...log, "p.yaml": policies }, ["decisions.log", "--policy", "p.yaml", "--json"]);
  const [other] = JSON.parse(tried.output).policies;
  // the tier keeps its own limit, so only that customer is still refused
  assertEquals([other.limit, other.keysLimited <= 1], [5000, true]);
  assert(other.recorded.different > 0 && other.recorded.refusals === limited);
});

Deno.test("costs that are known only afterwards are repeated exactly", async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const store = new LoggedMemoryStore({ write: (line) => lines.push(line), clock: clock.read });
  const limiter = new Limiter({
    name: "api",
    algorithm: "sliding-window",
    limit: 20,
    windowMs: 1000,
    maxDebt: 15,
    store,
  });
  const pick = seededRandom(5);
  let [limited, settled] = [0, 0];
  for (let i = 0; i < 1500; i++) {
    clock.advance(pick(150));
    const decision = await limiter.consume(`key ${pick(2)}`, { cost: 3, ...pick(3) === 0 ? { limit: 30 } : {} });
    if (!decision.allowed) limited++;
    else if (await decision.settle(pick(9))) settled++;
  }
  const { output } = await simulate({ "decisions.log": lines.join("\n") }, ["decisions.log", "--json"]);
  assertEquals(JSON.parse(output).policies[0].recorded, { decisions: 1500, refusals: limited, different: 0 });
  assert(limited > 100 && settled > 100, `${limited} limited, ${settled} settled`);
});

Deno.test("limiters of one name that change each other's window are repeated exactly", async () => {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const store = new LoggedMemoryStore({ write: (line) => lines.push(line), clock: clock.read });
  const limiters = [{ limit: 4, windowMs: 1000 }, { limit: 6, windowMs: 700 }, { limit: 4, windowMs: 1000 }].map((
    limit,
  ) => new Limiter({ name: "api", ...limit, store }));
  const pick = seededRandom(4);
  let limited = 0;
  for (let i = 0; i < 1500; i++) {
    clock.advance(pick(150));
    const decision = await limiters[pick(3)]!.consume(`key ${pick(2)}`);
    if (!decision.allowed) limited++;
  }
  const { output } = await simulate({ "decisions.log": lines.join("\n") }, ["decisions.log", "--json"]);
  assertEquals(JSON.parse(output).policies[0].recorded, { decisions: 1500, refusals: limited, different: 0 });
  assert(limited > 100);
});

Deno.test("the text says that every decision matches its record", async () => {
  const lines: string[] = [];
  const clock = new VirtualClock(1_800_000_000_000);
  const store = new LoggedMemoryStore({ write: (line) => lines.push(line), clock: clock.read });
  const limiter = new Limiter({ name: "api", limit: 1, windowMs: 1000, store });
  limiter.consume("a");
  clock.advance(250);
  limiter.consume("a");
  assertEquals(lines.map((line) => JSON.parse(line)).slice(1), [
    { ms: 1_800_000_000_000, takes: [{ policy: "api", key: "a", cost: 1, verdict: "granted" }] },
    { ms: 1_800_000_000_250, takes: [{ policy: "api", key: "a", cost: 1, verdict: "refused" }] },
  ]);
  const { output } = await simulate({ "decisions.log": lines.join("\n") }, ["decisions.log"]);
  assertMatch(output, /api: 1 in 1s, fixed-window\n {2}requests {2}2, limited 1 \(50.0 %\)/);
  assertMatch(output, /every decision matches its record/);
  assertMatch(output, /2027-01-15 08:00:00\.250/);
});

Deno.test("lines of a decision log that no store has written are broken lines", async () => {
  const lines = [
    '{"ms":1,"policy":{"name":"api","algorithm":"fixed-window","limit":1,"windowMs":1000}}',
    '{"ms":1,"takes":[{"policy":"api","key":"a","cost":1,"verdict":"granted"}]}',
    '{"ms":1,"policy":{"name":"bad","algorithm":"guess","limit":1,"windowMs":1000}}',
    '{"ms":1,"takes":[]}',
    '{"ms":-1,"takes":[{"policy":"api","key":"a","cost":1,"verdict":"granted"}]}',
    '{"ms":1,"takes":[{"policy":"api","key":"","cost":1,"verdict":"granted"}]}',
    '{"ms":1,"takes":[{"policy":"api","key":"a","cost":1e99,"verdict":"granted"}]}',
    `{"ms":1,"takes":[${Array(2).fill('{"policy":"api","key":"a","cost":1,"verdict":"granted"}').join()}]}`,
    '{"ms":1,"give":{"policy":"api","key":"a"},"stamp":"x","units":1}',
    '{"ms":1,"settle":{"policy":"api","key":"a"},"stamp":1,"change":0.5}',
    '{"ms":1,"takes":[{"policy":"unknown","key":"a","cost":1,"verdict":"granted"}]}',
    '{"ms":2,"ta',
  ];
  const { code, output } = await simulate({ "decisions.log": lines.join("\n") }, ["decisions.log", "--json"]);
  const { log, policies } = JSON.parse(output);
  assertEquals([code, log.lines, log.broken, policies[0].requests], [0, 12, 9, 1]);
});

Deno.test("a log that cannot be written refuses nobody, and is complained about once", async () => {
  const complaints: unknown[][] = [];
  const { error } = console;
  console.error = (...args: unknown[]) => void complaints.push(args);
  try {
    const store = new LoggedMemoryStore({
      write: () => {
        throw new Error("disk full");
      },
    });
    const limiter = new Limiter({ limit: 5, store });
    for (let i = 0; i < 3; i++) assertEquals((await limiter.consume("a")).allowed, true);
  } finally {
    console.error = error;
  }
  assertEquals(complaints.length, 1);
  assertMatch(String(complaints[0]), /the log is incomplete, because write failed:,Error: disk full/);
});

Deno.test("a logged store says what is wrong with its options", () => {
  assertThrows(() => new LoggedMemoryStore({} as never), TypeError, "option write must be a function");
  assertThrows(() => new LoggedMemoryStore({ write() {}, limit: 1 } as never), TypeError, "there is no option limit");
  assertThrows(() => new LoggedMemoryStore({ write() {}, clock: 1 as never }), TypeError, "option clock");
});

Deno.test("the log of a store for more keys than usual is repeated with as many", async () => {
  const lines: string[] = [];
  const clock = new VirtualClock();
  const store = new LoggedMemoryStore({ write: (line) => lines.push(line), clock: clock.read, maxKeys: 110_000 });
  const limiter = new Limiter({ name: "api", limit: 1, windowMs: 1000, store });
  for (let i = 0; i < 105_000; i++) limiter.consume(`client ${i}`);
  assertEquals([limiter.overflows, limiter.counters.limited], [0, 0]);
  const { output } = await simulate({ "decisions.log": lines.join("\n") }, ["decisions.log", "--json"]);
  const { overflows, policies: [{ requests, recorded }] } = JSON.parse(output);
  assertEquals([overflows, requests, recorded.different], [0, 105_000, 0]);
});
