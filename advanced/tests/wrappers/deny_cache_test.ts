import { assert, assertEquals } from "@std/assert";
import { ALGORITHM_NAMES, Limiter, MemoryStore, type Policy, type Take, type Verdict } from "../../mod.ts";
import { newCounters } from "../../src/wrappers/counters.ts";
import { FaultyStore, VirtualClock } from "../../testing.ts";
import { DenyCacheStore } from "../../src/wrappers/deny_cache.ts";
import { AsyncStore } from "../support/async_store.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

function policyOf(algorithm: Policy["algorithm"], more: Partial<Policy> = {}): Policy {
  return { name: algorithm, algorithm, limit: 5, windowMs: 1000, ...more };
}

const FREE = ALGORITHM_NAMES.map((algorithm) => policyOf(algorithm));

/** The same, with settlements. */
const SETTLED = FREE.flatMap((policy) =>
  policy.algorithm === "concurrency" ? [policy] : [policy, { ...policy, name: `${policy.name}, settled`, maxDebt: 8 }]
);

function setUp() {
  const clock = new VirtualClock();
  const counters = newCounters();
  const behind = new AsyncStore(new MemoryStore({ clock: clock.read }));
  const alone = new MemoryStore({ clock: clock.read });
  return { clock, counters, behind, alone, cached: new DenyCacheStore(behind, clock.read, counters) };
}

Deno.test("cached refusals are exactly those the store would return", async () => {
  const { clock, counters, alone, cached } = setUp();
  const pick = seededRandom(1);
  const given: { take: Take; mine: number; theirs: number }[] = [];
  for (let step = 0; step < 40_000; step++) {
    clock.advance(pick(3) === 0 ? pick(60) : 0);
    const take: Take = { policy: SETTLED[pick(SETTLED.length)]!, key: `key ${pick(2)}`, cost: 1 };
    const [verdict] = await cached.decide([take]);
    const [expected] = alone.decide([take]);
    assertEquals({ ...verdict, stamp: 0 }, { ...expected, stamp: 0 }, `step ${step}, ${take.policy.name}`);
    if (expected!.granted > 0) given.push({ take, mine: verdict!.stamp, theirs: expected!.stamp });
    if (pick(40) === 0 && given.length > 0) {
      const { take, mine, theirs } = given.splice(pick(given.length), 1)[0]!;
      assertEquals(await cached.give(take, mine, 1), alone.give(take, theirs, 1));
    }
    if (pick(40) === 0 && given.length > 0) {
      const { take, mine, theirs } = given.splice(pick(given.length), 1)[0]!;
      if (take.policy.maxDebt === undefined) continue;
      const change = 1 + pick(4);
      const settled = [await cached.settle(take, mine, change), alone.settle(take, theirs, change)];
      assertEquals({ ...settled[0]!, stamp: 0 }, { ...settled[1]!, stamp: 0 });
    }
  }
  assert(counters.denyCacheHits > 3000, `${counters.denyCacheHits} were told from memory`);
});

Deno.test("with costs of every size and several policies, the same requests are admitted as without the cache", async () => {
  const { clock, counters, alone, cached } = setUp();
  const pick = seededRandom(2);
  for (let step = 0; step < 20_000; step++) {
    clock.advance(pick(3) === 0 ? pick(80) : 0);
    const policies = [FREE[pick(FREE.length)]!, FREE[pick(FREE.length)]!].slice(pick(2));
    const takes = [...new Set(policies)].map((policy) => {
      return { policy, key: `key ${pick(2)}`, cost: 1 + pick(6), shadow: pick(10) === 0 };
    });
    const verdicts = await cached.decide(takes);
    const expected = alone.decide(takes);
    const where = `step ${step}, ${takes.map(({ policy }) => policy.name)}`;
    assertEquals(verdicts.map(({ granted }) => granted), expected.map(({ granted }) => granted), where);
    // and the wait is the one the store would report, whatever has been granted since
    const longest = (all: readonly { retryAfterMs: number }[]) =>
      Math.max(...all.map(({ retryAfterMs }, i) => takes[i]!.shadow ? 0 : retryAfterMs));
    if (!expected.some(({ granted }) => granted > 0)) assertEquals(longest(verdicts), longest(expected), where);
  }
  assert(counters.denyCacheHits > 1000, `${counters.denyCacheHits} were told from memory`);
});

