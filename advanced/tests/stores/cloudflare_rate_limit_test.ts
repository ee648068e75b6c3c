import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { fetchLimit, Limiter, type LimiterOptions, rateLimit, type RateLimitOptions } from "../../mod.ts";
import { CloudflareRateLimitStore } from "../../cloudflare.ts";
import type { Capabilities } from "../../src/policy/store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { FakeBinding } from "../support/rate_limit_binding.ts";

function setUp(limit = 2, period: 10 | 60 = 60) {
  // 25 s into a minute
  const clock = new VirtualClock(999_999_985_000);
  const binding = new FakeBinding(clock.read, { limit, period });
  const store = new CloudflareRateLimitStore({ binding });
  const options = { limit: limit, windowMs: period * 1000, store, clock: clock.read, timers: clock.timers };
  return { clock, binding, store, options };
}

Deno.test("the limit of the binding holds for each key, until its period is over", async () => {
  const { clock, options } = setUp();
  const limiter = new Limiter(options);
  const allowed = async (key: string) => (await limiter.consume(key)).allowed;
  assertEquals([await allowed("a"), await allowed("a"), await allowed("a"), await allowed("b")], [
    ...[true, true, false, true],
  ]);
  // the period ends by Cloudflare's clock, earlier than one that began with the first request
  clock.advance(35_000);
  assertEquals([await allowed("a"), await allowed("b")], [true, true]);
});

Deno.test("what is left after a grant is not known, and a refusal lasts for a period at most", async () => {
  const { options } = setUp(1, 10);
  const limiter = new Limiter(options);
  const granted = await limiter.consume("a");
  assertEquals([granted.remaining, granted.retryAfterMs, granted.verdicts[0]!.granted], [NaN, 0, 1]);
  const refused = await limiter.consume("a");
  assertEquals([refused.remaining, refused.retryAfterMs, refused.decidedBy], [0, 10_000, "store"]);
});

Deno.test("limiters of one binding with names of their own count apart, however names and keys look", async () => {
  const { binding, options } = setUp(1);
  for (const [name, key] of [["a", "b:c"], ["a:b", "c"], ["1", "a"], ["11", ":a"]] as const) {
    assert((await new Limiter({ ...options, name }).consume(key)).allowed, `${name} ${key}`);
  }
  assertEquals(new Set(binding.keys).size, 4);
});

Deno.test("equal decisions in one turn are as many calls, merged or not", async () => {
  for (const coalesce of [undefined, true]) {
    const { binding, options } = setUp(3);
    const limiter = new Limiter({ ...options, coalesce });
    const decisions = await Promise.all(Array.from({ length: 5 }, () => limiter.consume("a")));
    assertEquals(decisions.map(({ allowed }) => allowed), [true, true, true, false, false]);
    assertEquals(binding.keys.length, 5);
    assertEquals(limiter.counters.coalesced, coalesce ? 4 : 0);
  }
});

Deno.test("a refusal is not remembered, since the binding alone knows when it ends", async () => {
  const { clock, binding, options } = setUp(1);
  const limiter = new Limiter(options);
  for (let n = 0; n < 3; n++) await limiter.consume("a");
  assertEquals(binding.keys.length, 3);
  clock.advance(35_000);
  assert((await limiter.consume("a")).allowed);
  assertEquals(limiter.counters.denyCacheHits, 0);
});

Deno.test("a request that costs nothing passes without a call, and a dry run refuses none", async () => {
  const { binding, options } = setUp(1);
  const limiter = new Limiter(options);
  assertEquals((await limiter.consume("a", { cost: 0 })).allowed, true);
  assertEquals(binding.keys, []);
  const shadow = new Limiter({ ...options, name: "shadow", shadow: true });
  const decisions = [await shadow.consume("a"), await shadow.consume("a")];
  assertEquals(decisions.map(({ allowed, shadowDenied }) => [allowed, shadowDenied]), [[true, false], [true, true]]);
});

Deno.test("while the binding fails, hangs or replies with something else, this isolate decides", async () => {
  const replies: [string, Promise<unknown>][] = [
    ["gone", Promise.reject(new Error("gone"))],
    ["within 100 ms", new Promise(() => {})],
    ["replied with an object", Promise.resolve({})],
    ["replied with undefined", Promise.resolve(undefined)],
  ];
  for (const [reason, reply] of replies) {
    reply.catch(() => {});
    const { clock, binding, options } = setUp(1);
    const limiter = new Limiter({ ...options, processes: 1 });
    const failures: string[] = [];
    limiter.on("storeFailure", (error: Error) => failures.push(error.message));
    binding.reply = reply;
    const asked = [limiter.consume("a"), limiter.consume("a")];
    if (reason.startsWith("within")) clock.advance(100);
    const decisions = await Promise.all(asked);
    assertEquals(decisions.map(({ allowed, decidedBy }) => [allowed, decidedBy]), [[true, "local"], [false, "local"]]);
    assert(failures.length > 0 && failures.every((message) => message.includes(reason)), failures.join());
    // a local decision has the remaining quota
    assertEquals(decisions[0]!.remaining, 0);
  }
});

