import { AsyncLocalStorage } from "node:async_hooks";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type CounterLike,
  fetchLimit,
  fromCounter,
  Limiter,
  type LimiterOptions,
  MemoryStore,
  type PolicyChoice,
  rateLimit,
  RedisStore,
  type Store,
} from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";

const STORES: Record<string, (clock: VirtualClock) => Store> = {
  MemoryStore: (clock) => new MemoryStore({ clock: clock.read }),
  RedisStore: (clock) =>
    new RedisStore({ url: Deno.env.get("REDIS_URL")!, prefix: `own-${crypto.randomUUID()}:`, clock: clock.read }),
};

for (const [name, make] of Object.entries(STORES)) {
  Deno.test(`${name}: each key is counted by its own policy, and keeps what it has used when that changes`, async () => {
    const clock = new VirtualClock(Date.parse("2026-11-27T12:00:00Z"));
    const limiter = new Limiter({
      ...{ name: "quota", limit: 3, windowMs: 60_000, store: make(clock), clock: clock.read },
      policies: { pro: { limit: 10 }, daily: { limit: 20, window: { every: "day", timeZone: "Europe/Berlin" } } },
    });
    const left = async (key: string, policy?: PolicyChoice) => (await limiter.consume(key, { policy })).remaining;
    try {
      assertEquals(await left("ann"), 2);
      assertEquals(await left("ann", "pro"), 8);
      assertEquals(await left("ben", "pro"), 9);
      assertEquals(await left("ann", { limit: 5 }), 2);
      assertEquals(await left("ann", { limit: 5, windowMs: 3_600_000 }), 1);
      assertEquals(await left("ann", "daily"), 15);
      // back at the old limit, which the usage now exceeds
      const refused = await limiter.consume("ann");
      assertEquals([refused.allowed, refused.remaining], [false, 0]);
      assertEquals((await limiter.peek("ben", { policy: "pro" })).remaining, 9);
      const bucket = { algorithm: "token-bucket", limit: 60, burst: 5 } as const;
      assertEquals(await left("cid", bucket), 4);
      clock.advance(1000);
      assertEquals(await left("cid", { ...bucket, burst: 10 }), 9);
      assertEquals((await limiter.waitFor("dan", { policy: { limit: 7 } })).remaining, 6);
      assertEquals((await limiter.consume("eve", { policy: "daily" })).resetMs, 11 * 3_600_000 - 1000);
    } finally {
      await limiter.close();
    }
  });

  Deno.test(`${name}: keys lists and reset counts each key once, whatever policies count it`, async () => {
    const clock = new VirtualClock();
    const limiter = new Limiter({
      ...{ name: "quota", limit: 3, windowMs: 60_000, store: make(clock), clock: clock.read },
      policies: {
        pro: { limit: 10 },
        burst: { algorithm: "token-bucket", limit: 20 },
        team: { algorithm: "token-bucket", limit: 20, burst: 5 },
      },
    });
    try {
      await limiter.consume("ann");
      await limiter.consume("ben", { policy: "pro" });
      await limiter.consume("cid", { policy: "burst" });
      await limiter.consume("ann", { policy: "burst" });
      const listed: [string, number][] = [];
      for await (const { key, verdict } of limiter.keys()) listed.push([key, verdict.remaining]);
      assertEquals(listed.sort(), [["ann", 2], ["ben", 2], ["cid", 19]]);
      assertEquals([await limiter.reset("ann"), await limiter.reset()], [1, 2]);
      for (const policy of ["pro", "burst"]) await limiter.consume("dan", { policy });
      assertEquals(await limiter.reset(), 1);
    } finally {
      await limiter.close();
    }
  });

  Deno.test(`${name}: of several limits, a policy changes those that it names`, async () => {
    const clock = new VirtualClock();
    const limiter = new Limiter({
      limits: [{ name: "minute", limit: 3 }, {
        name: "hour",
        limit: 5,
        windowMs: 3_600_000,
        algorithm: "sliding-window",
      }],
      policies: { pro: { minute: { limit: 100 } } },
      ...{ store: make(clock), clock: clock.read },
    });
    try {
      const leftOf = async (policy?: PolicyChoice) =>
        (await limiter.consume("ann", { policy })).verdicts.map(({ remaining }) => remaining);
      assertEquals(await leftOf(), [2, 4]);
      assertEquals(await leftOf("pro"), [98, 3]);
      assertEquals(await leftOf({ hour: { limit: 50 }, minute: { limit: 10 } }), [7, 47]);
    } finally {
      await limiter.close();
    }
  });
}

