import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type Decision, Limiter, type LimiterOptions, MemoryStore, type PeekOptions, type Store } from "../../mod.ts";
import { FaultyStore } from "../../src/testing/faulty_store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";

function made(options: LimiterOptions = {}): { limiter: Limiter; clock: VirtualClock } {
  const clock = new VirtualClock();
  return { limiter: new Limiter({ clock: clock.read, timers: clock.timers, ...options }), clock };
}

/** An in-memory store that replies with promises, like a remote one. */
function elsewhere(clock: VirtualClock): { faulty: FaultyStore; store: Store } {
  const memory = new MemoryStore({ clock: clock.read });
  const faulty = new FaultyStore(memory);
  return { faulty, store: faulty };
}

/** Runs everything that waits only for promises. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await Promise.resolve();
}

/** Records the order in which callers were served. */
function served() {
  const order: string[] = [];
  const note = (name: string, wait: Promise<unknown>): Promise<void> =>
    wait.then(() => void order.push(name), (error) => void order.push(`${name}: ${error.name}`));
  return { order, note };
}

Deno.test("check answers synchronously with an in-memory store, and with a promise with a remote one", async () => {
  const { limiter } = made({ limit: 1 });
  assertEquals((limiter.consume("a") as Decision).allowed, true);
  assertEquals((limiter.consume("a") as Decision).allowed, false);
  const clock = new VirtualClock();
  const { faulty, store } = elsewhere(clock);
  faulty.delay(Promise.resolve());
  const remote = new Limiter({ limit: 1, store, clock: clock.read, timers: clock.timers });
  const asked = remote.consume("a");
  assert("then" in asked);
  assertEquals([(await asked).allowed, (await remote.consume("a")).allowed], [true, false]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("peek returns what remains and whether one more would pass, and takes nothing", async () => {
  const { limiter } = made({ limit: 2 });
  for (let i = 0; i < 5; i++) assertEquals((await limiter.peek("a")).remaining, 2);
  await limiter.consume("a", { cost: 2 });
  const left = await limiter.peek("a");
  assertEquals([left.remaining, left.allowed, left.retryAfterMs], [
    0,
    false,
    (await limiter.consume("a")).retryAfterMs,
  ]);
  assertEquals(limiter.counters.admitted, 1);
});

Deno.test("peek tells that a key is blocked, as a guard in front of a login asks", async () => {
  const { limiter, clock } = made({ limit: 2, windowMs: 1000, block: { after: 1, forMs: 60_000 } });
  const states = [];
  for (let i = 0; i < 3; i++) {
    states.push((await limiter.peek("a")).allowed);
    await limiter.consume("a");
  }
  const { allowed, retryAfterMs } = await limiter.peek("a");
  assertEquals([...states, allowed, retryAfterMs], [true, true, false, false, 60_000]);
  clock.advance(60_000);
  assertEquals((await limiter.peek("a")).allowed, true);
});

Deno.test("peek tells of a limit of 0 what consume gets, whoever decides", async () => {
  for (const onStoreFailure of ["local", "open", "closed"] as const) {
    const { store, faulty } = elsewhere(new VirtualClock());
    const limiters = [
      made({ limit: 0 }).limiter,
      made({ limit: 0, store, onStoreFailure }).limiter,
      // the share of a process is 0
      made({ limit: 3, processes: 4, name: "shared", store, onStoreFailure }).limiter,
    ];
    for (const limiter of limiters) {
      limiter.on("storeFailure", () => {});
      for (const outage of [false, true]) {
        outage ? faulty.fail() : faulty.heal();
        const peeked = await limiter.peek("a");
        const { allowed, retryAfterMs } = await limiter.consume("a");
        assertEquals([peeked.allowed, peeked.retryAfterMs], [allowed, retryAfterMs], `${onStoreFailure}, ${outage}`);
      }
    }
  }
});

Deno.test("a decision has policies, verdicts, waits and the limit with the least remaining", async () => {
  const { limiter, clock } = made({
    limits: [
      { name: "second", limit: 2, windowMs: 1_000 },
      { name: "minute", limit: 100, windowMs: 60_000 },
      { name: "tried", limit: 1, windowMs: 3_600_000, shadow: true },
    ],
  });
  const first = await limiter.consume("a");
  assertEquals(first.policies.map(({ name }) => name), ["second", "minute", "tried"]);
  assertEquals(first.verdicts.map(({ remaining }) => remaining), [1, 99, 0]);
  assertEquals([first.allowed, first.shadowDenied, first.decidedBy, first.retryAfterMs], [true, false, "store", 0]);
  const second = await limiter.consume("a");
  assertEquals([second.allowed, second.shadowDenied], [true, true]);
  clock.advance(250);
  const third = await limiter.consume("a");
  assertEquals([third.allowed, third.shadowDenied], [false, true]);
  assertEquals(third.retryAfterMs, 750);
  assertEquals([third.remaining, third.tightest.limit, third.resetMs], [0, 2, 750]);
  assertEquals(third.takes.map(({ key, cost }) => [key, cost]), [["a", 1], ["a", 1], ["a", 1]]);
  assertEquals((await limiter.peek("a")).verdicts[1]!.remaining, 98);
});

Deno.test("of exhausted limits, a decision names the one that stays exhausted longest", async () => {
  const [minute, hour] = [{ name: "minute", limit: 2 }, { name: "hour", limit: 2, windowMs: 3_600_000 }];
  for (const limits of [[minute, hour], [hour, minute]]) {
    const { limiter } = made({ limits });
    await limiter.consume("a");
    await limiter.consume("a");
    const { allowed, remaining, retryAfterMs, resetMs } = await limiter.consume("a");
    assertEquals([allowed, remaining, retryAfterMs, resetMs], [false, 0, 3_600_000, 3_600_000]);
  }
  for (const limits of [[minute, { name: "closed", limit: 0 }], [{ name: "closed", limit: 0 }, minute]]) {
    const { allowed, remaining, tightest } = await made({ limits }).limiter.consume("a");
    assertEquals([allowed, remaining, tightest.limit], [false, 0, 0]);
  }
});

Deno.test("each limit may have its own key, and a missing one is an error that names the limit", async () => {
  const { limiter } = made({ limits: [{ name: "user", limit: 1 }, { name: "team", limit: 3 }] });
  const ask = async (user: string) => (await limiter.consume({ user, team: "t" })).allowed;
  assertEquals([await ask("a"), await ask("a"), await ask("b"), await ask("c"), await ask("d")], [
    true,
    false,
    true,
    true,
    false,
  ]);
  assertThrows(() => limiter.consume({ user: "a" }), TypeError, 'limit "team"');
  for (const key of ["", undefined, null, 7, {}]) assertThrows(() => limiter.consume(key as string), TypeError, "key");
});

Deno.test("limit is that of one check, and used units stay used", async () => {
  const { limiter } = made({ limit: 2 });
  for (const limit of [undefined, undefined, 3, 10]) assert((await limiter.consume("a", { limit })).allowed);
  assertEquals((await limiter.consume("a")).allowed, false);
  assertEquals((await limiter.consume("a", { limit: 10 })).remaining, 5);
  assertEquals((await limiter.consume("a", { limit: 0 })).retryAfterMs, Infinity);
  for (const limit of [-1, 1.5, NaN, Infinity, "5" as unknown as number]) {
    assertThrows(() => limiter.consume("a", { limit }), Error, "limit");
  }
});

Deno.test("peek with a key's own limit returns what remains of that limit", async () => {
  const { limiter } = made({ limits: [{ name: "second", limit: 2 }, { name: "day", limit: 5 }] });
  const tier = { limit: { second: 10 } };
  for (let times = 0; times < 4; times++) assert((await limiter.consume("a", tier)).allowed);
  const left = async (options?: PeekOptions) =>
    (await limiter.peek("a", options)).verdicts.map(({ remaining }) => remaining);
  assertEquals([await left(), await left(tier), await left({ limit: 50 })], [[0, 1], [6, 1], [46, 46]]);
  // deno-lint-ignore no-explicit-any -- values that plain JavaScript may pass
  assertThrows(() => limiter.peek("a", { cost: 2 } as any), TypeError, "limiter.peek: there is no option cost");
  assertThrows(() => limiter.peek("a", { limit: { minute: 1 } }), TypeError, "minute");
});

Deno.test("max may be given for one limit by its name", async () => {
  const { limiter } = made({ limits: [{ name: "second", limit: 1 }, { name: "day", limit: 5 }] });
  const { verdicts } = await limiter.consume("a", { limit: { day: 50 } });
  assertEquals(verdicts.map(({ limit }) => limit), [1, 50]);
  const untold = { day: undefined as unknown as number };
  assertThrows(
    () => limiter.consume("b", { limit: untold }),
    TypeError,
    "option limit.day must be a number, not undefined",
  );
});

Deno.test("an unknown option of consume or waitFor, or an unknown name of a limit, is an error and takes nothing", async () => {
  const { limiter } = made({ limits: [{ name: "second", limit: 1 }, { name: "day", limit: 5 }] });
  // deno-lint-ignore no-explicit-any -- values that plain JavaScript may pass
  const wrong: [any, string][] = [
    [{ max: 5 }, "there is no option max; "],
    [{ nonsense: 5 }, "there is no option nonsense; there are cost, limit"],
    ["5", 'options must be an object, not "5"'],
    [null, "options must be an object, not null"],
    [{ limit: { dya: 50 } }, 'option limit names an unknown limit "dya"; there are second, day'],
  ];
  for (const [options, message] of wrong) {
    assertThrows(() => limiter.consume("a", options), TypeError, message);
    await assertRejects(() => limiter.waitFor("a", options), TypeError, message);
  }
  assertThrows(() => limiter.consume("a", { timeoutMs: 5 } as never), TypeError, "limiter.consume: there is no option");
  assert((await limiter.waitFor("a", { timeoutMs: 5, signal: undefined, limit: { day: 6 } })).allowed);
});

Deno.test("a tier that makes an algorithm's arithmetic inexact is an error, as at construction", () => {
  const { limiter } = made({ algorithm: "token-bucket", limit: 10, windowMs: 2 ** 40 });
  assertThrows(() => limiter.consume("a", { limit: 2 ** 30 }), RangeError, "too large together");
});

Deno.test("a cost that is negative or not an integer is an error", () => {
  const { limiter } = made();
  for (const cost of [-1, 1.5, NaN, Infinity, "1" as unknown as number]) {
    assertThrows(() => limiter.consume("a", { cost }), Error, "cost");
  }
  assertEquals(limiter.size, 0);
});

Deno.test("refund gives back once, and nothing once the window is over", async () => {
  const { limiter, clock } = made({ limit: 2, windowMs: 1_000 });
  const first = await limiter.consume("a");
  const second = await limiter.consume("a");
  assertEquals([await limiter.refund(first), await limiter.refund(first)], [true, false]);
  assertEquals((await limiter.peek("a")).remaining, 1);
  clock.advance(1_000);
  await limiter.consume("a");
  assertEquals(await limiter.refund(second), false);
  assertEquals((await limiter.peek("a")).remaining, 1);
  assertEquals(limiter.counters.refunded, 1);
});

Deno.test("a refusal has nothing to refund", async () => {
  const { limiter } = made({ limit: 1 });
  await limiter.consume("a");
  assertEquals(await limiter.refund(await limiter.consume("a")), false);
  assertEquals((await limiter.peek("a")).remaining, 0);
});

Deno.test("release ends leases and keeps what other limits took", async () => {
  const { limiter } = made({
    limits: [{ name: "busy", algorithm: "concurrency", limit: 1 }, { name: "minute", limit: 5 }],
  });
  const first = await limiter.consume("a");
  assertEquals((await limiter.consume("a")).allowed, false);
  assertEquals([await limiter.release(first), await limiter.release(first)], [true, false]);
  const second = await limiter.consume("a");
  assertEquals([second.allowed, second.verdicts[1]!.remaining], [true, 3]);
  assertEquals(await limiter.refund(first), true);
  assertEquals((await limiter.peek("a")).verdicts[1]!.remaining, 4);
});

Deno.test("reset forgets one key or all of them, over all limits", async () => {
  const { limiter } = made({ limits: [{ name: "one", limit: 1 }, { name: "two", limit: 1 }] });
  for (const key of ["a", "b", "c"]) await limiter.consume(key);
  assertEquals(await limiter.reset("a"), 2);
  assertEquals([(await limiter.consume("a")).allowed, (await limiter.consume("b")).allowed], [true, false]);
  assertEquals(await limiter.reset(), 6);
  assertEquals(limiter.size, 0);
});

Deno.test("keys lists those in use with what remains for each", async () => {
  const { limiter, clock } = made({ limits: [{ name: "short", limit: 5, windowMs: 10 }, { name: "long", limit: 9 }] });
  await limiter.consume("a", { cost: 3 });
  clock.advance(5);
  await limiter.consume("b");
  const list = async (name?: string) => {
    const entries: [string, number][] = [];
    for await (const { key, verdict } of limiter.keys(name)) entries.push([key, verdict.remaining]);
    return entries.sort();
  };
  assertEquals(await list(), [["a", 2], ["b", 4]]);
  assertEquals(await list("long"), [["a", 6], ["b", 8]]);
  clock.advance(5);
  assertEquals(await list("short"), [["b", 4]]);
  assertThrows(() => limiter.keys("other"), RangeError, '"other"');
});

Deno.test("a key listed as its hash can be reset by the hash, and a key that only looks like one by itself", async () => {
  const { limiter } = made({ limit: 5 });
  const token = "x".repeat(300);
  const listed = async () => {
    const keys: string[] = [];
    for await (const { key } of limiter.keys()) keys.push(key);
    return keys;
  };
  await limiter.consume(token, { cost: 2 });
  const [hash] = await listed();
  await limiter.consume(hash!);
  assertEquals([(await listed()).length, (await limiter.peek(token)).remaining], [2, 3]);
  assertEquals([await limiter.reset(hash!), await listed()], [2, []]);
  await limiter.consume("\ud800");
  for (const key of await listed()) assertEquals(await limiter.reset(key), 1);
  assertEquals(await listed(), []);
});

Deno.test("a key with lone surrogates is kept as it is in memory, and as a text that survives UTF-8 elsewhere", async () => {
  const { limiter, clock } = made();
  const remote = new Limiter({ store: elsewhere(clock).store, clock: clock.read, timers: clock.timers });
  const [inMemory, outside] = await Promise.all([limiter, remote].map((one) => one.consume("a\ud800")));
  assertEquals(inMemory!.takes[0]!.key, "a\ud800");
  assert(outside!.takes[0]!.key.isWellFormed());
  assertEquals([await limiter.reset("a\ud800"), await remote.reset("a\ud800")], [1, 1]);
});

Deno.test("waitFor admits at once what fits, and waits for the rest no longer than it must", async () => {
  const { limiter, clock } = made({ algorithm: "token-bucket", limit: 2, windowMs: 1_000 });
  const { order, note } = served();
  await limiter.waitFor("a", { cost: 2 });
  const waiting = note("a", limiter.waitFor("a"));
  await settle();
  clock.advance(499);
  await settle();
  assertEquals(order, []);
  clock.advance(1);
  await waiting;
  assertEquals(order, ["a"]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("waitFor serves callers in order, each key in its own queue", async () => {
  const { limiter, clock } = made({ limit: 1, windowMs: 1_000 });
  const { order, note } = served();
  const all = ["a1", "a2", "b1", "a3", "b2"].map((name) => note(name, limiter.waitFor(name[0]!)));
  await settle();
  assertEquals(order, ["a1", "b1"]);
  for (const expected of [["a1", "b1", "a2", "b2"], ["a1", "b1", "a2", "b2", "a3"]]) {
    clock.advance(1_000);
    await settle();
    assertEquals(order, expected);
  }
  await Promise.all(all);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a low cost does not overtake a high one, even in the same turn", async () => {
  const { limiter, clock } = made({ algorithm: "token-bucket", limit: 10, windowMs: 1_000 });
  const { order, note } = served();
  await limiter.consume("a", { cost: 8 });
  const all = [note("much", limiter.waitFor("a", { cost: 5 })), note("little", limiter.waitFor("a"))];
  await settle();
  assertEquals(order, []);
  clock.advance(300);
  await settle();
  assertEquals(order, ["much"]);
  clock.advance(100);
  await Promise.all(all);
});

Deno.test("a caller that gives up in the middle of a queue lets no other overtake", async () => {
  const { limiter, clock } = made({ algorithm: "token-bucket", limit: 10, windowMs: 1_000 });
  const { order, note } = served();
  const leaving = new AbortController();
  await limiter.consume("a", { cost: 8 });
  const all = [
    note("first", limiter.waitFor("a", { cost: 5 })),
    note("second", limiter.waitFor("a", { cost: 4, signal: leaving.signal })),
    note("third", limiter.waitFor("a")),
  ];
  await settle();
  leaving.abort();
  await settle();
  assertEquals(order, ["second: AbortError"]);
  const late = note("fourth", limiter.waitFor("a"));
  await settle();
  assertEquals(order, ["second: AbortError"]);
  clock.advance(300);
  await settle();
  clock.advance(100);
  await settle();
  clock.advance(100);
  await Promise.all([...all, late]);
  assertEquals(order, ["second: AbortError", "first", "third", "fourth"]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("only maxWaiting callers may wait, and those served at once do not count", async () => {
  const { limiter, clock } = made({ limit: 3, windowMs: 1_000, maxWaiting: 2 });
  const served = await Promise.all([limiter.waitFor("a"), limiter.waitFor("a"), limiter.waitFor("a")]);
  assertEquals(served.map(({ allowed }) => allowed), [true, true, true]);
  const waiting = [limiter.waitFor("a"), limiter.waitFor("a")];
  await assertRejects(() => limiter.waitFor("a"), RangeError, "the queue is full (option maxWaiting: 2)");
  assert((await limiter.waitFor("b")).allowed);
  clock.advance(1_000);
  await Promise.all(waiting);
  await assertRejects(() => made({ limit: 0, maxWaiting: 0 }).limiter.waitFor("a"), RangeError);
});

Deno.test("a wait longer than timeoutMs ends with a TimeoutError and takes nothing", async () => {
  // slots may come back at any time
  const { limiter, clock } = made({ algorithm: "concurrency", limit: 1, windowMs: 1_000 });
  await limiter.consume("a");
  const first = assertRejects(() => limiter.waitFor("a", { timeoutMs: 399.5 }), DOMException, "399.5 ms");
  const behind = assertRejects(() => limiter.waitFor("a", { timeoutMs: 500 }), DOMException);
  await settle();
  clock.advance(400);
  assertEquals((await first).name, "TimeoutError");
  clock.advance(100);
  assertEquals((await behind).name, "TimeoutError");
  assertEquals(clock.pendingTimers, 0);
  clock.advance(500);
  assertEquals((await limiter.peek("a")).remaining, 1);
});

Deno.test("a signal of the wrong type is an error that names it", async () => {
  const { limiter } = made({ limit: 1 });
  const message = "limiter.waitFor: option signal must be an AbortSignal, not 5";
  await assertRejects(() => limiter.waitFor("a", { signal: 5 as never }), TypeError, message);
});

Deno.test("leases are refused where no decision can be reserved in advance", () => {
  const says = 'Limiter: option leases is for one limit of "fixed-window" or "sliding-window", not for';
  assertThrows(() => new Limiter({ leases: 20, algorithm: "token-bucket" }), TypeError, `${says} "token-bucket"`);
  const limits = [{ name: "a", limit: 1 }, { name: "b", limit: 1 }];
  assertThrows(() => new Limiter({ leases: 20, limits }), TypeError, `${says} 2 limits`);
});

Deno.test("an invalid timeoutMs is an error, before anything is taken", async () => {
  const { limiter, clock } = made({ limit: 1 });
  // a RangeError means that the queue is full
  for (const timeoutMs of [NaN, -1, Infinity, 2 ** 31, "5" as unknown as number]) {
    await assertRejects(
      () => limiter.waitFor("a", { timeoutMs }),
      TypeError,
      "option timeoutMs must be a number of ms",
    );
  }
  assertEquals([(await limiter.peek("a")).remaining, clock.pendingTimers], [1, 0]);
  assert((await limiter.waitFor("a", { timeoutMs: 0.5 })).allowed);
});

Deno.test("a signal ends the wait with its reason, before it starts, while others are ahead and when none is", async () => {
  const { limiter, clock } = made({ limit: 1, windowMs: 1_000 });
  const reason = new Error("changed my mind");
  assertEquals(await assertRejects(() => limiter.waitFor("a", { signal: AbortSignal.abort(reason) })), reason);
  assertEquals((await limiter.peek("a")).remaining, 1);
  await limiter.consume("a");
  for (const ahead of [0, 1]) {
    const leaving = new AbortController();
    const others = Array.from({ length: ahead }, () => limiter.waitFor("a"));
    const wait = assertRejects(() => limiter.waitFor("a", { signal: leaving.signal }));
    await settle();
    leaving.abort(reason);
    assertEquals(await wait, reason);
    clock.advance(1_000);
    await Promise.all(others);
  }
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a cost that can never be granted is a RangeError and not an endless wait", async () => {
  const { limiter, clock } = made({ limit: 3 });
  await assertRejects(() => limiter.waitFor("a", { cost: 4 }), RangeError, "(3)");
  await assertRejects(() => limiter.waitFor("a", { limit: 0 }), RangeError, "(0)");
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a caller that waits in a process without a local share is granted when the store is back", async () => {
  const clock = new VirtualClock();
  const { faulty, store } = elsewhere(clock);
  const limiter = new Limiter({
    ...{ store, limit: 3, processes: 4, onStoreFailure: "local" },
    ...{ clock: clock.read, timers: clock.timers },
  });
  faulty.fail();
  const { order, note } = served();
  const all = [note("first", limiter.waitFor("a")), note("second", limiter.waitFor("a"))];
  for (let second = 0; second < 30; second++) {
    await settle();
    clock.advance(1_000);
  }
  await settle();
  assertEquals([order, limiter.counters.decidedLocally > 10], [[], true]);
  const impossible = assertRejects(() => limiter.waitFor("b", { cost: 4 }), RangeError, "(3)");
  faulty.heal();
  // the store is not tried for a few more seconds
  for (let second = 0; second < 15; second++) {
    await settle();
    clock.advance(1_000);
  }
  await Promise.all(all);
  assertEquals(order, ["first", "second"]);
  await impossible;
  assertEquals([(await limiter.peek("a")).remaining, clock.pendingTimers], [1, 0]);
});

Deno.test("a refusal with consequences is counted once for each call to the store", async () => {
  const { limiter, clock } = made({ limit: 1, windowMs: 1_000, onDenied: "charge" });
  await limiter.consume("a");
  const wait = limiter.waitFor("a");
  await settle();
  assertEquals(limiter.counters.limited, 1);
  clock.advance(2_000);
  assert((await wait).allowed);
});

Deno.test("released units admit the first waiting caller at once", async () => {
  const { limiter, clock } = made({ algorithm: "concurrency", limit: 1, windowMs: 60_000 });
  const { order, note } = served();
  const first = await limiter.consume("a");
  const other = await limiter.consume("b");
  const all = [note("second", limiter.waitFor("a")), note("third", limiter.waitFor("a"))];
  await settle();
  await limiter.release(other);
  await settle();
  assertEquals(order, []);
  await limiter.release(first);
  await all[0];
  assertEquals(order, ["second"]);
  await limiter.reset();
  await Promise.all(all);
  assertEquals(order, ["second", "third"]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("units released while the first waiting caller is being refused admit it at once", async () => {
  for (const giveBack of ["release", "reset", "release of another key"]) {
    const clock = new VirtualClock();
    const { faulty, store } = elsewhere(clock);
    const options = { algorithm: "concurrency", limit: 1, windowMs: 60_000 } as const;
    const limiter = new Limiter({ ...options, store, clock: clock.read, timers: clock.timers });
    const [first, other] = [await limiter.consume("a"), await limiter.consume("b")];
    // the refusal is in transit while units come back
    const late = Promise.withResolvers<void>();
    const decide = store.decide.bind(store);
    store.decide = async (...asked) => {
      const verdicts = await decide(...asked);
      await late.promise;
      return verdicts;
    };
    const { order, note } = served();
    const waits = note("waited", limiter.waitFor("a"));
    await settle();
    if (giveBack === "reset") await limiter.reset("a");
    else await limiter.release(giveBack === "release" ? first : other);
    const asked = faulty.calls;
    late.resolve();
    await settle();
    const passes = giveBack !== "release of another key";
    assertEquals([order, faulty.calls - asked], passes ? [["waited"], 1] : [[], 0], giveBack);
    await limiter.close();
    await waits;
    assertEquals(clock.pendingTimers, 0);
  }
});

Deno.test("waitFor keeps its order over a store that answers with promises", async () => {
  const clock = new VirtualClock();
  const { faulty, store } = elsewhere(clock);
  faulty.delay(Promise.resolve());
  const limiter = new Limiter({ limit: 1, windowMs: 1_000, store, clock: clock.read, timers: clock.timers });
  const { order, note } = served();
  const all = ["1", "2", "3"].map((name) => note(name, limiter.waitFor("a")));
  await settle();
  assertEquals(order, ["1"]);
  clock.advance(1_000);
  await settle();
  clock.advance(1_000);
  await Promise.all(all);
  assertEquals(order, ["1", "2", "3"]);
  await limiter.close();
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("close rejects waiting callers and later ones", async () => {
  const { limiter, clock } = made({ limit: 1 });
  await limiter.consume("a");
  const waiting = [1, 2].map(() => assertRejects(() => limiter.waitFor("a"), DOMException, "closed"));
  await settle();
  await limiter.close();
  await Promise.all(waiting);
  await assertRejects(() => limiter.waitFor("b"), DOMException, "closed");
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a store is closed with the last limiter that uses it, and closing one twice does not count twice", async () => {
  const clock = new VirtualClock();
  const { store } = elsewhere(clock);
  let closed = 0;
  store.close = () => void closed++;
  const limiters = ["a", "b", "c"].map((name) => new Limiter({ store, name, clock: clock.read, timers: clock.timers }));
  const [a, b, c] = limiters as [Limiter, Limiter, Limiter];
  await a.close();
  await a.close();
  await b.close();
  assertEquals([closed, (await c.consume("key")).decidedBy], [0, "store"]);
  await c.close();
  await c.close();
  assertEquals(closed, 1);
  const late = new Limiter({ store, name: "d" });
  await late.close();
  assertEquals(closed, 2);
});

for (
  const algorithm of ["fixed-window", "sliding-window", "sliding-log", "sliding-approximate", "token-bucket"] as const
) {
  Deno.test(`${algorithm}: a window of a day that becomes one of a minute keeps nobody out for more than two minutes`, () => {
    const clock = new VirtualClock();
    const store = new MemoryStore({ clock: clock.read });
    const change = (windowMs: number) => new Limiter({ name: "api", algorithm, limit: 100, windowMs, store });
    assert((change(86_400_000).consume("key", { cost: 100 }) as Decision).allowed);
    clock.advance(30_000);
    const limiter = change(60_000);
    const { retryAfterMs, resetMs } = limiter.consume("key") as Decision;
    // algorithms with exact times return it sooner; two counters return it within two windows
    const longest = algorithm === "sliding-approximate" ? 120_000 : algorithm === "sliding-window" ? 66_000 : 60_000;
    assert(retryAfterMs <= 66_000 && resetMs <= longest, `${retryAfterMs}, ${resetMs}`);
    // a refusal stays the same until it ends
    clock.advance(Math.max(0, retryAfterMs - 1));
    if (retryAfterMs > 0) assertEquals((limiter.consume("key") as Decision).retryAfterMs, 1);
    clock.advance(1);
    assert((limiter.consume("key") as Decision).allowed);
  });
}

Deno.test("a limit of a sliding-log that is too long for its store is refused, also as a tier", async () => {
  const remote = elsewhere(new VirtualClock()).store;
  remote.checkPolicy = ({ limit }) => {
    if (limit > 5) throw new RangeError(`not ${limit}`);
  };
  assertThrows(() => new Limiter({ store: remote, limit: 6 }), RangeError, "not 6");
  const limiter = new Limiter({ store: remote, limit: 5 });
  assert((await limiter.consume("key", { limit: 4 })).allowed);
  assertThrows(() => limiter.consume("key", { limit: 6 }), RangeError, "not 6");
});

Deno.test("counters count every outcome", async () => {
  const { limiter } = made({ limits: [{ name: "real", limit: 2 }, { name: "tried", limit: 1, shadow: true }] });
  const first = await limiter.consume("a");
  for (let i = 0; i < 3; i++) await limiter.consume("a");
  await limiter.refund(first);
  const { admitted, limited, shadowLimited, refunded, ...others } = limiter.counters;
  assertEquals([admitted, limited, shadowLimited, refunded], [2, 2, 3, 2]);
  assert(Object.values(others).every((count) => count === 0));
});

Deno.test("events report refusals, shadow refusals, and failures of the store", async () => {
  const clock = new VirtualClock();
  const { faulty, store } = elsewhere(clock);
  const limiter = new Limiter({
    limits: [{ name: "real", limit: 2 }, { name: "tried", limit: 1, shadow: true }],
    ...{ store, clock: clock.read, timers: clock.timers },
  });
  const told: string[] = [];
  limiter.on("limited", (decision: Decision) => told.push(`limited ${decision.takes[0]!.key}`));
  limiter.on("shadowLimited", (decision: Decision) => told.push(`shadow ${decision.takes[0]!.key}`));
  limiter.on("storeFailure", (error: Error) => told.push(error.message));
  for (let i = 0; i < 3; i++) await limiter.consume("a");
  faulty.fail(new Error("out of order"));
  assertEquals((await limiter.consume("b")).decidedBy, "local");
  assertEquals(told, ["shadow a", "shadow a", "limited a", "out of order"]);
  assertEquals([limiter.counters.storeFailures, limiter.counters.decidedLocally], [1, 1]);
});

Deno.test("without a listener, the console gets a store's first failure and each opening of the breaker", async () => {
  const clock = new VirtualClock();
  const { faulty, store } = elsewhere(clock);
  const { error } = console;
  const logged: unknown[] = [];
  console.error = (...told) => logged.push(...told);
  // like ioredis's errors, which contain the command
  const refused = Object.assign(new Error("WRONGPASS invalid password"), { command: { args: ["AUTH", "password"] } });
  try {
    const options = { limit: 100, store, clock: clock.read, timers: clock.timers };
    const heard = new Limiter({ ...options, name: "heard" });
    heard.on("storeFailure", () => {});
    const limiter = new Limiter({ ...options, name: "unheard", onStoreFailure: "open" });
    const failing = async (times: number) => {
      faulty.fail(refused);
      for (let i = 0; i < times; i++) await Promise.all([limiter.consume("a"), heard.consume("a")]);
    };
    await failing(2);
    assertEquals(logged, [
      'Limiter: onStoreFailure "open" decides, because the store failed (listen to storeFailure for more): ' +
      "WRONGPASS invalid password",
    ]);
    await failing(20);
    assertEquals(logged.length, 2, "the breaker opened");
    faulty.heal();
    clock.advance(20_000);
    assertEquals((await limiter.consume("a")).decidedBy, "store");
    await failing(20);
    assertEquals(logged.length, 3, "it opened again");
  } finally {
    console.error = error;
  }
});

Deno.test("a listener that throws changes no decision, and is logged to the console", async () => {
  const clock = new VirtualClock();
  const { faulty, store } = elsewhere(clock);
  faulty.delay(Promise.resolve());
  const { error } = console;
  const complaints: unknown[] = [];
  console.error = (message) => complaints.push(message);
  try {
    for (const where of [{}, { store, clock: clock.read, timers: clock.timers }]) {
      const limits = [{ name: "real", limit: 2 }, { name: "tried", limit: 1, shadow: true }];
      const limiter = new Limiter({ limits, ...where });
      for (const event of ["limited", "shadowLimited"]) {
        limiter.on(event, () => {
          throw new Error("a mistake");
        });
      }
      // an unhandled rejection would crash the process
      for (const event of ["limited", "shadowLimited"]) {
        limiter.prependListener(event, () => Promise.reject(new Error("a mistake of an asynchronous listener")));
      }
      const allowed: boolean[] = [];
      for (let times = 0; times < 3; times++) allowed.push((await limiter.consume("key")).allowed);
      assertEquals(allowed, [true, true, false]);
      assertEquals([limiter.counters.admitted, limiter.counters.limited], [2, 1]);
    }
  } finally {
    console.error = error;
  }
  assertEquals(complaints.length, 12);
});

Deno.test("a decision made without the store says so, and a hanging store costs only its time budget", async () => {
  for (const [onStoreFailure, allowed] of [["open", true], ["closed", false], ["local", true]] as const) {
    const clock = new VirtualClock();
    const { faulty, store } = elsewhere(clock);
    faulty.hang();
    const limiter = new Limiter({ limit: 1, store, onStoreFailure, clock: clock.read, timers: clock.timers });
    const asked = limiter.consume("a");
    await settle();
    clock.advance(100);
    const decision = await asked;
    assertEquals([decision.decidedBy, decision.allowed], [onStoreFailure, allowed]);
    assertEquals(clock.pendingTimers, 0);
  }
});

Deno.test("a store that hangs on a refund costs only its time budget", async () => {
  const clock = new VirtualClock();
  const { faulty, store } = elsewhere(clock);
  const limiter = new Limiter({ limit: 1, store, clock: clock.read, timers: clock.timers });
  const decision = await limiter.consume("a");
  faulty.hang();
  const given = limiter.refund(decision);
  await settle();
  clock.advance(100);
  assertEquals([await given, limiter.counters.refunded, limiter.counters.storeFailures], [false, 0, 1]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("calls to another service stay within its limits", async () => {
  const { limiter, clock } = made({
    limits: [
      { name: "rate", algorithm: "sliding-window", limit: 3, windowMs: 1_000 },
      { name: "at-once", algorithm: "concurrency", limit: 2, windowMs: 30_000 },
    ],
    maxWaiting: 100,
  });
  let running = 0;
  let most = 0;
  const starts: number[] = [];
  async function call(): Promise<void> {
    const turn = await limiter.waitFor("service");
    try {
      starts.push(clock.now);
      most = Math.max(most, ++running);
      await settle();
    } finally {
      running--;
      await limiter.release(turn);
    }
  }
  const calls = Promise.all(Array.from({ length: 10 }, call));
  for (let i = 0; i < 60; i++) {
    await settle();
    await settle();
    clock.advance(100);
  }
  await calls;
  assertEquals([starts.length, most], [10, 2]);
  for (const start of starts) {
    assert(starts.filter((other) => other >= start && other < start + 1_000).length <= 3);
  }
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("an invalid key or decision is refused, naming the value", () => {
  const { limiter } = made();
  // deno-lint-ignore no-explicit-any
  const told = (call: (value: any) => unknown, value: unknown) => assertThrows(() => call(value), TypeError).message;
  for (const value of [null, 5, undefined]) {
    const wanted = `the key must be a non-empty string, not ${value}`;
    assertEquals(told((key) => limiter.consume(key), value), `limiter.consume: ${wanted}`);
    assertEquals(told((key) => limiter.peek(key), value), `limiter.peek: ${wanted}`);
  }
  assertEquals(told((key) => limiter.reset(key), null), "limiter.reset: the key must be a non-empty string, not null");
  const wanted = "expects what await limiter.consume(…) or waitFor(…) returns, not";
  assertEquals(told((one) => limiter.refund(one), Promise.resolve()), `limiter.refund ${wanted} this object`);
  assertEquals(told((one) => limiter.release(one), undefined), `limiter.release ${wanted} undefined`);
});

Deno.test("a limit whose key is null has nothing to do with what is asked for", async () => {
  const { limiter } = made({ limits: [{ name: "all", limit: 2 }, { name: "upload", limit: 1 }] });
  const decision = await limiter.consume({ all: "a", upload: null });
  assertEquals([decision.policies.map(({ name }) => name), decision.remaining], [["all"], 1]);
  assertEquals((await limiter.consume({ all: "a", upload: "a" })).allowed, true);
  assertEquals((await limiter.consume({ all: null, upload: "a" })).allowed, false);
  assertEquals((await limiter.peek({ all: null, upload: "b" })).remaining, 1);
  assertThrows(
    () => limiter.consume({ all: null, upload: null }),
    TypeError,
    "limiter.consume: no limit has a key; give one to at least one of all, upload",
  );
  assertThrows(() => limiter.consume({ all: "a" }), TypeError, 'limiter.consume: the key of limit "upload"');
});

Deno.test("a cost may be another one for each limit", async () => {
  const { limiter } = made({ limits: [{ name: "requests", limit: 10 }, { name: "bytes", limit: 1000 }] });
  const { verdicts } = await limiter.consume("a", { cost: { bytes: 300 } });
  assertEquals(verdicts.map(({ remaining }) => remaining), [9, 700]);
  assertEquals((await limiter.consume("a", { cost: { requests: 1, bytes: 701 } })).allowed, false);
  assertEquals((await limiter.consume("a", { cost: { requests: 0, bytes: 700 } })).verdicts[0]!.remaining, 9);
  for (
    const [cost, message] of [
      [{ bites: 1 }, 'option cost names an unknown limit "bites"; there are requests, bytes'],
      [{ bytes: -1 }, "option cost.bytes must be an integer from 0"],
      [{ bytes: undefined }, "option cost.bytes must be a number, not undefined"],
    ] as const
  ) {
    assertThrows(() => limiter.consume("a", { cost: cost as Record<string, number> }), Error, message);
  }
});

Deno.test("other limits keep the counts of those that keep their name, and nothing changes if one is wrong", async () => {
  const { limiter } = made({
    limits: [{ name: "a", limit: 2 }, { name: "b", limit: 9 }],
    policies: { pro: { a: { limit: 5 } } },
  });
  limiter.top();
  for (let i = 0; i < 3; i++) await limiter.consume("key");
  assertThrows(() => limiter.replace({ name: "a", limit: 1.5 }), RangeError, "limiter.replace: option limit");
  assertThrows(
    () => limiter.replace({ name: "a", limts: 1 } as LimiterOptions),
    TypeError,
    "limiter.replace: there is no option limts",
  );
  assertEquals(limiter.policies.map(({ name, limit }) => [name, limit]), [["a", 2], ["b", 9]]);
  limiter.replace({ name: "a", limit: 4, policies: { pro: { limit: 50 } } });
  assertEquals((await limiter.consume("key")).remaining, 1);
  assertEquals((await limiter.consume("key", { policy: "pro" })).remaining, 46);
  assertEquals(limiter.top().map(({ policy, refusals }) => [policy, refusals]), [["a", 1]]);
  // omitted options are removed
  limiter.replace({ name: "a", limit: 4 });
  assertThrows(() => limiter.consume("key", { policy: "pro" }), TypeError, "there is no policy");
});

Deno.test("a limiter without debts may get some, and what reserves decisions in advance keeps its limit", async () => {
  const { limiter } = made({ name: "a", limit: 10 });
  limiter.replace({ name: "a", limit: 10, maxDebt: 5 });
  const decision = await limiter.consume("key", { cost: 4 });
  assertEquals(await decision.settle(14), true);
  assertEquals((await limiter.consume("key")).allowed, false);
  const clock = new VirtualClock();
  const leasing = made({ name: "a", limit: 100, leases: 5, store: elsewhere(clock).store }).limiter;
  assertThrows(() => leasing.replace({ name: "a", limit: 9 }), TypeError, "limiter.replace: option leases reserves");
});

Deno.test("a limiter whose limits are replaced by others again and again forgets those that count nothing any more", () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock: clock.read });
  const limitOf = (n: number) => ({ name: `version ${n}`, limit: 2, windowMs: 1000 });
  const limiter = new Limiter({ ...limitOf(0), store });
  const other = new Limiter({ name: "other", limit: 2, windowMs: 1000, store });
  const remaining = (one: Limiter) => (one.consume("key") as Decision).remaining;
  for (let n = 1; n < 50; n++) {
    remaining(limiter);
    limiter.replace(limitOf(n));
    clock.advance(1000);
  }
  assertEquals(store.size, 1); // the previous version's count
  assertEquals([remaining(limiter), remaining(other)], [1, 1]);
  limiter.replace(limitOf(49));
  assertEquals([remaining(limiter), remaining(other)], [0, 0]);
  clock.advance(1000);
  limiter.replace(limitOf(50));
  assertEquals(store.size, 0);
  assertEquals([remaining(limiter), remaining(other), remaining(other)], [1, 1, 0]);
});
