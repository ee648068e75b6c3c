import { assert, assertEquals } from "@std/assert";
import { type Decision, Limiter, type LimiterOptions, MemoryStore, type Take } from "../../mod.ts";
import { newCounters } from "../../src/wrappers/counters.ts";
import { VirtualClock } from "../../testing.ts";
import { LeasingStore } from "../../src/wrappers/leases.ts";
import { AsyncStore } from "../support/async_store.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

const ALGORITHMS = ["fixed-window", "sliding-window"] as const;

/** Processes that share a store, each with a limiter that reserves units in advance. */
function setUp(processes: number, options: LimiterOptions) {
  const clock = new VirtualClock();
  const memory = new MemoryStore({ clock: clock.read });
  const stores = Array.from({ length: processes }, () => new AsyncStore(memory));
  const limiters = stores.map((store) =>
    new Limiter({ store, clock: clock.read, timers: clock.timers, name: "limit", processes, ...options })
  );
  const used = (key = "key") => {
    const take: Take = { policy: limiters[0]!.policies[0]!, key, cost: 0 };
    return take.policy.limit - memory.decide([take])[0]!.remaining;
  };
  return { clock, memory, stores, limiters, used };
}

/** Maximum number of units admitted in any interval of one window. */
function mostInAnyWindow(admitted: readonly { time: number; cost: number }[], windowMs: number): number {
  let most = 0;
  let sum = 0;
  let first = 0;
  for (const { time, cost } of admitted) {
    sum += cost;
    while (admitted[first]!.time + windowMs <= time) sum -= admitted[first++]!.cost;
    most = Math.max(most, sum);
  }
  return most;
}

