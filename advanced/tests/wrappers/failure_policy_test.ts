import { assertEquals } from "@std/assert";
import { Limiter, type LimiterOptions, MemoryStore, type Take } from "../../mod.ts";
import { FaultyStore, VirtualClock } from "../../testing.ts";
import { AsyncStore } from "../support/async_store.ts";

/** A limiter on a remote store that fails on demand. */
function setUp(options: LimiterOptions = {}) {
  const clock = new VirtualClock();
  const memory = new MemoryStore({ clock: clock.read });
  const behind = new AsyncStore(memory);
  const store = new FaultyStore(behind);
  const limiter = new Limiter({
    ...{ store, clock: clock.read, timers: clock.timers },
    ...options.limits === undefined && { name: "limit", limit: 10, windowMs: 60_000 },
    ...options,
  });
  const counted = () => {
    const take: Take = { policy: limiter.policies[0]!, key: "key", cost: 0 };
    return limiter.policies[0]!.limit - memory.decide([take])[0]!.remaining;
  };
  return { clock, store, behind, limiter, counted };
}

/** Runs everything that needs no timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

Deno.test("a decision that takes too long is made without the store at the end of its budget, to the ms", async () => {
  const { clock, store, limiter } = setUp({ timeoutMs: 250 });
  store.hang();
  let answered = false;
  const checking = Promise.resolve(limiter.consume("key")).then((decision) => {
    answered = true;
    return decision;
  });
  await settle();
  clock.advance(248);
  await settle();
  assertEquals(answered, false);
  clock.advance(2);
  assertEquals((await checking).decidedBy, "local");
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a thousand pending decisions have one timer, and none is left when they are answered", async () => {
  const { clock, store, limiter } = setUp({ limit: 1000, coalesce: false });
  const gate = Promise.withResolvers<void>();
  store.delay(gate.promise);
  const checks = Array.from({ length: 1000 }, () => limiter.consume("key"));
  await settle();
  assertEquals(clock.pendingTimers, 1);
  gate.resolve();
  const decisions = await Promise.all(checks);
  assertEquals(decisions.every(({ allowed, decidedBy }) => allowed && decidedBy === "store"), true);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a late grant is refunded if its request was refused meanwhile", async () => {
  const { clock, store, limiter, counted } = setUp({ onStoreFailure: "closed" });
  const gate = Promise.withResolvers<void>();
  store.next(gate.promise);
  const checking = limiter.consume("key", { cost: 3 });
  await settle();
  clock.advance(100);
  assertEquals((await checking).allowed, false);
  gate.resolve();
  await settle();
  assertEquals([store.calls, counted()], [2, 0]);
});

Deno.test("a late grant stays counted if its request was admitted meanwhile", async () => {
  for (const onStoreFailure of ["open", "local"] as const) {
    const { clock, store, limiter, counted } = setUp({ onStoreFailure });
    const gate = Promise.withResolvers<void>();
    store.next(gate.promise);
    const checking = limiter.consume("key", { cost: 3 });
    await settle();
    clock.advance(100);
    assertEquals((await checking).allowed, true);
    gate.resolve();
    await settle();
    assertEquals([store.calls, counted()], [1, 3], onStoreFailure);
  }
});

Deno.test("refunding a decision made without the store also refunds its late grant, whichever comes first", async () => {
  for (const onStoreFailure of ["open", "local"] as const) {
    for (const isEarly of [false, true]) {
      for (const algorithm of ["fixed-window", "concurrency"] as const) {
        const { clock, store, limiter, counted } = setUp({ onStoreFailure, algorithm });
        const gate = Promise.withResolvers<void>();
        store.next(gate.promise);
        const checking = limiter.consume("key", { cost: 3 });
        await settle();
        clock.advance(100);
        const decision = await checking;
        const end = () => algorithm === "concurrency" ? limiter.release(decision) : limiter.refund(decision);
        if (isEarly) await end();
        gate.resolve();
        await settle();
        if (!isEarly) {
          assertEquals(counted(), 3);
          await end();
          await settle();
        }
        assertEquals([store.calls, counted()], [2, 0], `${onStoreFailure} ${algorithm} ${isEarly}`);
      }
    }
  }
});

Deno.test("a late grant of a shadow limit that refused meanwhile is refunded, although its request passed", async () => {
  for (const algorithm of ["fixed-window", "concurrency"] as const) {
    const limits = [{ name: "limit", algorithm, limit: 10, windowMs: 60_000, shadow: true }];
    const { clock, store, limiter, counted } = setUp({ onStoreFailure: "closed", limits });
    const gate = Promise.withResolvers<void>();
    store.next(gate.promise);
    const checking = limiter.consume("key", { cost: 3 });
    await settle();
    clock.advance(100);
    const { allowed, shadowDenied } = await checking;
    gate.resolve();
    await settle();
    assertEquals([allowed, shadowDenied, counted()], [true, true, 0]);
  }
});

Deno.test("a late grant stays counted if only a shadow limit refused meanwhile", async () => {
  const clock = new VirtualClock();
  const memory = new MemoryStore({ clock: clock.read });
  const store = new FaultyStore(new AsyncStore(memory));
  const limiter = new Limiter({
    ...{ store, clock: clock.read, timers: clock.timers },
    limits: [{ name: "real", limit: 10 }, { name: "shadow", limit: 0, shadow: true }],
  });
  const gate = Promise.withResolvers<void>();
  store.next(gate.promise);
  const checking = limiter.consume("key");
  await settle();
  clock.advance(100);
  const { allowed, shadowDenied } = await checking;
  assertEquals([allowed, shadowDenied], [true, true]);
  gate.resolve();
  await settle();
  assertEquals((await limiter.peek("key")).verdicts[0]!.remaining, 9);
});

Deno.test("of a late merged row, only refused takes are refunded", async () => {
  const { clock, store, limiter, counted } = setUp({ limit: 10, processes: 5 });
  const gate = Promise.withResolvers<void>();
  store.next(gate.promise);
  const checks = Array.from({ length: 6 }, () => limiter.consume("key"));
  await settle();
  clock.advance(100);
  const decisions = await Promise.all(checks);
  // this process's local share is a fifth of the limit
  assertEquals(decisions.filter(({ allowed }) => allowed).length, 2);
  gate.resolve();
  await settle();
  // even though six failures at once have opened the breaker
  assertEquals(limiter.counters.breakerOpened, 1);
  assertEquals(counted(), 2);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("no command is sent twice", async () => {
  const { store, limiter, counted } = setUp();
  store.loseReply();
  assertEquals((await limiter.consume("key")).decidedBy, "local");
  assertEquals(store.calls, 1);
  // the reply was lost, but the units were consumed
  assertEquals(counted(), 1);
});

Deno.test("a refund goes to the store or the local limiter, whichever granted the units, and ends in time", async () => {
  const { clock, store, limiter, counted } = setUp({ limit: 2 });
  const byStore = await limiter.consume("key");
  store.fail();
  const local = [await limiter.consume("key"), await limiter.consume("key")];
  assertEquals(local.map(({ decidedBy, allowed }) => [decidedBy, allowed]), [["local", true], ["local", true]]);
  assertEquals((await limiter.consume("key")).allowed, false);
  assertEquals(await limiter.refund(local[0]!), true);
  assertEquals((await limiter.consume("key")).allowed, true);
  assertEquals(counted(), 1);
  store.heal().hang();
  const refund = limiter.refund(byStore);
  await settle();
  clock.advance(100);
  assertEquals(await refund, false);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a refund that never ends does not keep the breaker from closing", async () => {
  const { clock, store, limiter } = setUp({ limit: 1000 });
  const granted = await limiter.consume("key");
  store.fail();
  for (let times = 0; times < 5; times++) await limiter.consume("key");
  assertEquals(limiter.breakerIsOpen, true);
  clock.advance(700);
  store.hang();
  const refund = limiter.refund(granted);
  await settle();
  clock.advance(100);
  assertEquals(await refund, false);
  store.heal();
  clock.advance(1300);
  assertEquals((await limiter.consume("key")).decidedBy, "store");
  assertEquals(limiter.breakerIsOpen, false);
});

Deno.test("pending commands end even while the breaker is open", async () => {
  const { store, limiter, counted } = setUp({ algorithm: "concurrency" });
  const decisions = [await limiter.consume("key"), await limiter.consume("key")];
  store.fail();
  for (let times = 0; times < 5; times++) await limiter.consume("key");
  assertEquals(limiter.breakerIsOpen, true);
  assertEquals(await limiter.release(decisions[0]!), false);
  store.heal();
  assertEquals(await limiter.release(decisions[1]!), true);
  assertEquals(counted(), 1);
  assertEquals((await limiter.consume("key")).decidedBy, "store");
});

Deno.test("cached refusals say nothing about the store", async () => {
  const { clock, store, limiter } = setUp({ limit: 1 });
  await limiter.consume("refused");
  assertEquals((await limiter.consume("refused")).allowed, false);
  store.fail();
  for (let times = 1; times <= 5; times++) {
    assertEquals((await limiter.consume("refused")).decidedBy, "store");
    assertEquals((await limiter.consume(`other ${times}`)).decidedBy, "local");
  }
  assertEquals(limiter.breakerIsOpen, true);
  // they are returned while the breaker is open, and do not count as a probe afterwards
  assertEquals((await limiter.consume("refused")).decidedBy, "store");
  clock.advance(700);
  assertEquals((await limiter.consume("refused")).decidedBy, "store");
  assertEquals(limiter.breakerIsOpen, true);
  const { calls } = store;
  assertEquals((await limiter.consume("other")).decidedBy, "local");
  assertEquals(store.calls, calls + 1);
});

Deno.test("the breaker uses elapsed time: a clock that is set back does not keep it open longer", async () => {
  const { clock, store, limiter } = setUp();
  store.fail();
  for (let times = 0; times < 5; times++) await limiter.consume("key");
  clock.advance(-3_600_000);
  store.heal();
  clock.advance(700);
  assertEquals((await limiter.consume("key")).decidedBy, "store");
});

Deno.test("a listener that throws costs no caller its answer", async () => {
  const { clock, store, limiter } = setUp();
  const { error } = console;
  let complaints = 0;
  console.error = () => complaints++;
  try {
    limiter.on("storeFailure", () => {
      throw new Error("a mistake");
    });
    store.fail();
    assertEquals((await limiter.consume("key")).decidedBy, "local");
    store.hang();
    for (let times = 0; times < 2; times++) {
      const checks = [limiter.consume("a"), limiter.consume("b")];
      await settle();
      clock.advance(100);
      for (const { decidedBy } of await Promise.all(checks)) assertEquals(decidedBy, "local");
    }
  } finally {
    console.error = error;
  }
  assertEquals(complaints, 5);
});

Deno.test("a store that throws instead of rejecting is treated the same", async () => {
  const { behind, limiter } = setUp({ coalesce: false, denyCache: false });
  behind.decide = () => {
    throw new TypeError("a mistake");
  };
  assertEquals((await limiter.consume("key")).decidedBy, "local");
  assertEquals(limiter.counters.storeFailures, 1);
});

Deno.test("the local limiter uses each process's share of limit and burst", async () => {
  const { store, limiter, clock } = setUp({ algorithm: "token-bucket", limit: 40, burst: 8, processes: 4 });
  store.fail();
  let admitted = 0;
  for (let times = 0; times < 10; times++) if ((await limiter.consume("key")).allowed) admitted++;
  assertEquals(admitted, 2);
  // a quarter of 40 per minute
  clock.advance(6000);
  assertEquals((await limiter.consume("key")).allowed, true);
  assertEquals((await limiter.consume("key")).allowed, false);
});

Deno.test("a burst that is not enough for all processes is granted by none of them", async () => {
  for (const [burst, processes, each] of [[3, 4, 0], [4, 4, 1], [9, 4, 2]] as const) {
    const { store, limiter } = setUp({ algorithm: "token-bucket", limit: 40, burst, processes });
    store.fail();
    let admitted = 0;
    for (let times = 0; times < 10; times++) if ((await limiter.consume("key")).allowed) admitted++;
    assertEquals(admitted, each, `a burst of ${burst}`);
  }
});

Deno.test("if nobody said how many processes there are, the first failure says once what that means", async () => {
  const { warn } = console;
  const told: string[] = [];
  console.warn = (text) => void told.push(text);
  try {
    const silent: LimiterOptions[] = [{ processes: 1 }, { processes: 4 }, { onStoreFailure: "open" }];
    for (const options of [{}, ...silent]) {
      const { store, limiter } = setUp(options);
      limiter.on("storeFailure", () => {});
      await limiter.consume("key");
      assertEquals(told, []);
      store.fail();
      for (let times = 0; times < 20; times++) await limiter.consume("key");
      const said = told.splice(0);
      if (silent.includes(options)) assertEquals(said, []);
      else {
        assertEquals(said, [
          "Limiter: the store failed, and until it is back each process that shares it grants the whole quota. Set " +
          "option processes to their number, 1 if this is the only one: each then grants its share",
        ]);
      }
    }
    // a store used only by this process shares its quota with no other
    const own = new FaultyStore(new MemoryStore());
    await new Limiter({ store: own.fail() }).consume("key");
    assertEquals(told, []);
  } finally {
    console.warn = warn;
  }
});

Deno.test("a cost above a process's share, but not above the limit, is to be retried when the store may be back", async () => {
  const { store, limiter } = setUp({ limit: 10, processes: 4 });
  const none = setUp({ limit: 3, processes: 4 });
  for (const one of [store, none.store]) one.fail();
  const waits = [
    limiter.consume("key", { cost: 3 }),
    limiter.consume("key", { cost: 11 }),
    none.limiter.consume("key"),
  ];
  const told = (await Promise.all(waits)).map((
    { allowed, decidedBy, retryAfterMs },
  ) => [allowed, decidedBy, retryAfterMs]);
  assertEquals(told, [[false, "local", 1000], [false, "local", Infinity], [false, "local", 1000]]);
});

Deno.test("resetting a key for more than ten seconds is an error, and resetting all keys may take longer", async () => {
  const { clock, store, limiter } = setUp();
  await limiter.consume("key");
  assertEquals(await limiter.reset("key"), 1);
  store.hang();
  const forgetting = Promise.resolve(limiter.reset("key"));
  const outcome = forgetting.catch((error) => error.message);
  await settle();
  clock.advance(9_990);
  const isLate = await Promise.race([outcome, settle()]);
  assertEquals(isLate, undefined);
  clock.advance(10);
  assertEquals(await outcome, "the store did not forget the key within 10000 ms");
  assertEquals(clock.pendingTimers, 0);
  void limiter.reset();
  await settle();
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("if a probe may end with its request, the store is tried again even if the probe has no outcome", async () => {
  // an ended request's timers never fire
  const start = () => () => {};
  const { clock, store, limiter } = setUp({ timers: { start, now: () => clock.read(), endWithRequest: true } });
  store.fail();
  for (let times = 0; times < 5; times++) await limiter.consume(`key ${times}`);
  assertEquals(limiter.breakerIsOpen, true);
  clock.advance(700);
  store.hang();
  void limiter.consume("key");
  await settle();
  store.heal();
  clock.advance(1000);
  assertEquals((await limiter.consume("other")).decidedBy, "local");
  clock.advance(200);
  assertEquals((await limiter.consume("other")).decidedBy, "store");
  assertEquals(limiter.breakerIsOpen, false);
});