const UNSUPPORTED: Record<string, Partial<LimiterOptions>> = {
  'algorithm "sliding-window" is not supported by the store, only fixed-window': { algorithm: "sliding-window" },
  'algorithm "concurrency" is not supported by the store, only fixed-window': { algorithm: "concurrency" },
  "calendar windows (option window)": { window: { every: "minute" } },
  'align "clock"': { align: "clock" },
  'onDenied "charge"': { onDenied: "charge" },
  "block": { block: { after: 3, forMs: 1000 } },
  "maxDebt": { maxDebt: 5 },
  "option limits with 2 limits, decided as one,": { limits: [{ name: "a", limit: 2 }, { name: "b", limit: 2 }] },
  "option leases": { leases: 10 },
  "option denyCache": { denyCache: true },
  "option policies": { policies: { pro: { limit: 2 } } },
};

for (const [what, given] of Object.entries(UNSUPPORTED)) {
  Deno.test(`a limiter over the binding is not made with ${Object.keys(given)[0]}: ${what}`, () => {
    const { options: { limit, windowMs, store } } = setUp();
    const single = given.limits === undefined ? { limit, ...(given.window === undefined ? { windowMs } : {}) } : {};
    const error = assertThrows(() => new Limiter({ ...single, store, ...given }), TypeError);
    assert(error.message.includes(what), error.message);
    assert(error.message.includes("DurableObjectStore") || given.algorithm !== undefined, error.message);
  });
}

Deno.test("max and windowMs that no binding can have are a RangeError", () => {
  const { store } = setUp();
  assertThrows(() => new Limiter({ limit: 0, store }), RangeError, "option limit must be the limit of the binding");
  for (const windowMs of [1000, 10_001, 3_600_000]) {
    assertThrows(() => new Limiter({ limit: 2, windowMs, store }), RangeError, "10000 or 60000");
  }
});

Deno.test("one binding has one limit: another limiter, tier or policy is refused", async () => {
  const { options, store } = setUp();
  const limiter = new Limiter(options);
  for (const other of [{ limit: 3 }, { limit: 2, windowMs: 10_000 }]) {
    assertThrows(() => new Limiter({ ...other, store }), TypeError, "the binding has one limit, 2 in 60000 ms");
  }
  assertThrows(() => void limiter.consume("a", { limit: 5 }), TypeError, "the binding has one limit");
  assertThrows(() => void limiter.consume("a", { policy: { limit: 5 } }), TypeError, "the binding has one limit");
  // setting the same limit again changes nothing
  assert((await limiter.consume("a", { limit: 2 })).allowed);
});

Deno.test("what a binding cannot do is a TypeError that names another store", async () => {
  const { options, store, binding } = setUp();
  const limiter = new Limiter(options);
  const decision = await limiter.consume("a");
  const calls: Record<string, () => unknown> = {
    "limiter.consume: a cost of 3": () => limiter.consume("a", { cost: 3 }),
    "limiter.peek: to look": () => limiter.peek("a"),
    "limiter.refund: to give back": () => limiter.refund(decision),
    "limiter.reset: to forget": () => limiter.reset("a"),
    "limiter.waitFor: to wait": () => limiter.waitFor("a"),
    "limiter.keys: a list of keys": () => limiter.keys(),
    "store.reset: a rate limiting binding can't forget": () => store.reset({ policy: "p" }),
  };
  for (const [message, call] of Object.entries(calls)) {
    const error = await assertRejects(async () => await call(), TypeError, message);
    assert(error.message.includes("DurableObjectStore"), error.message);
  }
  assertEquals(store.give(), false);
  assertEquals(binding.keys.length, 1);
});

const UNSUPPORTED_OF_REQUESTS: Record<string, RateLimitOptions> = {
  "option skipFailedRequests": { skipFailedRequests: true },
  "option skipSuccessfulRequests": { skipSuccessfulRequests: true },
  "option delay": { delay: { maxMs: 1000 } },
  "option policy": { policy: () => "pro" },
  "option limit as a function": { limit: () => 2 },
  "option cost of 2": { cost: 2 },
};

