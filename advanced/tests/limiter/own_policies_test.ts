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
      ...{ name: "quota", max: 3, windowMs: 60_000, store: make(clock), clock: clock.read },
      policies: { pro: { max: 10 }, daily: { max: 20, window: { every: "day", timeZone: "Europe/Berlin" } } },
    });
    const left = async (key: string, policy?: PolicyChoice) => (await limiter.check(key, { policy })).remaining;
    try {
      assertEquals(await left("ann"), 2);
      assertEquals(await left("ann", "pro"), 8);
      assertEquals(await left("ben", "pro"), 9);
      assertEquals(await left("ann", { max: 5 }), 2);
      assertEquals(await left("ann", { max: 5, windowMs: 3_600_000 }), 1);
      assertEquals(await left("ann", "daily"), 15);
      // back to what it was, and above it by now
      const refused = await limiter.check("ann");
      assertEquals([refused.allowed, refused.remaining], [false, 0]);
      assertEquals((await limiter.peek("ben", { policy: "pro" })).remaining, 9);
      const bucket = { algorithm: "token-bucket", max: 60, burst: 5 } as const;
      assertEquals(await left("cid", bucket), 4);
      clock.advance(1000);
      assertEquals(await left("cid", { ...bucket, burst: 10 }), 9);
      assertEquals((await limiter.waitFor("dan", { policy: { max: 7 } })).remaining, 6);
      assertEquals((await limiter.check("eve", { policy: "daily" })).resetMs, 11 * 3_600_000 - 1000);
    } finally {
      await limiter.close();
    }
  });

  Deno.test(`${name}: of several limits, a policy changes those that it names`, async () => {
    const clock = new VirtualClock();
    const limiter = new Limiter({
      limits: [{ name: "minute", max: 3 }, { name: "hour", max: 5, windowMs: 3_600_000, algorithm: "sliding-window" }],
      policies: { pro: { minute: { max: 100 } } },
      ...{ store: make(clock), clock: clock.read },
    });
    try {
      const leftOf = async (policy?: PolicyChoice) =>
        (await limiter.check("ann", { policy })).verdicts.map(({ remaining }) => remaining);
      assertEquals(await leftOf(), [2, 4]);
      assertEquals(await leftOf("pro"), [98, 3]);
      assertEquals(await leftOf({ hour: { max: 50 }, minute: { max: 10 } }), [7, 47]);
    } finally {
      await limiter.close();
    }
  });
}

Deno.test("a refusal that was remembered is not told to a key whose policy has changed since", async () => {
  const clock = new VirtualClock();
  const store = STORES["RedisStore"]!(clock);
  const limiter = new Limiter({ name: "quota", max: 1, store, clock: clock.read, denyCache: true });
  try {
    await limiter.check("ann");
    assertEquals((await limiter.check("ann")).allowed, false);
    assertEquals((await limiter.check("ann", { policy: { max: 2 } })).allowed, true);
    assertEquals((await limiter.check("ann", { policy: { algorithm: "sliding-window" } })).allowed, true);
  } finally {
    await limiter.close();
  }
});

/** Asks a limit for a user, and tells what is left, or the status of the refusal. */
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
  const table = new Map([["ann", { max: 2 }], ["ben", { max: 100 }]]);
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
  table.set("ann", { max: 5 });
  clock.advance(4999);
  assertEquals(await ask("ann"), 429);
  clock.advance(1);
  assertEquals([await ask("ann"), await ask("nobody")], [2, 99]);
  assertEquals(asked, ["ann", "ben", "ann", "nobody"]);
});

Deno.test("a key that reads like the keys of several limits does not get the policy of those", async () => {
  const ask = asker(fetchLimit({
    ...{ limits: [{ name: "a", max: 1 }], policyTtlMs: 5000 },
    keyGenerator: (request) => {
      const user = keyGenerator(request);
      return user === "ann" ? { a: user } : user;
    },
    policy: (request) => Promise.resolve(keyGenerator(request) === "ann" ? { max: 100 } : {}),
  }));
  assertEquals([await ask("ann"), await ask('{"a":"ann"}')], [99, 0]);
});

