import { assert, assertEquals, assertThrows } from "@std/assert";
import { ALGORITHM_NAMES, type Policy } from "../../src/policy/policy.ts";
import type { Decision } from "../../src/limiter/decision.ts";
import { Limiter } from "../../src/limiter/limiter.ts";
import { MemoryStore } from "../../src/stores/memory_store.ts";
import { StoreClock } from "@sluice/limiting";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

function policyOf(algorithm: Policy["algorithm"], rest: Partial<Policy> = {}): Policy {
  return { name: "p", algorithm, limit: 2, windowMs: 60_000, ...rest };
}

function take(store: MemoryStore, policy: Policy, key: string, cost = 1) {
  return store.decide([{ policy, key, cost }])[0]!;
}

for (const algorithm of ALGORITHM_NAMES) {
  Deno.test(`${algorithm}: however many keys arrive, no more than maxKeys are kept, and none in use loses its count`, () => {
    const clock = new VirtualClock();
    const store = new MemoryStore({ maxKeys: 500, clock: clock.read });
    const policy = policyOf(algorithm);
    for (let i = 0; i < 500; i++) take(store, policy, `early ${i}`, 2);
    let admitted = 0;
    for (let i = 0; i < 20_000; i++) if (!take(store, policy, `late ${i}`).denied) admitted++;
    assertEquals(store.size, 500);
    assert(store.overflows >= 20_000);
    // late keys share 1024 states, each of which admits two
    assert(admitted <= 2048, `${admitted} late keys were admitted`);
    for (let i = 0; i < 500; i++) assert(take(store, policy, `early ${i}`).denied, `early ${i} had its quota twice`);
  });

  Deno.test(`${algorithm}: new keys take the places of idle ones, and have their own quotas again`, () => {
    const clock = new VirtualClock();
    const store = new MemoryStore({ maxKeys: 100, clock: clock.read });
    const policy = policyOf(algorithm);
    for (let round = 0; round < 5; round++) {
      for (let i = 0; i < 100; i++) assertEquals(take(store, policy, `${round} ${i}`).remaining, 1);
      clock.advance(200_000);
    }
    assertEquals(store.overflows, 0);
    assertEquals(store.size, 100);
  });

  Deno.test(`${algorithm}: a clock that begins at 0 works like any other`, () => {
    const clocks = [new VirtualClock(0), new VirtualClock()];
    const stores = clocks.map((clock) => new MemoryStore({ clock: clock.read }));
    const policies = [1000, 4].map((windowMs) => policyOf(algorithm, { name: `${windowMs}`, limit: 5, windowMs }));
    const keys = ["a", "b", "c"];
    for (const policy of policies) {
      for (const key of keys) {
        const first = Array.from({ length: 20 }, () => take(stores[0]!, policy, key));
        assertEquals(first.filter(({ denied }) => !denied).length, 5);
        for (let times = 0; times < 20; times++) take(stores[1]!, policy, key);
      }
    }
    const pick = seededRandom(5);
    for (let step = 0; step < 2000; step++) {
      const ms = pick(step < 1000 ? 20 : 400);
      for (const clock of clocks) clock.advance(ms);
      const asked = [policies[pick(2)]!, keys[pick(3)]!, pick(4)] as const;
      const [early, late] = stores.map((store) => ({ step, ...take(store, ...asked), stamp: 0 }));
      assert(Number.isInteger(early!.remaining) && early!.remaining >= 0, `${early!.remaining} are left`);
      assertEquals(early, late);
    }
  });
}

Deno.test("a client with a limit of 0 does not keep others' places from being reused", () => {
  for (const first of [0, 2]) {
    const clock = new VirtualClock();
    const store = new MemoryStore({ maxKeys: 100, clock: clock.read });
    const open = policyOf("token-bucket");
    const closed = { ...open, limit: 0 };
    for (const policy of first === 0 ? [closed, open] : [open, closed]) take(store, policy, "banned");
    for (let i = 0; i < 1000; i++) {
      assertEquals(take(store, open, `client ${i}`, 2).denied, false);
      clock.advance(60_000);
    }
    assertEquals(store.overflows, 0);
  }
});

