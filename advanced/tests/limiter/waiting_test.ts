import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Decision, Limiter, type LimiterOptions, MemoryStore } from "../../mod.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import { VirtualClock } from "../../testing.ts";
import { AsyncStore } from "../support/async_store.ts";
import { waitAfterKey } from "../../src/limiter/limiter_keys.ts";

/** A limiter on a store that replies with promises and counts commands. */
function setUp(options: LimiterOptions, isSync = false) {
  const clock = new VirtualClock();
  const memory = new MemoryStore({ clock: clock.read });
  const store = new AsyncStore(memory);
  const limiter = new Limiter({
    store: isSync ? memory : store,
    clock: clock.read,
    timers: clock.timers,
    name: "limit",
    ...options,
  });
  const remaining = () => memory.decide([{ policy: limiter.policies[0]!, key: "key", cost: 0 }])[0]!.remaining;
  return { clock, store, limiter, remaining };
}

/** Runs everything that needs no timer. */
async function settle(turns = 200): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}

Deno.test("callers that wait for the same are asked for in one command, and served in their order", async () => {
  const { clock, store, limiter } = setUp({ algorithm: "sliding-window", limit: 100, windowMs: 1000 });
  await limiter.consume("key", { cost: 100 });
  const order: number[] = [];
  const all = Array.from({ length: 250 }, (_, i) => limiter.waitFor("key").then(() => void order.push(i)));
  await settle();
  const { decide } = store.calls;
  clock.advance(1100);
  await settle(2000);
  assertEquals(order, Array.from({ length: 100 }, (_, i) => i));
  assertEquals(store.calls.decide, decide + 1);
  for (let i = 0; i < 2; i++) {
    clock.advance(1100);
    await settle(2000);
  }
  await Promise.all(all);
  assertEquals(order, Array.from({ length: 250 }, (_, i) => i));
  assertEquals([store.calls.decide, clock.pendingTimers], [decide + 3, 0]);
});

Deno.test("a wait that would take too long is refused at once, and takes nothing", async () => {
  for (const algorithm of ["fixed-window", "sliding-window", "sliding-log", "token-bucket"] as const) {
    for (const isSync of [true, false]) {
      const { clock, limiter } = setUp({ algorithm, limit: 1, windowMs: 1000 }, isSync);
      await limiter.consume("key");
      clock.advance(100);
      const { retryAfterMs } = await limiter.consume("key");
      const timeoutMs = retryAfterMs - 1;
      const says = `not granted within ${timeoutMs} ms: it takes at least ${retryAfterMs} ms more`;
      const late = await assertRejects(() => limiter.waitFor("key", { timeoutMs }), DOMException, says);
      assertEquals([late.name, clock.pendingTimers], ["TimeoutError", 0]);
      const served = limiter.waitFor("key", { timeoutMs: retryAfterMs + 1 });
      await settle();
      // behind a caller that is in time
      clock.advance(retryAfterMs / 2);
      const behind = limiter.waitFor("key", { timeoutMs: retryAfterMs / 2 - 1 });
      await assertRejects(() => behind, DOMException, "ms more, unless");
      clock.advance(retryAfterMs / 2);
      assert((await served).allowed);
      assertEquals(clock.pendingTimers, 0);
    }
  }
});

Deno.test("of callers that wait, those leave at once for whom the next window comes too late", async () => {
  const { clock, limiter } = setUp({ limit: 2, windowMs: 1000 });
  await limiter.consume("key", { cost: 2 });
  const left: number[] = [];
  const all = [1500, 1500, 1500, 2500, 1500].map((timeoutMs, i) =>
    limiter.waitFor("key", { timeoutMs }).then(() => 0, () => left.push(i))
  );
  await settle();
  clock.advance(1000);
  await settle(2000);
  assertEquals(left, [2, 4]);
  clock.advance(1000);
  await Promise.all(all);
  assertEquals([left, clock.pendingTimers], [[2, 4], 0]);
});

Deno.test("callers that take nothing wait behind those that do, and are then let through together", async () => {
  const { clock, limiter } = setUp({ limit: 1, windowMs: 1000 });
  await limiter.consume("key");
  const order: string[] = [];
  const enter = (name: string, cost: number) => limiter.waitFor("key", { cost }).then(() => void order.push(name));
  const first = enter("one", 1);
  // it has been refused, and waits
  await settle();
  const all = [first, enter("free", 0), enter("free too", 0)];
  await settle();
  assertEquals(order, []);
  clock.advance(1000);
  await settle();
  assertEquals(order, ["one", "free", "free too"]);
  await Promise.all(all);
});

