import { assert, assertEquals } from "@std/assert";
import { parseList } from "structured-headers";
import { writeHeaders } from "../../src/http/rate_limit_headers.ts";
import { Limiter } from "../../src/limiter/limiter.ts";
import type { Decision } from "../../src/limiter/decision.ts";
import type { LimiterKeys } from "../../src/limiter/demand.ts";
import type { LimitOptions } from "../../src/limiter/limiter_options.ts";
import { ALGORITHM_NAMES } from "../../src/policy/policy.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

const STANDARDS = ["draft-6", "draft-7", "draft-8", "draft-10", "draft-11", null] as const;
const INTEGER = /^\d{1,15}$/;

/** Asserts that a value is an RFC 9651 list of limits: strings with a few types of parameters. */
function assertList(value: string, wanted: Record<string, "number" | "string" | "bytes">): void {
  const list = parseList(value);
  assert(list.length > 0, value);
  for (const [item, parameters] of list) {
    assertEquals(typeof item, "string", value);
    for (const [name, parameter] of parameters) {
      const type = parameter instanceof ArrayBuffer || parameter instanceof Uint8Array ? "bytes" : typeof parameter;
      assertEquals(type, wanted[name], `${name} in ${value}`);
    }
  }
}

function headersOf(decision: Decision, standard: (typeof STANDARDS)[number], clock: VirtualClock): Headers {
  const headers = new Headers();
  const sink = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    getHeader: (name: string) => headers.get(name) ?? undefined,
  };
  const options = { legacy: true, legacyReset: "delta", standard, retryJitterMs: 0, random: () => 0 } as const;
  writeHeaders(sink, decision, options, clock.now);
  return headers;
}

function assertWellFormed(headers: Headers, decision: Decision): void {
  for (const [name, value] of headers) {
    if (name === "ratelimit-policy" && !value.startsWith('"')) {
      assert(/^\d+(;w=\d+)?(, \d+(;w=\d+)?)*$/.test(value), `${name}: ${value}`);
    } else if (name === "ratelimit" && value.startsWith("limit=")) {
      assert(/^limit=\d+, remaining=\d+, reset=\d+$/.test(value), `${name}: ${value}`);
    } else if (name === "ratelimit") assertList(value, { r: "number", t: "number", pk: "bytes" });
    else if (name === "ratelimit-policy") assertList(value, { q: "number", w: "number", qu: "string", pk: "bytes" });
    else assert(INTEGER.test(value), `${name}: ${value}`);
  }
  const [limit, remaining] = ["limit", "remaining"].map((name) => Number(headers.get(`x-ratelimit-${name}`)));
  assert(remaining! <= limit!, `${remaining} of ${limit}`);
  assertEquals(headers.has("retry-after"), !decision.allowed && decision.retryAfterMs !== Infinity);
  // for limits that refused, no t is later than Retry-After
  const retry = Number(headers.get("retry-after") ?? Infinity);
  for (const t of headers.get("ratelimit")?.matchAll(/;r=0;t=(\d+)/g) ?? []) {
    if (!decision.allowed && decision.verdicts.length === 1) assert(Number(t[1]) <= retry, headers.get("ratelimit")!);
  }
}

Deno.test("every header is well-formed and in range, for any limits and refusals", async () => {
  const next = seededRandom(7);
  const pick = <T>(values: readonly T[]): T => values[next(values.length)]!;
  for (let round = 0; round < 300; round++) {
    const clock = new VirtualClock();
    const limits = Array.from({ length: 1 + next(3) }, (_, i): LimitOptions => ({
      name: `${pick(["a", 'quo"te', "back\\slash", "semi;colon, comma", "~"])} ${i}`,
      algorithm: pick(ALGORITHM_NAMES),
      limit: pick([0, 1, 3, 50, 2 ** 31]),
      windowMs: pick([1, 10, 999, 1000, 1001, 60_000, 400_000]),
      ...(next(4) === 0 ? { block: { after: 2, forMs: 5_500 } } : {}),
    }));
    const limiter = new Limiter({ limits, clock: clock.read });
    for (let i = 0; i < 12; i++) {
      const decision = await limiter.consume("key", { cost: 1 + next(4) });
      for (const standard of STANDARDS) assertWellFormed(headersOf(decision, standard, clock), decision);
      clock.advance(next(700));
    }
  }
});

Deno.test("a client that retries when Retry-After says is admitted, and one a second earlier is refused", async () => {
  const next = seededRandom(11);
  for (const algorithm of ["fixed-window", "sliding-window", "sliding-log", "token-bucket"] as const) {
    for (let round = 0; round < 200; round++) {
      const clock = new VirtualClock(1_700_000_000_000 + next(100_000));
      const limiter = new Limiter({ algorithm, limit: 1 + next(20), windowMs: 500 + next(30_000), clock: clock.read });
      let decision = await limiter.consume("key");
      while (decision.allowed) {
        clock.advance(next(40));
        decision = await limiter.consume("key", { cost: 1 });
      }
      const retry = Number(headersOf(decision, null, clock).get("retry-after"));
      clock.advance(Math.max(0, (retry - 1) * 1000));
      assert(retry === 0 || !(await limiter.consume("key")).allowed, `${algorithm}: a second before Retry-After`);
      clock.advance(1000);
      assert((await limiter.consume("key")).allowed, `${algorithm}: at Retry-After`);
    }
  }
});

Deno.test("draft-11 tells by pk which quota a limit is about, and nobody what it is counted by", async () => {
  const limiter = new Limiter({
    limits: [{ name: "user", limit: 5, windowMs: 1500 }, { name: "slots", algorithm: "concurrency", limit: 2 }],
  });
  const clock = new VirtualClock();
  const headersFor = async (keys: LimiterKeys) => headersOf(await limiter.consume(keys), "draft-11", clock);
  const partitionsOf = (headers: Headers) =>
    ["ratelimit-policy", "ratelimit"].map((name) =>
      parseList(headers.get(name)!).map(([, parameters]) => [...new Uint8Array(parameters.get("pk") as ArrayBuffer)])
    );
  const [first, again, other] = [await headersFor("alice"), await headersFor("alice"), await headersFor("\ud800")];
  const [policies, limits] = partitionsOf(first);
  assertEquals(policies, limits);
  assertEquals(partitionsOf(first), partitionsOf(again));
  assert(String(partitionsOf(other)) !== String(partitionsOf(first)));
  assertEquals(policies!.map((bytes) => bytes.length), [12, 12]);
  const [mine, ours] = partitionsOf(await headersFor({ user: "alice", slots: "all" }))[0]!;
  assertEquals([String(mine) === String(policies![0]), String(ours) === String(mine)], [true, false]);
  const [, parameters] = parseList(first.get("ratelimit-policy")!)[0]!;
  assertEquals([parameters.get("q"), parameters.get("w")], [5, 2]);
  const [, slots] = parseList(first.get("ratelimit-policy")!)[1]!;
  assertEquals([slots.get("q"), slots.get("qu"), slots.has("w")], [2, "concurrent-requests", false]);
});

Deno.test("draft-8 and draft-10 have no pk", async () => {
  const decision = await new Limiter({ name: "user" }).consume("alice");
  for (const draft of ["draft-8", "draft-10"] as const) {
    const headers = headersOf(decision, draft, new VirtualClock());
    assertEquals(headers.get("ratelimit-policy"), '"user";q=100;w=60');
  }
});