Deno.test("a sliding window frees quota late by less than two of its buckets, whatever their number", () => {
  for (const windowMs of [1, 7, 99, 1000, 1500, 61_000]) {
    for (const buckets of [1, 3, 10, 59, 300, 600, 999, 1000]) {
      const clock = new VirtualClock();
      const store = new MemoryStore({ clock: clock.read });
      const policy: Policy = { name: "p", algorithm: "sliding-window", limit: 1, windowMs, buckets };
      const part = Math.ceil(windowMs / buckets);
      for (let times = 0; times < 30; times++) {
        clock.advance(1 + times);
        const [verdict] = store.decide([{ policy, key: `${times}`, cost: 1 }]);
        const late = verdict!.resetMs - windowMs;
        assert(late >= 0 && late < 2 * part, `${late} ms of ${windowMs} in ${buckets} parts`);
      }
    }
  }
});

Deno.test("a blocked key stays blocked, however many keys come", () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ maxKeys: 100, clock: clock.read });
  const policy = policyOf("fixed-window", { limit: 1, windowMs: 1000, block: { after: 1, forMs: 3_600_000 } });
  take(store, policy, "villain");
  assert(take(store, policy, "villain").blocked);
  for (let i = 0; i < 5000; i++) {
    take(store, policy, `crowd ${i}`);
    clock.advance(100);
  }
  assert(take(store, policy, "villain").blocked);
});

Deno.test("a key that shared a counter keeps its count when it gets its own place", () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ maxKeys: 10, clock: clock.read });
  const short = policyOf("fixed-window", { windowMs: 1000 });
  for (let i = 0; i < 10; i++) take(store, short, `early ${i}`);
  clock.advance(500);
  take(store, short, "late", 2);
  assert(take(store, short, "late").denied);
  clock.advance(500);
  // the early keys are idle now, and the late one gets a slot
  assert(take(store, short, "late").denied, "the late key had its quota twice");
  assert(store.size <= 10);
});

Deno.test("the store grows to a million keys and forgets them, and every key had its own count", () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ maxKeys: 2 ** 20, clock: clock.read });
  const policy = policyOf("fixed-window");
  const next = seededRandom(1);
  for (let i = 0; i < 300_000; i++) {
    assertEquals(take(store, policy, `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`).remaining, 1);
  }
  for (let i = 0; i < 20_000; i++) {
    const n = next(300_000);
    const { remaining } = store.decide([{ policy, key: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, cost: 0 }])[0]!;
    assertEquals(remaining, 1);
  }
  assertEquals(store.size, 300_000);
  assertEquals(store.reset({ policy: "p" }), 300_000);
  assertEquals(store.size, 0);
  assertEquals(take(store, policy, "10.0.0.1").remaining, 1);
});

Deno.test("batches take places for all their keys, even if that makes the arrays grow", () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock: clock.read });
  const policies = ALGORITHM_NAMES.map((algorithm) => ({
    ...policyOf(algorithm),
    name: algorithm,
    block: { after: 9, forMs: 9 },
  }));
  for (let i = 0; i < 200; i++) {
    const takes = policies.flatMap((policy) => [0, 1].map((n) => ({ policy, key: `${i} ${n}`, cost: 1 })));
    for (const { granted, remaining } of store.decide(takes)) assertEquals([granted, remaining], [1, 1]);
  }
  for (let i = 0; i < 200; i++) {
    for (const policy of policies) assertEquals(take(store, policy, `${i} 0`, 0).remaining, 1);
  }
});

Deno.test("time in a store never goes back, and continues after the clock was set back", () => {
  const system = new VirtualClock(1_000_000);
  const clock = new StoreClock(system.read);
  assertEquals(clock.now(), 1_000_000);
  system.advance(-500_000);
  assertEquals(clock.now(), 1_000_000);
  system.advance(10);
  assertEquals(clock.now(), 1_000_010);
  system.advance(1_000_000);
  assertEquals(clock.now(), 2_000_010);
});

Deno.test("the system's clock advances between turns and within a long one", async () => {
  const clock = new StoreClock();
  const before = clock.now();
  const busyUntil = performance.now() + 5;
  while (performance.now() < busyUntil) clock.now();
  // more reads than a cached time may serve, in case the process was paused most of the time
  for (let reads = 0; reads < 200; reads++) clock.now();
  assert(clock.now() > before, "the clock stood still in one long turn");
  await Promise.resolve();
  assert(clock.now() >= before + 4);
});

function decisionOf(limiter: Limiter, key: string): Decision {
  return limiter.consume(key) as Decision;
}

/** Ends the turn, because a store reads its clock once per turn, for many decisions. */
async function aTurn(): Promise<void> {
  await Promise.resolve();
}