for (const algorithm of ALGORITHMS) {
  Deno.test(`${algorithm}: processes with leases never admit more than the limit in any window`, async () => {
    const windowMs = 1000;
    let leased = 0;
    for (let run = 0; run < 60; run++) {
      const pick = seededRandom(run);
      const processes = 1 + pick(5);
      const limit = 1 + pick(120);
      // windows aligned to the clock, or sliding windows: neither kind admits more than the limit in any window
      const align = algorithm === "fixed-window" ? { align: "clock" as const } : { buckets: 1 + pick(10) };
      const { clock, limiters } = setUp(processes, {
        ...{ algorithm, max: limit, windowMs, leases: 2 + pick(20), ...align },
      });
      const admitted: { time: number; cost: number }[] = [];
      for (let step = 0; step < 400; step++) {
        if (pick(3) === 0) clock.advance(pick(5) === 0 ? pick(700) : pick(40));
        const cost = pick(8) === 0 ? 2 : 1;
        // several callers in several processes at the same time
        const checks = Array.from({ length: 1 + pick(4) }, () => limiters[pick(processes)]!.consume("key", { cost }));
        for (const decision of await Promise.all(checks)) {
          assertEquals(decision.decidedBy, "store");
          if (decision.allowed) admitted.push({ time: clock.now, cost });
          else if (pick(10) === 0) await limiters[pick(processes)]!.peek("key");
        }
      }
      if (algorithm === "sliding-window") {
        const most = mostInAnyWindow(admitted, windowMs);
        assert(most <= limit, `run ${run}: ${most} of ${limit}`);
      } else {
        const windows = Map.groupBy(admitted, ({ time }) => Math.floor(time / windowMs));
        for (const all of windows.values()) {
          const sum = all.reduce((units, { cost }) => units + cost, 0);
          assert(sum <= limit, `run ${run}: ${sum} of ${limit}`);
        }
      }
      leased += limiters.reduce((sum, { counters }) => sum + counters.leased, 0);
      await Promise.all(limiters.map((limiter) => limiter.close()));
      assertEquals(clock.pendingTimers, 0);
    }
    assert(leased > 1000, `${leased} were decided from leases`);
  });

  Deno.test(`${algorithm}: at the first refusal at most (P - 1) times L units are reserved elsewhere`, async () => {
    let most = 0;
    for (let run = 0; run < 300; run++) {
      const pick = seededRandom(1000 + run);
      const processes = 1 + pick(6);
      const leases = 2 + pick(30);
      const limit = 1 + pick(400);
      const { clock, limiters, used } = setUp(processes, { algorithm, limit, windowMs: 60_000, leases });
      let admitted = 0;
      for (;;) {
        const callers = 1 + pick(3);
        const process = limiters[pick(processes)]!;
        const decisions = await Promise.all(Array.from({ length: callers }, () => process.consume("key")));
        admitted += decisions.filter(({ allowed }) => allowed).length;
        if (decisions.some(({ allowed }) => !allowed)) break;
        // occasionally a sliding window's bucket ends, but never the window
        clock.advance(pick(20) === 0 ? 500 : 0);
      }
      assertEquals(used(), limit);
      const stranded = limit - admitted;
      assert(stranded <= (processes - 1) * leases, `run ${run}: ${stranded} of ${processes} times ${leases}`);
      most = Math.max(most, stranded);
    }
    assert(most > 0, "nothing was ever reserved elsewhere");
  });

  Deno.test(`${algorithm}: a single process gets the whole limit, whatever it takes in advance`, async () => {
    const { clock, limiters: [limiter] } = setUp(1, { algorithm, limit: 100, windowMs: 10_000, leases: 40 });
    clock.advance(10_000 - clock.now % 10_000);
    let admitted = 0;
    // a few in every bucket of the window, so that leases end unused
    for (let part = 0; part < 9; part++) {
      for (let times = 0; times < 3; times++) if ((await limiter!.consume("key")).allowed) admitted++;
      clock.advance(1000);
    }
    for (let times = 0; times < 200; times++) if ((await limiter!.consume("key")).allowed) admitted++;
    assertEquals(admitted, 100);
    await limiter!.close();
  });

  Deno.test(`${algorithm}: close returns unused units taken in advance`, async () => {
    const { stores, limiters: [limiter], used } = setUp(1, { algorithm, limit: 100, windowMs: 60_000, leases: 20 });
    for (let times = 0; times < 3; times++) assertEquals((await limiter!.consume("key")).remaining, 99 - times);
    await limiter!.consume("other");
    assertEquals([used(), used("other"), stores[0]!.calls.decide], [20, 20, 2]);
    await limiter!.close();
    assertEquals([used(), used("other")], [3, 1]);
  });

  Deno.test(`${algorithm}: a lease is not used after its window`, async () => {
    const part = algorithm === "fixed-window" ? 10_000 : 1000;
    const { clock, stores, limiters: [limiter] } = setUp(1, { algorithm, limit: 100, windowMs: 10_000, leases: 10 });
    clock.advance(10_000 - clock.now % 10_000);
    await limiter!.consume("key");
    clock.advance(part - 2);
    await limiter!.consume("key");
    assertEquals(stores[0]!.calls.decide, 1);
    // in the last ms, the store decides: its clock may be up to a ms ahead
    clock.advance(1);
    await limiter!.consume("key");
    assertEquals(stores[0]!.calls.decide, 2);
    clock.advance(1);
    await limiter!.consume("key");
    assertEquals(stores[0]!.calls.decide, 3);
    await limiter!.close();
  });

  Deno.test(`${algorithm}: a lease of a frozen process is not used if it resumes after the window`, async () => {
    const clock = new VirtualClock();
    const store = new AsyncStore(new MemoryStore({ clock: clock.read }));
    const timers = { ...clock.timers, now: () => 0 };
    const limiter = new Limiter({
      store,
      algorithm,
      limit: 100,
      windowMs: 10_000,
      leases: 10,
      clock: clock.read,
      timers,
    });
    for (let times = 0; times < 5; times++) await limiter.consume("key");
    assertEquals(store.calls.decide, 1);
    clock.advance(3_600_000);
    assertEquals([(await limiter.consume("key")).remaining, store.calls.decide], [99, 2]);
    await limiter.close();
  });

  Deno.test(`${algorithm}: a clock that is set back does not make a lease last longer`, async () => {
    const clock = new VirtualClock();
    let offset = 0;
    const store = new AsyncStore(new MemoryStore({ clock: clock.read }));
    const limiter = new Limiter({
      ...{ store, algorithm, max: 100, windowMs: 10_000, leases: 10, timers: clock.timers },
      clock: () => clock.now + offset,
    });
    await limiter.consume("key");
    assertEquals((await limiter.consume("key")).remaining, 98);
    assertEquals(store.calls.decide, 1);
    offset = -3_600_000;
    clock.advance(10_000);
    await limiter.consume("key");
    assertEquals(store.calls.decide, 2);
    await limiter.close();
  });
}