Deno.test("a refusal that was remembered is not told to a key whose policy has changed since", async () => {
  const clock = new VirtualClock();
  const store = STORES["RedisStore"]!(clock);
  const limiter = new Limiter({ name: "quota", limit: 1, store, clock: clock.read, denyCache: true });
  try {
    await limiter.consume("ann");
    assertEquals((await limiter.consume("ann")).allowed, false);
    assertEquals((await limiter.consume("ann", { policy: { limit: 2 } })).allowed, true);
    assertEquals((await limiter.consume("ann", { policy: { algorithm: "sliding-window" } })).allowed, true);
  } finally {
    await limiter.close();
  }
});

/** Sends a user's request to a limit, and returns the remaining units, or the status of the refusal. */
function asker(limit: ReturnType<typeof fetchLimit>) {
  const handler = limit((request) => Response.json(limit.decisionOf(request)!.remaining));
  return async (user: string) => {
    const response = await handler(new Request("http://localhost/", { headers: { user } }));
    return response.status === 200 ? await response.json() as number : response.status;
  };
}

const keyGenerator = (request: Request) => request.headers.get("user")!;

Deno.test("a policy from a database is asked for once in a while for each key, and a change keeps what is used", async () => {
  const clock = new VirtualClock();
  const table = new Map([["ann", { limit: 2 }], ["ben", { limit: 100 }]]);
  const asked: string[] = [];
  const ask = asker(fetchLimit({
    ...{ name: "quota", windowMs: 3_600_000, clock: clock.read, keyGenerator, policyTtlMs: 5000 },
    policy: (request) => {
      asked.push(keyGenerator(request));
      return Promise.resolve(table.get(keyGenerator(request)) ?? {});
    },
  }));
  assertEquals([await ask("ann"), await ask("ann"), await ask("ann"), await ask("ben")], [1, 0, 429, 99]);
  assertEquals(asked, ["ann", "ben"]);
  table.set("ann", { limit: 5 });
  clock.advance(4999);
  assertEquals(await ask("ann"), 429);
  clock.advance(1);
  assertEquals([await ask("ann"), await ask("nobody")], [2, 99]);
  assertEquals(asked, ["ann", "ben", "ann", "nobody"]);
});

Deno.test("a key that reads like the keys of several limits does not get the policy of those", async () => {
  const ask = asker(fetchLimit({
    ...{ limits: [{ name: "a", limit: 1 }], policyTtlMs: 5000 },
    keyGenerator: (request) => {
      const user = keyGenerator(request);
      return user === "ann" ? { a: user } : user;
    },
    policy: (request) => Promise.resolve(keyGenerator(request) === "ann" ? { limit: 100 } : {}),
  }));
  assertEquals([await ask("ann"), await ask('{"a":"ann"}')], [99, 0]);
});

Deno.test("a policy that is known at once, or that none is to remember, is asked for each time", async () => {
  const tiers = { ann: "pro" };
  const sync = asker(fetchLimit({
    ...{ keyGenerator, limit: 1, policies: { pro: { limit: 10 }, free: {} } },
    policy: (request) => request.headers.get("user") === "ann" ? tiers.ann : "free",
  }));
  assertEquals([await sync("ann"), await sync("ben"), await sync("ben")], [9, 0, 429]);
  tiers.ann = "free";
  // one unit was used, which is this policy's whole limit
  assertEquals(await sync("ann"), 429);
  let asked = 0;
  const never = asker(
    fetchLimit({ keyGenerator, policyTtlMs: 0, policy: () => Promise.resolve({ limit: ++asked * 10 }) }),
  );
  assertEquals([await never("ann"), await never("ann")], [9, 18]);
});

Deno.test("a policy that can't be found fails the request, and is asked for again", async () => {
  const found: (() => Promise<PolicyChoice>)[] = [
    () => Promise.reject(new Error("the database is down")),
    () => Promise.resolve("gold"),
    () => Promise.resolve({ limit: -1 }),
    () => Promise.resolve(undefined as unknown as PolicyChoice),
    () => Promise.resolve({ limit: 4 }),
  ];
  const ask = asker(fetchLimit({ keyGenerator, policy: () => found.shift()!(), policies: { pro: { limit: 9 } } }));
  await assertRejects(() => ask("ann"), Error, "the database is down");
  await assertRejects(() => ask("ben"), TypeError, 'there is no policy "gold"; there are pro');
  await assertRejects(() => ask("cid"), RangeError, "policy: option limit");
  await assertRejects(() => ask("ann"), TypeError, "option policy must be a name in policies");
  assertEquals(await ask("ann"), 3);
});