Deno.test("a policy that is known at once, or that none is to remember, is asked for each time", async () => {
  const tiers = { ann: "pro" };
  const sync = asker(fetchLimit({
    ...{ keyGenerator, max: 1, policies: { pro: { max: 10 }, free: {} } },
    policy: (request) => request.headers.get("user") === "ann" ? tiers.ann : "free",
  }));
  assertEquals([await sync("ann"), await sync("ben"), await sync("ben")], [9, 0, 429]);
  tiers.ann = "free";
  // one was used, which is all that this policy has
  assertEquals(await sync("ann"), 429);
  let asked = 0;
  const never = asker(
    fetchLimit({ keyGenerator, policyTtlMs: 0, policy: () => Promise.resolve({ max: ++asked * 10 }) }),
  );
  assertEquals([await never("ann"), await never("ann")], [9, 18]);
});

Deno.test("a policy that can't be found fails the request, and is asked for again", async () => {
  const found: (() => Promise<PolicyChoice>)[] = [
    () => Promise.reject(new Error("the database is down")),
    () => Promise.resolve("gold"),
    () => Promise.resolve({ max: -1 }),
    () => Promise.resolve(undefined as unknown as PolicyChoice),
    () => Promise.resolve({ max: 4 }),
  ];
  const ask = asker(fetchLimit({ keyGenerator, policy: () => found.shift()!(), policies: { pro: { max: 9 } } }));
  await assertRejects(() => ask("ann"), Error, "the database is down");
  await assertRejects(() => ask("ben"), TypeError, 'there is no policy "gold"; there are pro');
  await assertRejects(() => ask("cid"), RangeError, "policy: option max");
  await assertRejects(() => ask("ann"), TypeError, "option policy must be a name in policies");
  assertEquals(await ask("ann"), 3);
});

Deno.test("what is no policy is refused, with what to do instead", () => {
  const make = (policies: unknown, more: object = {}) => () => new Limiter({ policies, ...more } as LimiterOptions);
  assertThrows(make("pro"), TypeError, "Limiter: option policies must be an object of policies by name");
  assertThrows(make({ pro: 5 }), TypeError, "Limiter, policies.pro must be a name of policies, or an object");
  assertThrows(make({ pro: { maximum: 5 } }), TypeError, "Limiter, policies.pro");
  assertThrows(make({ pro: { max: -5 } }), RangeError, "Limiter, policies.pro: option max");
  assertThrows(make({ pro: { algorithm: "concurrency" } }), TypeError, "counts requests in progress");
  assertThrows(make({ pro: { buckets: 5 } }), TypeError, "option buckets is for algorithm");
  const limits = [{ name: "minute" }, { name: "hour" }];
  assertThrows(make({ pro: { day: { max: 5 } } }, { limits }), TypeError, 'a limit "day" that there is not');
  const counter = { increment: () => {}, decrement: () => {}, resetKey: () => {} } as unknown as CounterLike;
  const store = fromCounter(() => counter);
  assertThrows(make({ pro: { algorithm: "token-bucket" } }, { store }), TypeError, "is not supported by the store");
  assertThrows(make({ pro: { window: { every: "day" } } }, { store }), TypeError, "windows of the calendar");
  assertThrows(
    () => void new Limiter().check("ann", { max: 5, policy: { max: 5 } }),
    TypeError,
    "options max and policy exclude each other",
  );
  assertThrows(() => void new Limiter().check("ann", { policy: "pro" }), TypeError, "there are none; name them");
  assertThrows(
    () => rateLimit({ policy: () => ({}), max: () => 5 }),
    TypeError,
    "options policy and max exclude each other as functions",
  );
  assertThrows(() => rateLimit({ policy: () => ({}), policyTtlMs: -1 }), RangeError, "option policyTtlMs");
  assertThrows(() => rateLimit({ policy: 5 as never }), TypeError, "option policy must be a function");
});
