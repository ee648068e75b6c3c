import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { MemoryStore as ExpressMemoryStore } from "express-rate-limit";
import type { Policy } from "../../src/policy/policy.ts";
import type { Decision } from "../../src/limiter/decision.ts";
import { rateLimit } from "../../src/http/rate_limit.ts";
import { Limiter } from "../../src/limiter/limiter.ts";
import { fromCounter } from "../../src/stores/counter_store.ts";
import type { CallbackCounterLike, CounterInfo, CounterLike } from "../../src/stores/counter_like.ts";
import { MemoryStore } from "../../src/stores/memory_store.ts";
import type { Store, Take, Verdict } from "../../src/policy/store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

const POLICY: Policy = { name: "fixed", algorithm: "fixed-window", limit: 6, windowMs: 60_000 };
const OTHER: Policy = { ...POLICY, name: "other", limit: 4, windowMs: 90_000 };

/** Replaces the system clock, which express-rate-limit's own store reads, with a virtual one. */
async function withExpressStore(body: (store: Store, clock: VirtualClock) => Promise<void>): Promise<void> {
  const clock = new VirtualClock();
  const systemNow = Date.now;
  Date.now = clock.read;
  const store = fromCounter(() => new ExpressMemoryStore(), { clock: clock.read });
  try {
    await body(store, clock);
  } finally {
    Date.now = systemNow;
    await store.close!();
  }
}