Deno.test("a refusal is never returned after its retry time, and the store is asked from the last ms on", async () => {
  for (const policy of FREE.filter(({ algorithm }) => algorithm !== "concurrency")) {
    const { clock, behind, cached } = setUp();
    const take: Take = { policy, key: "key", cost: 1 };
    await cached.decide([{ ...take, cost: 5 }]);
    const { retryAfterMs } = (await cached.decide([take]))[0]!;
    assert(retryAfterMs > 2, policy.name);
    const { decide } = behind.calls;
    clock.advance(retryAfterMs - 2);
    const [refused] = await cached.decide([take]);
    assertEquals([refused!.denied, refused!.retryAfterMs, behind.calls.decide], [true, 2, decide], policy.name);
    clock.advance(1);
    assertEquals((await cached.decide([take]))[0]!.retryAfterMs, 1);
    assertEquals(behind.calls.decide, decide + 1);
    clock.advance(1);
    assertEquals((await cached.decide([take]))[0]!.granted, 1, policy.name);
  }
});

Deno.test("a cost that never fits is refused from the cache for ten seconds, with what remains", async () => {
  const { clock, behind, cached } = setUp();
  const take: Take = { policy: policyOf("fixed-window"), key: "key", cost: 6 };
  const refused = async () => {
    const [{ retryAfterMs, remaining }] = await cached.decide([take]) as [Verdict];
    return [retryAfterMs, remaining, behind.calls.decide];
  };
  for (let times = 0; times < 3; times++) assertEquals(await refused(), [Infinity, 5, 1]);
  clock.advance(10_000);
  assertEquals(await refused(), [Infinity, 5, 2]);
  await cached.decide([{ ...take, cost: 5 }]);
  assertEquals(await refused(), [Infinity, 0, 4]);
});

Deno.test("a settlement of more puts off what is told about a refusal, also of one that is under way", async () => {
  for (const isUnderWay of [false, true]) {
    const { clock, behind, cached } = setUp();
    const policy: Policy = { ...policyOf("sliding-log"), windowMs: 60_000, maxDebt: 20 };
    const take: Take = { policy, key: "key", cost: policy.limit };
    const [granted] = await cached.decide([take]) as [Verdict];
    const late = Promise.withResolvers<void>();
    if (isUnderWay) behind.back = late.promise;
    const refused = cached.decide([{ ...take, cost: 1 }]);
    behind.back = null;
    if (!isUnderWay) assertEquals((await refused)[0]!.retryAfterMs, 60_000);
    clock.advance(1000);
    await cached.settle(take, granted.stamp, 15);
    late.resolve();
    await refused;
    for (let times = 0; times < 2; times++) {
      assertEquals((await cached.decide([{ ...take, cost: 1 }]))[0]!.retryAfterMs, 4 * 60_000 - 1000);
    }
  }
});

Deno.test("refunds and resets clear cached refusals", async () => {
  const { behind, cached, counters } = setUp();
  const take: Take = { policy: policyOf("sliding-log"), key: "key", cost: 1 };
  const [granted] = await cached.decide([{ ...take, cost: 5 }]);
  for (let times = 0; times < 3; times++) assertEquals((await cached.decide([take]))[0]!.denied, true);
  assertEquals(counters.denyCacheHits, 2);
  await cached.give(take, granted!.stamp, 1);
  assertEquals((await cached.decide([take]))[0]!.granted, 1);
  assertEquals((await cached.decide([take]))[0]!.denied, true);
  await cached.reset({ policy: "sliding-log" });
  assertEquals((await cached.decide([take]))[0]!.granted, 1);
  assertEquals(behind.calls.decide, 5);
});

Deno.test("a grant at a smaller cost, also as a part of a batch, puts off what is told about a greater one", async () => {
  for (const others of [[], [{ policy: policyOf("token-bucket"), key: "other", cost: 1 }]]) {
    const { clock, behind, cached } = setUp();
    const policy = policyOf("sliding-log", { limit: 10 });
    const take = (cost: number): Take => ({ policy, key: "key", cost });
    const wait = async () => (await cached.decide([take(6)]))[0]!.retryAfterMs;
    await cached.decide([take(5)]);
    clock.advance(400);
    await cached.decide([take(1)]);
    assertEquals(await wait(), 600);
    const { decide } = behind.calls;
    clock.advance(100);
    assertEquals([await wait(), behind.calls.decide], [500, decide]);
    await cached.decide([take(4), ...others]);
    assertEquals([await wait(), behind.calls.decide], [900, decide + 2]);
    // and grants to another key change nothing
    await cached.decide([{ ...take(1), key: "someone else's" }]);
    assertEquals([await wait(), behind.calls.decide], [900, decide + 3]);
  }
});