/** Sets the system clock until it is disposed of. */
function systemClock() {
  const real = Date.now;
  let ahead = 0;
  Date.now = () => real() + ahead;
  return {
    advance: (ms: number) => ahead += ms,
    [Symbol.dispose]: () => void (Date.now = real),
  };
}

const HOUR = 3_600_000;

Deno.test("no window in memory ends sooner or later because the system's clock is set by an hour", async () => {
  for (const jump of [HOUR, -HOUR]) {
    using system = systemClock();
    const limits = ALGORITHM_NAMES.map((algorithm) => ({ algorithm, limit: 1, windowMs: 60_000, name: algorithm }));
    const limiter = new Limiter({ limits });
    const blocking = new Limiter({ limit: 1, windowMs: 60_000, block: { after: 1, forMs: 60_000 } });
    assert(decisionOf(limiter, "key").allowed);
    for (let i = 0; i < 2; i++) decisionOf(blocking, "key");
    system.advance(jump);
    await aTurn();
    const { allowed, verdicts } = decisionOf(limiter, "key");
    assert(!allowed && verdicts.every(({ denied }) => denied));
    assert(verdicts.every(({ resetMs }) => resetMs > 50_000 && resetMs <= 120_000), JSON.stringify(verdicts));
    const { verdicts: [blocked] } = decisionOf(blocking, "key");
    assert(blocked!.blocked && blocked!.retryAfterMs > 50_000 && blocked!.retryAfterMs <= 60_000);
  }
});

Deno.test("windows of clock and calendar follow the system's clock, also beside others in one batch", async () => {
  using system = systemClock();
  const limiter = new Limiter({
    limits: [
      { name: "aligned", limit: 5, windowMs: HOUR, align: "clock" },
      { name: "day", limit: 5, window: { every: "day" } },
      { name: "log", algorithm: "sliding-log", limit: 5, windowMs: HOUR },
      { name: "first", limit: 5, windowMs: HOUR },
    ],
  });
  const remaining = () => decisionOf(limiter, "key").verdicts.map(({ remaining }) => remaining);
  assertEquals(remaining(), [4, 4, 4, 4]);
  system.advance(24 * HOUR);
  await aTurn();
  assertEquals(remaining(), [4, 4, 3, 3]);
});

Deno.test("a policy that no longer follows the clock keeps what is used, and no longer than its window", async () => {
  using system = systemClock();
  const store = new MemoryStore();
  const policy: Policy = { name: "p", algorithm: "fixed-window", limit: 5, windowMs: 60_000 };
  take(store, policy, "other");
  system.advance(HOUR);
  await aTurn();
  take(store, { ...policy, align: "clock" }, "key");
  const { remaining, resetMs } = take(store, policy, "key");
  assertEquals(remaining, 3);
  assert(resetMs <= 60_000, `${resetMs}`);
});

Deno.test("an invalid maxKeys is refused", () => {
  for (const maxKeys of [0, -1, 1.5, NaN, 2 ** 25]) {
    assertThrows(() => new MemoryStore({ maxKeys }), RangeError, "maxKeys");
  }
});

Deno.test("listing the keys ends, with each key once, even if they are reset and return meanwhile", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock: clock.read });
  const policy = policyOf("fixed-window");
  for (const key of ["a", "b", "c", "late"]) take(store, policy, key);
  const listed: string[] = [];
  for await (const { key } of store.inspect(policy)) {
    listed.push(key);
    assert(listed.length <= 4, `listed are ${listed}`);
    store.reset({ policy: "p" });
    for (const again of ["c", "b", "a"]) take(store, policy, again);
    for (let i = 0; i < 10; i++) take(store, policy, `new ${listed.length} ${i}`);
  }
  assertEquals(listed.toSorted(), [...new Set(listed)].toSorted());
  assert(listed.includes("a"));
});

Deno.test("keys are listed with their state at the time of listing", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock: clock.read });
  const policy = policyOf("fixed-window");
  for (const key of ["a", "b"]) take(store, policy, key);
  clock.advance(20_000);
  take(store, policy, "c");
  const listed: (string | number)[] = [];
  for await (const { key, verdict } of store.inspect(policy)) {
    listed.push(key, verdict.resetMs);
    clock.advance(40_000);
  }
  assertEquals(listed, ["a", 40_000, "c", 20_000]);
});