Deno.test("a decision from a lease has the same remaining and times as one from the store", async () => {
  const { clock, limiters: [limiter] } = setUp(1, { limit: 100, windowMs: 10_000, leases: 20 });
  await limiter!.consume("key");
  clock.advance(4000);
  const { remaining, resetMs, retryAfterMs, allowed } = await limiter!.consume("key");
  assertEquals([remaining, resetMs, retryAfterMs, allowed], [98, 6000, 0, true]);
  await limiter!.close();
});

Deno.test("a decision from a lease needs no promise", async () => {
  const { limiters: [limiter] } = setUp(1, { limit: 100, leases: 20 });
  await limiter!.consume("key");
  assertEquals("then" in limiter!.consume("key"), false);
  assertEquals(limiter!.counters.leased, 1);
  await limiter!.close();
});

Deno.test("many callers at once need few commands, admitted or refused", async () => {
  for (const denyCache of [true, false]) {
    const { stores, limiters, used } = setUp(4, { limit: 600, windowMs: 60_000, leases: 20, denyCache });
    const decisions = await Promise.all(Array.from({ length: 1000 }, () => limiters[0]!.consume("key")));
    assertEquals(decisions.filter(({ allowed }) => allowed).length, 600);
    assertEquals(used(), 600);
    assert(stores[0]!.calls.decide <= 4, `${stores[0]!.calls.decide} commands`);
    await limiters[0]!.close();
  }
});

Deno.test("while the store is down, units taken in advance are still served, and nothing beyond", async () => {
  const { clock, stores, limiters: [limiter], used } = setUp(1, {
    ...{ max: 100, windowMs: 60_000, leases: 20, onStoreFailure: "closed" },
  });
  for (let times = 0; times < 5; times++) assertEquals((await limiter!.consume("key")).allowed, true);
  stores[0]!.failure = new Error("away");
  // the store fails on other keys until the breaker opens
  for (let times = 0; times < 10; times++) assertEquals((await limiter!.consume(`other ${times}`)).allowed, false);
  assertEquals(limiter!.breakerIsOpen, true);
  const decisions: Decision[] = [];
  for (let times = 0; times < 20; times++) decisions.push(await limiter!.consume("key"));
  assertEquals(decisions.map(({ allowed }) => allowed), Array.from({ length: 20 }, (_, i) => i < 15));
  assertEquals(decisions.slice(0, 15).every(({ decidedBy }) => decidedBy === "store"), true);
  stores[0]!.failure = null;
  clock.advance(2000);
  assertEquals((await limiter!.consume("key")).allowed, true);
  await limiter!.close();
  assertEquals([used(), clock.pendingTimers], [21, 0]);
});

Deno.test("a lease that arrives after its caller was refused is kept for others, and the caller's unit is returned", async () => {
  const { clock, stores, limiters: [limiter], used } = setUp(1, {
    ...{ max: 100, windowMs: 60_000, leases: 20, onStoreFailure: "closed" },
  });
  const back = Promise.withResolvers<void>();
  stores[0]!.back = back.promise;
  const checks = [limiter!.consume("key"), limiter!.consume("key")];
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  clock.advance(100);
  for (const { allowed } of await Promise.all(checks)) assertEquals(allowed, false);
  stores[0]!.back = null;
  back.resolve();
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  assertEquals((await limiter!.consume("key")).allowed, true);
  assertEquals(stores[0]!.calls.decide, 1);
  await limiter!.close();
  assertEquals(used(), 1);
});

Deno.test("reset also drops leases, including those in transit", async () => {
  const { stores, limiters: [limiter], used } = setUp(1, { limit: 100, windowMs: 60_000, leases: 20 });
  await limiter!.consume("key");
  await limiter!.reset("key");
  assertEquals(used(), 0);
  assertEquals((await limiter!.consume("key")).remaining, 99);
  assertEquals(stores[0]!.calls.decide, 2);
  const back = Promise.withResolvers<void>();
  stores[0]!.back = back.promise;
  const late = limiter!.consume("another");
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  stores[0]!.back = null;
  await limiter!.reset();
  back.resolve();
  await late;
  await limiter!.consume("another");
  // the second did not use the first one's units, reserved before the reset
  assertEquals(stores[0]!.calls.decide, 4);
  await limiter!.close();
});