Deno.test("a refusal requested before a refund is not cached", async () => {
  for (const change of ["give", "reset"] as const) {
    const { behind, cached } = setUp();
    const take: Take = { policy: policyOf("fixed-window"), key: "key", cost: 1 };
    const [granted] = await cached.decide([{ ...take, cost: 5 }]);
    const back = Promise.withResolvers<void>();
    behind.back = back.promise;
    const refused = cached.decide([take]);
    behind.back = null;
    if (change === "give") await cached.give(take, granted!.stamp, 1);
    else await cached.reset({ policy: "fixed-window" });
    back.resolve();
    assertEquals((await refused)[0]!.denied, true);
    assertEquals((await cached.decide([take]))[0]!.granted, 1, change);
  }
});

Deno.test("a refusal that overtook a refund is not cached", async () => {
  for (const change of ["give", "reset"] as const) {
    const { behind, cached } = setUp();
    const take: Take = { policy: policyOf("fixed-window"), key: "key", cost: 1 };
    const [granted] = await cached.decide([{ ...take, cost: 5 }]);
    const ahead = Promise.withResolvers<void>();
    behind.ahead = ahead.promise;
    const given = change === "give" ? cached.give(take, granted!.stamp, 1) : cached.reset({ policy: "fixed-window" });
    behind.ahead = null;
    assertEquals((await cached.decide([take]))[0]!.denied, true);
    ahead.resolve();
    await given;
    assertEquals((await cached.decide([take]))[0]!.granted, 1, change);
  }
});

Deno.test("refusals that cost something, and those of concurrency, always reach the store", async () => {
  const policies = [
    policyOf("concurrency"),
    policyOf("fixed-window", { onDenied: "charge" }),
    policyOf("sliding-window", { onDenied: "extend" }),
    policyOf("token-bucket", { block: { after: 2, forMs: 5000 } }),
  ];
  for (const policy of policies) {
    const { behind, cached, counters } = setUp();
    const take: Take = { policy, key: "key", cost: 1 };
    await cached.decide([{ ...take, cost: 5 }]);
    for (let times = 0; times < 5; times++) assertEquals((await cached.decide([take]))[0]!.denied, true);
    assertEquals([behind.calls.decide, counters.denyCacheHits], [6, 0]);
  }
});

Deno.test("peeks and shadow takes are never answered from the cache", async () => {
  const { behind, cached, counters } = setUp();
  const take: Take = { policy: policyOf("fixed-window"), key: "key", cost: 1 };
  await cached.decide([{ ...take, cost: 5 }]);
  for (let times = 0; times < 3; times++) {
    assertEquals((await cached.decide([{ ...take, cost: 0 }]))[0]!.denied, false);
    assertEquals((await cached.decide([{ ...take, shadow: true }]))[0]!.denied, true);
  }
  assertEquals([behind.calls.decide, counters.denyCacheHits], [7, 0]);
});

Deno.test("of several limits, a cached refusal names those that still refuse", async () => {
  const { clock, behind, alone, cached } = setUp();
  const day = policyOf("fixed-window", { name: "day", windowMs: 86_400_000 });
  for (const shadow of [false, true]) {
    const takes: Take[] = [
      { policy: day, key: `key ${shadow}`, cost: 5 },
      { policy: policyOf("sliding-log", { name: "second" }), key: `key ${shadow}`, cost: 5, shadow },
    ];
    for (const store of [cached, alone]) await store.decide(takes);
    const { decide } = behind.calls;
    for (let ms = 0; ms < 9000; ms += 300) {
      assertEquals(await cached.decide(takes), alone.decide(takes), `after ${ms} ms`);
      clock.advance(300);
    }
    assertEquals(behind.calls.decide, decide + 2);
  }
});

Deno.test("a limiter's cache of refusals uses elapsed time: setting the clock changes no answer", async () => {
  for (const [jump, asked] of [[-3_600_000, 2], [3_600_000, 3]] as const) {
    const clock = new VirtualClock();
    let jumped = 0;
    const server = new MemoryStore({ clock: clock.read });
    const behind = new AsyncStore(server);
    const limiter = new Limiter({
      ...{ store: behind, limit: 1, windowMs: 10_000, timers: clock.timers },
      clock: () => clock.now + jumped,
    });
    await limiter.consume("key");
    assertEquals((await limiter.consume("key")).retryAfterMs, 10_000);
    clock.advance(4000);
    jumped = jump;
    assertEquals((await limiter.consume("key")).retryAfterMs, 6000);
    // a clock that jumps ahead may mean that the machine slept
    assertEquals(behind.calls.decide, asked);
    clock.advance(6000);
    assertEquals((await limiter.consume("key")).allowed, true);
  }
});