Deno.test("what is given back before a caller's turn has come is not lost on it", async () => {
  const clock = new VirtualClock();
  const own = {
    algorithm: "concurrency",
    limit: 5,
    windowMs: 30_000,
    clock: clock.read,
    timers: clock.timers,
  } as const;
  const memory = () => new MemoryStore({ clock: clock.read });
  for (const store of [memory(), new AsyncStore(memory())]) {
    const limiter = new Limiter({ ...own, store });
    let done = 0;
    const all = Array.from({ length: 20 }, async () => {
      // only microtasks between a turn and its end
      await limiter.release(await limiter.waitFor("key"));
      done++;
    });
    await settle(2000);
    assertEquals([done, clock.pendingTimers], [20, 0]);
    await Promise.all(all);
  }
});

Deno.test("what is given back between a refusal and the wait that follows it is not lost on it", async () => {
  const clock = new VirtualClock();
  const limiter = new Limiter({
    ...{ algorithm: "concurrency", limit: 1, windowMs: 30_000, clock: clock.read, timers: clock.timers },
    store: new MemoryStore({ clock: clock.read }),
  });
  const first = await limiter.consume("key");
  const refusal = await limiter.consume("key");
  await limiter.release(first);
  const waiting = limiter[waitAfterKey](refusal, {});
  await settle();
  assertEquals([(await waiting).allowed, clock.pendingTimers], [true, 0]);
});

Deno.test("each of them has units of its own to give back", async () => {
  for (const onStoreFailure of [undefined, "local", "open"] as const) {
    const { clock, store, limiter, remaining } = setUp({
      ...{ algorithm: "concurrency", limit: 3, windowMs: 5000 },
      ...(onStoreFailure === undefined ? {} : { onStoreFailure, processes: 1 }),
    });
    await limiter.consume("key", { cost: 3 });
    const waiting = [1, 2, 3].map(() => limiter.waitFor("key"));
    await settle();
    // decided locally instead of by the store, which grants them late
    const back = Promise.withResolvers<void>();
    if (onStoreFailure !== undefined) store.back = back.promise;
    clock.advance(5000);
    await settle();
    if (onStoreFailure !== undefined) clock.advance(100);
    const decisions = await Promise.all(waiting);
    assertEquals(new Set(decisions.map(({ decidedBy }) => decidedBy)), new Set([onStoreFailure ?? "store"]));
    store.back = null;
    back.resolve();
    await settle();
    assertEquals(remaining(), 0);
    for (const [i, decision] of decisions.entries()) {
      await limiter.release(decision);
      await settle();
      assertEquals(remaining(), i + 1, onStoreFailure);
    }
  }
});

Deno.test("what a caller is granted in the moment it leaves goes to the next one, or back to the store", async () => {
  for (const followers of [0, 1]) {
    for (const leaver of [0, 1, 2].slice(0, 3 - followers)) {
      const { clock, store, limiter, remaining } = setUp({ limit: 3, windowMs: 1000 });
      await limiter.consume("key", { cost: 3 });
      const leaving = new AbortController();
      const served: number[] = [];
      const all = Array.from({ length: 3 + followers }, (_, i) => {
        const signal = i === leaver ? leaving.signal : undefined;
        return limiter.waitFor("key", { signal }).then(() => served.push(i), ({ name }) => name);
      });
      await settle();
      const back = Promise.withResolvers<void>();
      store.back = back.promise;
      clock.advance(1000);
      await settle();
      leaving.abort();
      assertEquals(await all[leaver], "AbortError", "it need not wait for the store's answer");
      store.back = null;
      back.resolve();
      await Promise.all(all);
      await settle();
      const rest = Array.from({ length: 3 + followers }, (_, i) => i).filter((i) => i !== leaver);
      assertEquals([served, remaining()], [rest, 3 - rest.length], `${leaver} of ${3 + followers} left`);
    }
  }
});

Deno.test("a signal that aborts while the store is asked for the first time takes nothing", async () => {
  const { store, limiter, remaining } = setUp({ limit: 3, windowMs: 1000 });
  const leaving = new AbortController();
  const back = Promise.withResolvers<void>();
  store.back = back.promise;
  const wait = assertRejects(() => limiter.waitFor("key", { signal: leaving.signal }), DOMException);
  await settle();
  leaving.abort();
  store.back = null;
  back.resolve();
  assertEquals((await wait).name, "AbortError");
  await settle();
  assertEquals(remaining(), 3);
});