Deno.test("resetting one key keeps what was taken in advance for others", async () => {
  const { stores, limiters: [limiter], used } = setUp(1, { limit: 100, windowMs: 60_000, leases: 20 });
  await limiter!.consume("key");
  const late = limiter!.consume("another");
  await limiter!.reset("somebody else");
  await late;
  for (let times = 0; times < 19; times++) {
    for (const key of ["key", "another"]) assertEquals((await limiter!.consume(key)).allowed, true);
  }
  assertEquals([used(), used("another"), stores[0]!.calls.decide], [20, 20, 2]);
  await limiter!.close();
});

Deno.test("units taken in advance during a reset are not used afterwards", async () => {
  const { stores: [store], limiters: [limiter], memory } = setUp(1, { limit: 100, windowMs: 60_000, leases: 20 });
  const ahead = Promise.withResolvers<void>();
  store!.ahead = ahead.promise;
  const reset = limiter!.reset();
  store!.ahead = null;
  // it overtakes the reset, as can happen between listing the keys and deleting them
  await limiter!.consume("key");
  ahead.resolve();
  assertEquals(await reset, 1);
  let admitted = 0;
  while ((await limiter!.consume("key")).allowed) admitted++;
  assertEquals(admitted, 100);
  assertEquals(memory.decide([{ policy: limiter!.policies[0]!, key: "key", cost: 0 }])[0]!.remaining, 0);
  await limiter!.close();
});

Deno.test("a caller that joins a request for units is not refused by it if units have since come back", async () => {
  const { stores: [store], limiters: [limiter] } = setUp(1, { limit: 1, windowMs: 60_000, leases: 2 });
  const first = await limiter!.consume("key");
  const back = Promise.withResolvers<void>();
  store!.back = back.promise;
  const refused = limiter!.consume("key");
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  store!.back = null;
  await limiter!.refund(first);
  const joined = limiter!.consume("key");
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  back.resolve();
  assertEquals([first, await refused, await joined].map(({ allowed }) => allowed), [true, false, true]);
  await limiter!.close();
});

Deno.test("peek counts what its process has reserved, whether the store replies or not", async () => {
  for (const algorithm of ALGORITHMS) {
    const { stores: [store], limiters } = setUp(2, { algorithm, limit: 80, windowMs: 60_000, leases: 5 });
    const [one, other] = limiters as [Limiter, Limiter];
    await one.consume("key");
    while ((await other.consume("key")).allowed);
    for (const failure of [null, new Error("down")]) {
      store!.failure = failure;
      for (let times = 0; times < 2; times++) {
        const { allowed, remaining } = await one.peek("key");
        const consumed = await one.consume("key");
        assertEquals([allowed, consumed.allowed], [true, true]);
        if (failure === null) assertEquals(remaining, 4 - times);
      }
    }
    store!.failure = null;
    const { allowed, retryAfterMs } = await one.peek("key");
    assertEquals([allowed, retryAfterMs], [false, (await one.consume("key")).retryAfterMs]);
    await Promise.all(limiters.map((limiter) => limiter.close()));
  }
});

Deno.test("peek counts a lease that is smaller than requested while the store is down", async () => {
  for (const algorithm of ALGORITHMS) {
    const options = { algorithm, limit: 19, windowMs: 60_000, leases: 4, onStoreFailure: "closed" } as const;
    const { stores: [store], limiters: [limiter] } = setUp(1, options);
    // a first request for four units, when three are left
    await limiter!.consume("key", 16);
    await limiter!.consume("key");
    store!.failure = new Error("down");
    for (const allowed of [true, true, false]) {
      const peeked = await limiter!.peek("key");
      assertEquals([peeked.allowed, (await limiter!.consume("key")).allowed], [allowed, allowed]);
    }
    await limiter!.close();
  }
});

Deno.test("peek counts units whose lease has ended, which the next decision gives back first", async () => {
  const { clock, limiters } = setUp(2, { algorithm: "sliding-window", limit: 80, windowMs: 60_000, leases: 5 });
  const [one, other] = limiters as [Limiter, Limiter];
  await one.consume("key");
  while ((await other.consume("key")).allowed);
  clock.advance(30_000);
  const { allowed, remaining } = await one.peek("key");
  assertEquals([allowed, remaining, (await one.consume("key")).allowed], [true, 4, true]);
  await Promise.all(limiters.map((limiter) => limiter.close()));
});