Deno.test("what is no policy is refused, with what to do instead", () => {
  const make = (policies: unknown, more: object = {}) => () => new Limiter({ policies, ...more } as LimiterOptions);
  assertThrows(make("pro"), TypeError, "Limiter: option policies must be an object of policies by name");
  assertThrows(make({ pro: 5 }), TypeError, "Limiter, policies.pro must be a name of policies, or an object");
  assertThrows(make({ pro: { maximum: 5 } }), TypeError, "Limiter, policies.pro");
  assertThrows(make({ pro: { limit: -5 } }), RangeError, "Limiter, policies.pro: option limit");
  assertThrows(make({ pro: { algorithm: "concurrency" } }), TypeError, "counts requests in progress");
  assertThrows(make({ pro: { buckets: 5 } }), TypeError, "option buckets is for algorithm");
  const limits = [{ name: "minute" }, { name: "hour" }];
  assertThrows(make({ pro: { day: { limit: 5 } } }, { limits }), TypeError, 'an unknown limit "day"');
  const counter = { increment: () => {}, decrement: () => {}, resetKey: () => {} } as unknown as CounterLike;
  const store = fromCounter(() => counter);
  assertThrows(make({ pro: { algorithm: "token-bucket" } }, { store }), TypeError, "is not supported by the store");
  assertThrows(make({ pro: { window: { every: "day" } } }, { store }), TypeError, "windows of the calendar");
  assertThrows(
    () => void new Limiter().consume("ann", { limit: 5, policy: { limit: 5 } }),
    TypeError,
    "options limit and policy cannot be combined",
  );
  assertThrows(() => void new Limiter().consume("ann", { policy: "pro" }), TypeError, "there are none; name them");
  assertThrows(
    () => rateLimit({ policy: () => ({}), limit: () => 5 }),
    TypeError,
    "options policy and limit cannot both be functions",
  );
  assertThrows(() => rateLimit({ policy: () => ({}), policyTtlMs: -1 }), RangeError, "option policyTtlMs");
  assertThrows(() => rateLimit({ policy: 5 as never }), TypeError, "option policy must be a function");
});

Deno.test("requests of one key share a lookup that is under way, each in its own async context", async () => {
  const clock = new VirtualClock();
  const local = new AsyncLocalStorage<number>();
  let asked = 0;
  let tell: (choice: PolicyChoice) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const limit = fetchLimit({
    ...{ keyGenerator, clock: clock.read, timers: clock.timers, policyTtlMs: 5000, limit: 1 },
    policy: () => {
      asked++;
      return new Promise<PolicyChoice>((resolve, reject) => [tell, fail] = [resolve, reject]);
    },
  });
  const handler = limit(() => Response.json(local.getStore()));
  const ask = (user: string, n: number) =>
    local.run(n, () => handler(new Request("http://localhost/", { headers: { user } })));
  const crowd = () => Array.from({ length: 500 }, (_, n) => ask("ann", n));

  const all = crowd();
  tell({ limit: 400 });
  const responses = await Promise.all(all);
  assertEquals([asked, responses.filter(({ status }) => status === 200).length], [1, 400]);
  assertEquals(await Promise.all(responses.slice(0, 400).map((response) => response.json())), [...Array(400).keys()]);

  // the cached policy has expired, and the lookup fails for all requests that share it, but not for later requests
  clock.advance(5000);
  const failing = crowd();
  fail(new Error("the database is down"));
  const ends = await Promise.allSettled(failing);
  assertEquals([asked, ends.filter(({ status }) => status === "rejected").length], [2, 500]);
  const last = ask("ann", 0);
  tell({ limit: 1000 });
  assertEquals([(await last).status, asked], [200, 3]);
});

Deno.test("a lookup that never ends is shared for policyTtlMs only, and none where it ends with its request", async () => {
  const clock = new VirtualClock();
  const lookups: ((choice: PolicyChoice) => void)[] = [];
  const options = {
    ...{ keyGenerator, clock: clock.read, timers: clock.timers, policyTtlMs: 1000 },
    policy: () => new Promise<PolicyChoice>((resolve) => lookups.push(resolve)),
  };
  const ask = asker(fetchLimit(options));
  void ask("ann");
  clock.advance(1000);
  const second = ask("ann");
  assertEquals(lookups.length, 2);
  lookups[1]!({ limit: 3 });
  assertEquals([await second, await ask("ann")], [2, 1]);

  lookups.length = 0;
  const alone = asker(fetchLimit({ ...options, timers: { ...clock.timers, endWithRequest: true } }));
  const both = [alone("ann"), alone("ann")];
  assertEquals(lookups.length, 2);
  for (const tell of lookups) tell({ limit: 3 });
  assertEquals(await Promise.all(both), [2, 1]);
});