for (const [what, given] of Object.entries(UNSUPPORTED_OF_REQUESTS)) {
  Deno.test(`rateLimit and fetchLimit over the binding refuse ${what}`, () => {
    for (const make of [() => rateLimit(made(given)), () => fetchLimit(made(given) as object)]) {
      const error = assertThrows(make, TypeError);
      assert(error.message.includes(what) && error.message.includes("DurableObjectStore"), error.message);
    }
  });
}

function made(given: RateLimitOptions): RateLimitOptions {
  return { limit: 2, windowMs: 60_000, store: setUp().store, ...given };
}

Deno.test("options that say no are as good as none", () => {
  rateLimit(made({ skipFailedRequests: false, cost: 1, coalesce: false, denyCache: false }));
});

const EXPECTED: Record<string, [granted: Record<string, string>, refused: Record<string, string>]> = {
  none: [
    { "x-ratelimit-limit": "1" },
    { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "60", "retry-after": "60" },
  ],
  "draft-6": [
    { "ratelimit-limit": "1", "ratelimit-policy": "1;w=60" },
    {
      ...{ "ratelimit-limit": "1", "ratelimit-policy": "1;w=60", "ratelimit-remaining": "0" },
      ...{ "ratelimit-reset": "60", "retry-after": "60" },
    },
  ],
  "draft-7": [
    { "ratelimit-policy": "1;w=60" },
    { "ratelimit": "limit=1, remaining=0, reset=60", "ratelimit-policy": "1;w=60", "retry-after": "60" },
  ],
  "draft-8": [
    { "ratelimit-policy": '"api";q=1;w=60' },
    { "ratelimit": '"api";r=0;t=60', "ratelimit-policy": '"api";q=1;w=60', "retry-after": "60" },
  ],
};

for (const [form, expected] of Object.entries(EXPECTED)) {
  Deno.test(`headers tell the limit, and what is left only when it is nothing: ${form}`, async () => {
    const { store } = setUp(1);
    const limit = fetchLimit({
      ...{ name: "api", limit: 1, windowMs: 60_000, store, clientAddress: () => "192.0.2.1" },
      ...(form === "none" ? {} : { legacyHeaders: false, standardHeaders: form as "draft-6" }),
    });
    const handler = limit(() => new Response("hello"));
    for (const wanted of expected) {
      const { headers } = await handler(new Request("http://a.test/"));
      const told = [...headers].filter(([name]) => /ratelimit|retry-after/.test(name));
      assertEquals(Object.fromEntries(told), wanted);
    }
  });
}

Deno.test("headers of another limiter stay, whichever comes first, unless this one refuses", async () => {
  const { store } = setUp(1);
  const address = { clientAddress: () => "192.0.2.1" };
  const unknown = fetchLimit({ name: "cf", limit: 1, windowMs: 60_000, store, ...address });
  const known = fetchLimit({ name: "own", limit: 50, windowMs: 3000, ...address });
  const handlers = [unknown(known(() => new Response())), known(unknown(() => new Response()))];
  const seen: (string | null)[][] = [];
  for (const handler of handlers) {
    const { headers } = await handler(new Request("http://a.test/"));
    seen.push(["limit", "remaining"].map((name) => headers.get(`x-ratelimit-${name}`)));
  }
  assertEquals(seen, [["50", "49"], ["1", "0"]]);
});

Deno.test("a handler is told NaN for what is not known", async () => {
  const { store } = setUp(2);
  const limit = fetchLimit({ limit: 2, windowMs: 60_000, store, clientAddress: () => "192.0.2.1" });
  let left: number | undefined;
  const handler = limit((request: Request) => {
    left = limit.decisionOf(request)?.remaining;
    return new Response();
  });
  await handler(new Request("http://a.test/"));
  assertEquals(left, NaN);
});

Deno.test("what is no binding is a TypeError that says where to find one", () => {
  for (const binding of [undefined, null, "LIMITER", {}, { limit: 5 }]) {
    assertThrows(
      () => new CloudflareRateLimitStore({ binding } as never),
      TypeError,
      "option binding must be a rate limiting binding",
    );
  }
  assertThrows(() => new CloudflareRateLimitStore(undefined as never), TypeError, "ratelimits of Wrangler");
  const { binding } = setUp();
  assertThrows(() => new CloudflareRateLimitStore({ binding, period: 60 } as never), TypeError, "period");
});

Deno.test("its capabilities say what it can do", () => {
  const expected: Capabilities = {
    algorithms: new Set(["fixed-window"] as const),
    atomicBatch: "none",
    exactDeny: false,
    scope: "region",
    clock: "store",
    outcomeOnly: true,
  };
  assertEquals(setUp().store.capabilities, expected);
});