Deno.test("however many keys there are, each gets its whole quota", async () => {
  const clock = new VirtualClock();
  const store = new AsyncStore(new MemoryStore({ clock: clock.read }));
  const leasing = new LeasingStore(store, { max: 2, processes: 1 }, clock.read, newCounters());
  const policy = { name: "limit", algorithm: "sliding-window", limit: 8, windowMs: 60_000 } as const;
  const granted = async (key: string) => (await leasing.decide([{ policy, key, cost: 1 }]))[0]!.granted;
  const crowds = Array.from({ length: 21 }, (_, n) => Array.from({ length: 1000 }, (_, i) => `client ${n} ${i}`));
  for (let round = 1; round <= 9; round++) {
    for (const crowd of crowds) {
      const sum = (await Promise.all(crowd.map(granted))).reduce((all, one) => all + one);
      assertEquals(sum, round === 9 ? 0 : crowd.length, `round ${round}`);
    }
  }
  clock.advance(120_000);
  const before = store.calls.decide;
  for (let times = 0; times < 2; times++) assertEquals(await granted("late"), 1);
  assertEquals(store.calls.decide - before, 1);
});

Deno.test("an answer that never arrives does not block later commands", async () => {
  const { clock, stores: [store], limiters: [limiter] } = setUp(1, { limit: 100, windowMs: 60_000, leases: 20 });
  store!.back = new Promise(() => {});
  const asked = Promise.resolve(limiter!.consume("key"));
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  store!.back = null;
  clock.advance(100);
  assertEquals((await asked).decidedBy, "local");
  clock.advance(1000);
  for (let times = 0; times < 5; times++) assertEquals((await limiter!.consume("key")).decidedBy, "store");
  assertEquals(store!.calls.decide, 2);
  await limiter!.close();
});

Deno.test("of two leases requested because the first seemed lost, the one that is not kept is returned", async () => {
  const { clock, stores: [store], limiters: [limiter], used } = setUp(1, { limit: 100, windowMs: 60_000, leases: 20 });
  const first = Promise.withResolvers<void>();
  store!.back = first.promise;
  const refused = Promise.resolve(limiter!.consume("key"));
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  store!.back = null;
  clock.advance(1100);
  const { decidedBy } = await refused;
  await limiter!.consume("key");
  first.resolve();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assertEquals([decidedBy, store!.calls.decide], ["local", 2]);
  await limiter!.close();
  // the first caller was admitted locally, so its unit stays counted
  assertEquals(used(), 2);
});

Deno.test("only units that can be used later in their window are leased", async () => {
  const clock = new VirtualClock();
  const store = new AsyncStore(new MemoryStore({ clock: clock.read }));
  const counters = newCounters();
  const leasing = new LeasingStore(store, { max: 10, processes: 1 }, clock.read, counters);
  const policy = { name: "limit", algorithm: "fixed-window", limit: 100, windowMs: 60_000 } as const;
  const others: Take[] = [
    { policy: { ...policy, algorithm: "sliding-log" }, key: "key", cost: 1 },
    { policy: { ...policy, algorithm: "sliding-approximate" }, key: "key", cost: 1 },
    { policy: { ...policy, algorithm: "token-bucket" }, key: "key", cost: 1 },
    { policy: { ...policy, algorithm: "concurrency" }, key: "key", cost: 1 },
    { policy: { ...policy, onDenied: "charge" }, key: "key", cost: 1 },
    { policy: { ...policy, block: { after: 1, forMs: 1 } }, key: "key", cost: 1 },
    { policy, key: "key", cost: 0 },
    { policy, key: "key", cost: 1, shadow: true },
  ];
  for (const take of others) for (let times = 0; times < 3; times++) await leasing.decide([take]);
  await leasing.decide([{ policy, key: "a", cost: 1 }, { policy, key: "b", cost: 1 }]);
  assertEquals([store.calls.decide, counters.leased], [others.length * 3 + 1, 0]);
});

Deno.test("leases shrink as the quota runs out, and with the number of processes", async () => {
  for (const [processes, sizes] of [[1, [25, 18, 14, 10]], [5, [5, 4, 4, 4]]] as const) {
    const { limiters: [limiter], used } = setUp(processes, { limit: 100, windowMs: 60_000, leases: 50 });
    const taken: number[] = [];
    let before = 0;
    while (taken.length < sizes.length) {
      await limiter!.consume("key");
      if (used() > before) taken.push(used() - before);
      before = used();
    }
    assertEquals(taken, [...sizes]);
    await limiter!.close();
  }
});