/** A counter with the interface before express-rate-limit 6, which the MongoDB store still has. */
class CallbackCounter implements CallbackCounterLike {
  readonly hits = new Map<string, number>();
  readonly #end = new Date(Date.now() + 60_000);
  failure: Error | null = null;
  incr(key: string, callback: (error: unknown, totalHits: number, resetTime: Date) => void): void {
    this.hits.set(key, (this.hits.get(key) ?? 0) + 1);
    queueMicrotask(() => callback(this.failure, this.hits.get(key)!, this.#end));
  }
  decrement(key: string): void {
    this.hits.set(key, this.hits.get(key)! - 1);
  }
  resetKey(key: string): void {
    this.hits.delete(key);
  }
}

Deno.test("a counter with callbacks is accepted as is", async () => {
  const counter = new CallbackCounter();
  const { limiter } = rateLimit({ name: "old", limit: 2, store: counter });
  const told = [await limiter.consume("key"), await limiter.consume("key"), await limiter.consume("key")];
  assertEquals(told.map(({ allowed, remaining }) => [allowed, remaining]), [[true, 1], [true, 0], [false, 0]]);
  assertEquals(told.map(({ decidedBy }) => decidedBy), ["store", "store", "store"]);
  assertEquals(await limiter.refund(told[0]!), true);
  assertEquals(await limiter.reset("key"), 1);
  assertEquals(counter.hits.size, 0);
  counter.failure = new Error("no database");
  assertEquals((await limiter.consume("key")).decidedBy, "local");
  assertEquals(fromCounter(() => new CallbackCounter()).capabilities.scope, "global");
});

/** A counter that records its calls, has no reset times, and cannot be read. */
class BareCounter implements CounterLike {
  readonly hits = new Map<string, number>();
  readonly calls: string[] = [];
  init({ windowMs }: { windowMs: number }): void {
    this.calls.push(`init ${windowMs}`);
  }
  increment(key: string): CounterInfo {
    this.calls.push(`increment ${key}`);
    this.hits.set(key, (this.hits.get(key) ?? 0) + 1);
    return { totalHits: this.hits.get(key)! };
  }
  decrement(key: string): void {
    this.calls.push(`decrement ${key}`);
    this.hits.set(key, this.hits.get(key)! - 1);
  }
  resetKey(key: string): void {
    this.calls.push(`resetKey ${key}`);
    this.hits.delete(key);
  }
}

Deno.test("a counter's answer without a valid count or time is a failure and not a grant", async () => {
  const responses: unknown[] = [
    undefined,
    {},
    { totalHits: NaN },
    { totalHits: "1" },
    { totalHits: 1, resetTime: "soon" },
    { totalHits: 1, resetTime: new Date(NaN) },
  ];
  for (const response of responses) {
    const counter: CounterLike = {
      increment: () => response as CounterInfo,
      decrement: () => {},
      resetKey: () => {},
    };
    const limiter = new Limiter({ store: fromCounter(counter), onStoreFailure: "closed" });
    const errors: string[] = [];
    limiter.on("storeFailure", (error) => errors.push(String(error)));
    const { allowed, decidedBy } = await limiter.consume("a");
    assertEquals([allowed, decidedBy], [false, "closed"], String(response));
    assertStringIncludes(errors.join(), "totalHits as a number and resetTime as a Date");
  }
});

Deno.test("a counter that stores JSON, like hono-rate-limiter's for unstorage, can be read and reset", async () => {
  const kept = new Map<string, string>();
  const counter: CounterLike = {
    get: (key) => JSON.parse(kept.get(key) ?? "null"),
    increment(key) {
      const { totalHits = 0, resetTime = new Date(60_000) } = JSON.parse(kept.get(key) ?? "{}");
      kept.set(key, JSON.stringify({ totalHits: totalHits + 1, resetTime }));
      return { totalHits: totalHits + 1, resetTime };
    },
    decrement: () => {},
    resetKey: (key) => void kept.delete(key),
  };
  const limiter = new Limiter({ limit: 3, store: fromCounter(counter, { clock: () => 0 }), onStoreFailure: "closed" });
  const seen = [await limiter.consume("a"), await limiter.consume("a"), await limiter.peek("a")];
  assertEquals(seen.map(({ remaining, resetMs }) => [remaining, resetMs]), [[2, 60_000], [1, 60_000], [1, 60_000]]);
  assertEquals(await limiter.reset("a"), 1);
  assertEquals((await limiter.peek("a")).remaining, 3);
});

Deno.test("a key unknown to a counter has its full quota, however the counter reports that, and can be reset", async () => {
  for (const nothing of [undefined, null, { totalHits: NaN, resetTime: new Date() }]) {
    const counter = new BareCounter();
    const limiter = new Limiter({
      limit: 3,
      store: fromCounter(Object.assign(counter, { get: () => nothing as CounterInfo })),
    });
    const { remaining, decidedBy } = await limiter.peek("a");
    assertEquals([remaining, decidedBy], [3, "store"]);
    assertEquals(await limiter.reset("a"), 0);
    assertEquals(counter.calls.at(-1), "resetKey 3-per-60000ms-fixed-window:a");
  }
});

Deno.test("a process that has counted nothing itself can reset what others have counted", async () => {
  const database = new BareCounter();
  const [one, other] = [
    new Limiter({ limit: 1, store: fromCounter(database) }),
    new Limiter({ limit: 1, store: fromCounter(database) }),
  ];
  assertEquals([(await one.consume("a")).allowed, (await one.consume("a")).allowed], [true, false]);
  await other.reset("a");
  assertEquals((await other.consume("a")).allowed, true);
  const windows = database.calls.filter((call) => call.startsWith("init"));
  assertEquals(windows, ["init 60000", "init 60000"], "each process calls init before anything else");
});

async function one(store: Store, cost: number, times = 1): Promise<Verdict> {
  return (await store.decide([{ policy: POLICY, key: "a", cost }], times))[0]!;
}

Deno.test("over express-rate-limit's MemoryStore it decides like the memory store", async () => {
  await withExpressStore(async (store, clock) => {
    const memory = new MemoryStore({ clock: clock.read });
    const pick = seededRandom(8);
    for (let step = 0; step < 6000; step++) {
      clock.advance(pick(20_000));
      const take: Take = { policy: pick(2) === 0 ? POLICY : OTHER, key: `key ${pick(4)}`, cost: pick(8) };
      const times = 1 + pick(3);
      if (pick(100) === 0) {
        await store.reset({ policy: take.policy.name, key: take.key });
        memory.reset({ policy: take.policy.name, key: take.key });
      }
      const seen = { step, take, times };
      const expected = memory.decide([take], times)[0];
      assertEquals({ ...seen, verdict: (await store.decide([take], times))[0] }, { ...seen, verdict: expected });
    }
  });
});

Deno.test("batches of two policies grant what the memory store grants, with the same remaining", async () => {
  await withExpressStore(async (store, clock) => {
    const memory = new MemoryStore({ clock: clock.read });
    const pick = seededRandom(9);
    let refusals = 0;
    const aligned: Policy[] = [POLICY, { ...OTHER, windowMs: POLICY.windowMs }];
    for (let step = 0; step < 3000; step++) {
      // all windows begin and end together, since a refund begins a counter's window but not the memory store's
      if (step % 20 === 0) {
        clock.advance(POLICY.windowMs);
        for (const key of ["0", "1"]) {
          for (const policy of aligned) {
            for (const each of [store, memory]) await each.decide([{ policy, key, cost: 1 }]);
          }
        }
      }
      const key = `${pick(2)}`;
      const takes = aligned.map((policy): Take => ({ policy, key, cost: pick(4), shadow: pick(8) === 0 }));
      const short = ({ granted, denied, remaining }: Verdict) => ({ granted, denied, remaining });
      const expected = memory.decide(takes).map(short);
      assertEquals({ step, takes, verdicts: (await store.decide(takes)).map(short) }, {
        step,
        takes,
        verdicts: expected,
      });
      if (expected.some(({ denied }) => denied)) refusals++;
    }
    assert(refusals > 300, `${refusals}`);
  });
});

Deno.test("of two hundred concurrent takes, exactly fifty are admitted", async () => {
  await withExpressStore(async (store) => {
    const policy = { ...POLICY, limit: 50 };
    const verdicts = await Promise.all(
      Array.from({ length: 200 }, async () => (await store.decide([{ policy, key: "a", cost: 1 }]))[0]!),
    );
    assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
  });
});

/** A remote counter: the test decides when its hits arrive. */
class RemoteCounter implements CounterLike {
  readonly hits = new Map<string, number>();
  readonly arriving: (() => void)[] = [];
  /** Returns the window's end; undefined by default. */
  resetTime: () => Date | undefined = () => undefined;
  increment(key: string): Promise<CounterInfo> {
    return new Promise((resolve) =>
      this.arriving.push(() => {
        this.hits.set(key, (this.hits.get(key) ?? 0) + 1);
        resolve({ totalHits: this.hits.get(key)!, resetTime: this.resetTime() });
      })
    );
  }
  decrement(key: string): Promise<void> {
    this.hits.set(key, this.hits.get(key)! - 1);
    return Promise.resolve();
  }
  resetKey(): void {}
}

/** Runs everything that waits only for promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

function limiterOn(counter: CounterLike, limit: number): { limiter: Limiter; clock: VirtualClock } {
  const clock = new VirtualClock();
  const store = fromCounter(counter, { clock: clock.read });
  return { limiter: new Limiter({ name: "fixed", limit, store, clock: clock.read, timers: clock.timers }), clock };
}

const admitted = (decisions: readonly Decision[]): number => decisions.filter(({ allowed }) => allowed).length;

Deno.test("concurrent takes on one key are sent to the counter in parallel, and no more than max are admitted", async () => {
  const counter = new RemoteCounter();
  const { limiter, clock } = limiterOn(counter, 30);
  const asked = Array.from({ length: 100 }, () => limiter.consume("a"));
  await settle();
  // all are in transit before the first reply
  assertEquals(counter.arriving.length, 100);
  clock.advance(50);
  for (const arrive of counter.arriving) arrive();
  assertEquals(admitted(await Promise.all(asked)), 30);
  assertEquals([limiter.counters.storeFailures, limiter.counters.limited], [0, 70]);
});

Deno.test("concurrent takes in two processes share exactly max, however their hits interleave", async () => {
  const [one, other] = [new RemoteCounter(), new RemoteCounter()];
  // one counter for both processes, over two connections
  Object.assign(other, { hits: one.hits });
  const limiters = [one, other].map((counter) => limiterOn(counter, 30).limiter);
  const asked = limiters.flatMap((limiter) => Array.from({ length: 40 }, () => limiter.consume("a")));
  await settle();
  for (let i = 0; i < 40; i++) {
    one.arriving[i]!();
    other.arriving[i]!();
  }
  const decisions = await Promise.all(asked);
  assertEquals([admitted(decisions.slice(0, 40)), admitted(decisions.slice(40))], [15, 15]);
});

Deno.test("a counter whose reset time varies slightly accepts refunds, but none of another window", async () => {
  const counter = new BareCounter();
  const clock = new VirtualClock();
  let end = clock.now + POLICY.windowMs;
  let responses = 0;
  // a counter that stores a window's remaining time adds it to its own clock
  const jitter = [0, 7, -5, 3];
  const increment = counter.increment.bind(counter);
  counter.increment = (key) => ({ ...increment(key), resetTime: new Date(end + jitter[responses++ % jitter.length]!) });
  const store = fromCounter(counter, { clock: clock.read });
  const take: Take = { policy: POLICY, key: "a", cost: 1 };
  const stamps: number[] = [];
  for (let hit = 0; hit < 4; hit++) stamps.push((await one(store, 1)).stamp);
  assertEquals(new Set(stamps).size, 4);
  for (const stamp of stamps.slice(1)) assertEquals(await store.give(take, stamp, 1), true);
  assertEquals(counter.hits.get("fixed:a"), 1);
  // the window is over, and the next one has begun
  clock.advance(POLICY.windowMs + 10);
  counter.hits.clear();
  end = clock.now + POLICY.windowMs;
  const { stamp } = await one(store, 1);
  assertEquals(await store.give(take, stamps[0]!, 1), false);
  for (const off of [-1500, 1500]) assertEquals(await store.give(take, stamp + off, 1), false);
  assertEquals(counter.hits.get("fixed:a"), 1);
  assertEquals(await store.give(take, stamp - 500, 1), true);
  assertEquals(counter.hits.get("fixed:a"), 0);
});

Deno.test("a counter whose clock is behind by more than a window still refuses, also merged takes", async () => {
  const now = Date.UTC(2026, 0, 2);
  let hits = 0;
  const counter: CounterLike = {
    increment: () => Promise.resolve({ totalHits: ++hits, resetTime: new Date(now - 600_000) }),
    decrement() {},
    resetKey() {},
  };
  const limiter = new Limiter({ limit: 5, store: fromCounter(counter, { clock: () => now }) });
  const together = await Promise.all(Array.from({ length: 20 }, () => limiter.consume("a")));
  assertEquals(together.filter(({ allowed }) => allowed).length, 5);
  assertEquals(limiter.counters.coalesced, 19);
  const after = await limiter.consume("a");
  assertEquals([after.allowed, after.remaining], [false, 0]);
  assert(after.retryAfterMs > 0);
});

Deno.test("units are given back within their window, and not after it", async () => {
  await withExpressStore(async (store, clock) => {
    const take: Take = { policy: POLICY, key: "a", cost: 3 };
    const { stamp } = await one(store, 3);
    assertEquals(stamp, clock.now + POLICY.windowMs);
    clock.advance(POLICY.windowMs - 1);
    assertEquals(await store.give(take, stamp, 2), true);
    assertEquals((await one(store, 0)).remaining, 5);
    clock.advance(1);
    assertEquals(await store.give(take, stamp, 1), false);
    assertEquals((await one(store, 2)).remaining, 4);
    assertEquals(await store.give(take, stamp, 1), false);
    assertEquals((await one(store, 0)).remaining, 4);
  });
});

Deno.test("the counter's init is called once, before its first hit", async () => {
  const counter = new BareCounter();
  const store = fromCounter(counter, { clock: new VirtualClock().read });
  await Promise.all([one(store, 1), one(store, 1)]);
  assertEquals(counter.calls, ["init 60000", "increment fixed:a", "increment fixed:a"]);
});

Deno.test("a cost is as many hits, and a refusal takes them back if the cost was above one", async () => {
  const counter = new BareCounter();
  const store = fromCounter(counter, { clock: new VirtualClock().read });
  assertEquals((await one(store, 4)).granted, 4);
  const { granted, denied, remaining } = await one(store, 3);
  assertEquals([granted, denied, remaining], [0, true, 2]);
  assertEquals(counter.hits.get("fixed:a"), 4);
});

Deno.test("a refused hit of cost 1 stays counted, whether it was merged with others or not", async () => {
  const counter = new BareCounter();
  const store = fromCounter(counter, { clock: new VirtualClock().read });
  await one(store, 4);
  const { granted, denied, remaining } = await one(store, 1, 5);
  assertEquals([granted, denied, remaining], [2, true, 0]);
  assertEquals(counter.hits.get("fixed:a"), 9);
  assertEquals((await one(store, 1)).granted, 0);
  assertEquals(counter.hits.get("fixed:a"), 10);
});

Deno.test("hits that can't be taken back stay counted", async () => {
  const counter = new BareCounter();
  counter.decrement = () => {
    throw new Error("can't");
  };
  const store = fromCounter(counter, { clock: new VirtualClock().read });
  await one(store, 5);
  assertEquals((await one(store, 2)).remaining, 0);
  assertEquals(counter.hits.get("fixed:a"), 7);
});

Deno.test("a cost above the limit is refused without a hit", async () => {
  const counter = new BareCounter();
  const store = fromCounter(counter, { clock: new VirtualClock().read });
  assertEquals((await one(store, 7)).retryAfterMs, Infinity);
  assertEquals(counter.calls, ["init 60000"]);
});

Deno.test("a counter without reset times is assumed to begin a window with the first hit", async () => {
  const counter = new BareCounter();
  const clock = new VirtualClock();
  const store = fromCounter(counter, { clock: clock.read });
  assertEquals((await one(store, 6)).resetMs, 60_000);
  clock.advance(20_000);
  const refused = await one(store, 1);
  assertEquals([refused.denied, refused.retryAfterMs, refused.resetMs], [true, 40_000, 40_000]);
  clock.advance(40_000);
  counter.hits.clear();
  const look = await one(store, 0);
  assertEquals([look.remaining, look.resetMs], [6, 0]);
  assertEquals((await one(store, 1)).resetMs, 60_000);
});

Deno.test("one counter serves one policy and window; a function makes one for each", async () => {
  const clock = new VirtualClock();
  const single = fromCounter(new BareCounter(), { clock: clock.read });
  await one(single, 1);
  const decide = (store: Store, policy: Policy) => store.decide([{ policy, key: "a", cost: 1 }]);
  await assertRejects(async () => await decide(single, OTHER), TypeError, 'a policy or window other than "other"');
  await assertRejects(async () => await decide(single, { ...POLICY, windowMs: 1 }), TypeError, "with 1 ms");
  assertEquals((await decide(single, { ...POLICY, limit: 9 }))[0]!.remaining, 7);
  const made: BareCounter[] = [];
  const many = fromCounter(() => made[made.push(new BareCounter()) - 1]!, { clock: clock.read });
  await decide(many, POLICY);
  await decide(many, OTHER);
  assertEquals(made.map(({ calls }) => calls), [
    ["init 60000", "increment fixed:a"],
    ["init 90000", "increment other:a"],
  ]);
});

Deno.test("limiters with different windows can't share a counter, and throw at construction", async () => {
  const theirs = new BareCounter();
  const hour = { name: "hour", limit: 3, windowMs: 3_600_000, store: fromCounter(theirs) };
  const limiter = new Limiter(hour);
  const again = new Limiter({ ...hour, limit: 5, store: fromCounter(theirs) });
  const second = { name: "second", windowMs: 1000 };
  const message = 'a policy or window other than "second" with 1000 ms; give each limiter a counter of its own';
  assertThrows(() => new Limiter({ ...second, store: fromCounter(theirs) }), TypeError, message);
  assertThrows(() => new Limiter({ ...second, store: hour.store }), TypeError, message);
  const limits = [{ name: "hour" }, { name: "second" }];
  assertThrows(() => rateLimit({ limits, store: theirs }), TypeError, 'a policy or window other than "');
  assertEquals([(await limiter.consume("a")).remaining, (await again.consume("a")).remaining], [2, 3]);
  await limiter.close();
  assertEquals(new Limiter({ ...second, store: fromCounter(theirs) }).policies[0]!.windowMs, 1000);
});

Deno.test("a hit that is never answered does not block takes a second later", async () => {
  const clock = new VirtualClock();
  const counter = new BareCounter();
  let isFirst = true;
  const increment = (key: string) => {
    const info = counter.increment(key);
    if (!isFirst) return info;
    isFirst = false;
    return new Promise<CounterInfo>(() => {});
  };
  const store = fromCounter({ increment, decrement() {}, resetKey() {} }, { clock: clock.read });
  const told: string[] = [];
  const ask = (name: string) => one(store, 1).then(({ remaining }) => told.push(`${name} ${remaining}`));
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  void ask("lost");
  for (let ms = 0; ms < 1200; ms += 100) {
    await turn();
    void ask(`${ms} ms`);
    await turn();
    clock.advance(100);
  }
  await ask("1200 ms");
  assertEquals(told, ["1100 ms 4", "1200 ms 3"]);
});

Deno.test("every limiter on a counter may be closed, and the counter is shut down once", async () => {
  const made: string[] = [];
  const store = fromCounter(() => {
    const number = made.push("open") - 1;
    return Object.assign(new BareCounter(), { shutdown: () => void (made[number] += " shut") });
  });
  const limiters = ["a", "b"].map((name) => new Limiter({ name, store }));
  for (const limiter of limiters) await limiter.consume("key");
  for (const limiter of [...limiters, ...limiters]) await limiter.close();
  assertEquals(made, ["open shut", "open shut"]);
});

Deno.test("a counter that fails to shut down is reported, and the others are shut down", async () => {
  const shut: number[] = [];
  let count = 0;
  const store = fromCounter(() => {
    const number = ++count;
    const shutdown = () => {
      if (number === 1) throw new Error("the first is stuck");
      shut.push(number);
    };
    return Object.assign(new BareCounter(), { shutdown });
  });
  for (const name of ["a", "b", "c"]) await new Limiter({ name, store }).consume("key");
  await assertRejects(async () => await store.close!(), Error, "the first is stuck");
  assertEquals(shut, [2, 3]);
});

Deno.test("however many keys a counter has, this process remembers no more than 100 000 of them", async () => {
  const bare: CounterLike = { increment: () => ({ totalHits: 1 }), decrement() {}, resetKey() {}, resetAll() {} };
  const store = fromCounter(bare);
  for (let i = 0; i < 100_010; i++) await store.decide([{ policy: POLICY, key: `${i}`, cost: 1 }]);
  const [{ stamp }] = await store.decide([{ policy: POLICY, key: "10", cost: 1 }]) as [Verdict];
  for (let i = 0; i < 5; i++) await store.decide([{ policy: POLICY, key: `late ${i}`, cost: 1 }]);
  assertEquals(await store.give({ policy: POLICY, key: "10", cost: 1 }, stamp, 1), true);
  assertEquals(await store.give({ policy: POLICY, key: "11", cost: 1 }, stamp, 1), false);
  assertEquals(await store.reset({ policy: POLICY.name }), 100_000);
});

Deno.test("policies that a counter can't support are type errors", async () => {
  const store = fromCounter(new BareCounter());
  const unserved: Policy[] = [
    { ...POLICY, algorithm: "sliding-log" },
    { ...POLICY, align: "clock" },
    { ...POLICY, onDenied: "extend" },
    { ...POLICY, block: { after: 1, forMs: 1000 } },
  ];
  for (const policy of unserved) {
    await assertRejects(
      async () => await store.decide([{ policy, key: "a", cost: 1 }]),
      TypeError,
      "a counter does not support",
    );
  }
});

Deno.test("a value that is no counter and makes none is a type error that says what it lacks", () => {
  const wrong: [unknown, string][] = [
    [{}, "fromCounter: the counter must have the methods increment, decrement and resetKey, not be an object without"],
    [undefined, "not be undefined; pass a store made for express-rate-limit, or a function that creates one"],
    ["redis", 'not be "redis"'],
    [{ increment() {}, decrement() {} }, "not be an object without resetKey"],
    [() => ({}), "fromCounter: the counter from the function must have the methods increment"],
    [() => undefined, "not be undefined"],
    [() => Promise.resolve({}), "not be a promise: await it; pass a store made for express-rate-limit"],
  ];
  for (const [counter, part] of wrong) assertThrows(() => fromCounter(counter as CounterLike), TypeError, part);
});

Deno.test("a counter that failed to initialize is tried again", async () => {
  const counter = new BareCounter();
  const begin = counter.init;
  counter.init = () => {
    throw new Error("no connection");
  };
  const store = fromCounter(counter, { clock: new VirtualClock().read });
  await assertRejects(() => one(store, 1), Error, "no connection");
  counter.init = begin;
  assertEquals((await one(store, 1)).granted, 1);
});

Deno.test("reset forgets a key; all of them only if the counter can", async () => {
  const counter = new BareCounter();
  const store = fromCounter(counter, { clock: new VirtualClock().read });
  await one(store, 6);
  assertEquals(await store.reset({ policy: "other", key: "a" }), 0);
  assertEquals(await store.reset({ policy: "fixed", key: "a" }), 1);
  assertEquals((await one(store, 0)).remaining, 6);
  await assertRejects(async () => await store.reset({ policy: "fixed" }), TypeError, "no resetAll");
  await withExpressStore(async (express) => {
    for (const key of ["a", "b"]) await express.decide([{ policy: POLICY, key, cost: 6 }]);
    assertEquals(await express.reset({ policy: "fixed" }), 2);
    assertEquals((await one(express, 1)).remaining, 5);
  });
});

Deno.test("the capabilities say what a counter can't do", () => {
  const { algorithms, atomicBatch, exactDeny, scope } = fromCounter(new BareCounter()).capabilities;
  assertEquals([[...algorithms], atomicBatch, exactDeny, scope], [["fixed-window"], "none", false, "global"]);
  assertEquals(fromCounter(new ExpressMemoryStore()).capabilities.scope, "process");
});