Deno.test("callers whose refusals have consequences are asked for one by one", async () => {
  const { clock, store, limiter } = setUp({ limit: 2, windowMs: 1000, onDenied: "charge" });
  await limiter.consume("key", { cost: 2 });
  const waiting = [1, 2].map(() => limiter.waitFor("key"));
  await settle();
  const { limited } = limiter.counters;
  const { decide } = store.calls;
  clock.advance(2000);
  await Promise.all(waiting);
  assertEquals([limiter.counters.limited - limited, store.calls.decide - decide], [0, 2]);
});

for (const algorithm of ["fixed-window", "sliding-window", "sliding-log", "token-bucket"] as const) {
  Deno.test(`${algorithm}: of random callers that come and go, none overtakes, and no more are granted than alone`, async () => {
    const pick = seededRandom(5);
    for (let trial = 0; trial < 15; trial++) {
      const max = 2 + pick(12);
      const cost = 1 + pick(2);
      const { clock, store, limiter } = setUp({
        algorithm,
        limit: max,
        windowMs: 1000,
        maxWaiting: 1000,
        timeoutMs: 100_000,
      });
      const granted: { at: number; cost: number }[] = [];
      const served: number[] = [];
      const gone = new Set<number>();
      const open = new Map<number, AbortController>();
      const decisions: Decision[] = [];
      for (let step = 0, caller = 0; step < 150; step++) {
        const late = Promise.withResolvers<void>();
        if (pick(3) === 0) store.back = late.promise;
        for (let n = pick(4); n > 0; n--) {
          const id = caller++;
          const leaving = new AbortController();
          open.set(id, leaving);
          limiter.waitFor("key", { cost, signal: leaving.signal }).then((decision) => {
            open.delete(id);
            served.push(id);
            decisions.push(decision);
            granted.push({ at: clock.now, cost });
          }, () => gone.add(id));
        }
        await settle();
        if (pick(4) === 0 && open.size > 0) [...open.values()][pick(open.size)]!.abort();
        await settle();
        store.back = null;
        late.resolve();
        await settle();
        clock.advance(pick(3) === 0 ? pick(900) : pick(60));
      }
      await settle(2000);
      assertEquals(served, [...served].sort((a, b) => a - b));
      const bound = algorithm === "sliding-window" || algorithm === "sliding-log" ? max : 2 * max;
      for (const { at } of granted) {
        const sum = granted.reduce((sum, one) => sum + (one.at <= at && one.at > at - 1000 ? one.cost : 0), 0);
        assert(sum <= bound, `${sum} of ${max} in one window`);
      }
      await limiter.close();
      assert(decisions.every(({ allowed, decidedBy }) => allowed && decidedBy === "store"));
    }
  });
}

/** A limiter for one request at a time, and how its store replies from now on. */
function setUpSlow(onStoreFailure: "closed" | "local") {
  const options = { algorithm: "concurrency", limit: 1, windowMs: 3_600_000, onStoreFailure, processes: 1 } as const;
  const { clock, store, limiter } = setUp({ ...options, coalesce: false });
  limiter.on("storeFailure", () => {});
  const slow = () => {
    const gate = Promise.withResolvers<void>();
    store.back = gate.promise;
    return () => gate.resolve();
  };
  const pass = async (ms: number) => {
    await settle();
    clock.advance(ms);
    await settle();
  };
  return { store, limiter, slow, pass };
}

Deno.test("a grant that came too late, and is given back, admits a caller that waits for it", async () => {
  for (const onStoreFailure of ["closed", "local"] as const) {
    const { store, limiter, slow, pass } = setUpSlow(onStoreFailure);
    const arrive = slow();
    const late = Promise.resolve(limiter.consume("key"));
    await settle();
    store.back = null;
    let isServed = false;
    const waiting = limiter.waitFor("key").then(() => isServed = true, () => {});
    await pass(200);
    const decision = await late;
    assertEquals([decision.allowed, isServed], [onStoreFailure === "local", false]);
    arrive();
    await settle();
    const back = slow();
    if (decision.allowed) await limiter.release(decision);
    back();
    await pass(1);
    assertEquals(isServed, true, onStoreFailure);
    await limiter.close();
    await waiting;
  }
});

Deno.test("units that the store takes back after the timeout admit a caller that waits for them", async () => {
  const { store, limiter, pass } = setUpSlow("closed");
  const decision = await limiter.consume("key");
  const ahead = Promise.withResolvers<void>();
  store.ahead = ahead.promise;
  const releasing = limiter.release(decision);
  store.ahead = null;
  let isServed = false;
  const waiting = limiter.waitFor("key").then(() => isServed = true, () => {});
  await pass(200);
  assertEquals([await releasing, isServed], [false, false]);
  ahead.resolve();
  await pass(1);
  assertEquals(isServed, true);
  await limiter.close();
  await waiting;
});