Deno.test("a refusal from before a process was frozen is not returned if it resumes after the refusal's end", async () => {
  const clock = new VirtualClock();
  const store = new AsyncStore(new MemoryStore({ clock: clock.read }));
  const timers = { ...clock.timers, now: () => 0 };
  const limiter = new Limiter({ store, limit: 1, windowMs: 5000, clock: clock.read, timers });
  await limiter.consume("key");
  assertEquals((await limiter.consume("key")).allowed, false);
  clock.advance(5000);
  assertEquals((await limiter.consume("key")).allowed, true);
});

Deno.test("the cache of refusals is bounded", async () => {
  const { behind, cached } = setUp();
  const policy = policyOf("fixed-window", { limit: 0 });
  for (let i = 0; i < 30_000; i++) await cached.decide([{ policy, key: `key ${i}`, cost: 1 }]);
  const { decide } = behind.calls;
  // the latest refusals are cached; the first were dropped
  await cached.decide([{ policy, key: "key 29999", cost: 1 }]);
  assertEquals(behind.calls.decide, decide);
  await cached.decide([{ policy, key: "key 0", cost: 1 }]);
  assertEquals(behind.calls.decide, decide + 1);
});

/** Two processes, each with a refusal cache, on one store with a quota of one unit per day. */
function setUpTwo() {
  const clock = new VirtualClock();
  const behind = new FaultyStore(new AsyncStore(new MemoryStore({ clock: clock.read })));
  const limiters = [0, 1].map(() =>
    new Limiter({
      ...{ store: behind, name: "day", limit: 1, windowMs: 86_400_000 },
      clock: clock.read,
      timers: clock.timers,
    })
  ) as [Limiter, Limiter];
  return { clock, behind, limiters };
}

Deno.test("another process's refund or reset is seen within ten seconds", async () => {
  for (const change of ["refund", "reset"] as const) {
    const { clock, behind, limiters: [one, other] } = setUpTwo();
    const decision = await one.consume("key");
    assertEquals((await other.consume("key")).allowed, false);
    await (change === "refund" ? one.refund(decision) : one.reset("key"));
    const { calls } = behind;
    clock.advance(9_999);
    assertEquals([(await other.consume("key")).allowed, behind.calls], [false, calls]);
    clock.advance(1);
    assertEquals([(await other.consume("key")).allowed, behind.calls], [true, calls + 1]);
  }
});

Deno.test("a refusal that the store can't confirm is returned until its end", async () => {
  const { clock, behind, limiters: [limiter] } = setUpTwo();
  await limiter.consume("key");
  assertEquals((await limiter.consume("key")).allowed, false);
  behind.fail();
  for (let times = 0; times < 20; times++) {
    clock.advance(60_000);
    const { allowed, decidedBy, retryAfterMs } = await limiter.consume("key");
    assertEquals([allowed, decidedBy, retryAfterMs], [false, "store", 86_400_000 - (times + 1) * 60_000]);
  }
  assertEquals(limiter.breakerIsOpen, true);
  behind.heal();
  clock.advance(86_400_000);
  assertEquals((await limiter.consume("key")).allowed, true);
  // the previous day's entries have expired
  behind.fail();
  assertEquals((await limiter.consume("key")).decidedBy, "local");
});

Deno.test("peek returns a refusal that the store can't confirm, as consume does", async () => {
  const { clock, behind, limiters: [limiter] } = setUpTwo();
  await limiter.consume("key");
  assertEquals((await limiter.consume("key")).allowed, false);
  behind.fail();
  for (let times = 0; times < 20; times++) {
    clock.advance(60_000);
    const { allowed, decidedBy, remaining, retryAfterMs } = await limiter.peek("key");
    const refused = await limiter.consume("key");
    assertEquals([allowed, decidedBy, remaining, retryAfterMs], [false, "store", 0, refused.retryAfterMs]);
  }
  assertEquals((await limiter.peek("another")).remaining, 1);
  assertEquals((await limiter.consume("key", 0)).allowed, true);
});

Deno.test("peek says when a refusal by several limits ends, also if one has units again and the store fails", async () => {
  const clock = new VirtualClock();
  const store = new AsyncStore(new MemoryStore({ clock: clock.read }));
  const limits = [{ name: "long", limit: 1, windowMs: 60_000 }, { name: "short", limit: 1, windowMs: 1000 }];
  const limiter = new Limiter({ limits, store, clock: clock.read, timers: clock.timers, processes: 1 });
  limiter.on("storeFailure", () => {});
  await limiter.consume("key");
  await limiter.consume("key");
  clock.advance(2000);
  store.failure = new Error("down");
  const peeked = await limiter.peek("key");
  assertEquals([peeked.allowed, peeked.decidedBy, peeked.retryAfterMs], [false, "store", 58_000]);
  assertEquals((await limiter.consume("key")).retryAfterMs, 58_000);
});
