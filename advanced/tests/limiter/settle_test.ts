import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  type AlgorithmName,
  type Decision,
  fromCounter,
  Limiter,
  type LimiterOptions,
  MemoryStore,
  type Store,
} from "../../mod.ts";
import { warningsOf } from "../../../tests/support/warnings.ts";
import { FaultyStore } from "../../src/testing/faulty_store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";

const SETTLED: readonly AlgorithmName[] = [
  "fixed-window",
  "sliding-window",
  "sliding-log",
  "sliding-approximate",
  "token-bucket",
];

function made(options: LimiterOptions = {}): { limiter: Limiter; clock: VirtualClock } {
  const clock = new VirtualClock(1_700_000_040_000);
  const limiter = new Limiter({ limit: 100, windowMs: 60_000, maxDebt: 500, clock: clock.read, ...options });
  return { limiter, clock };
}

/** A store that replies with promises, and fails on demand. */
function elsewhere(options: LimiterOptions = {}) {
  const clock = new VirtualClock(1_700_000_040_000);
  const faulty = new FaultyStore(new MemoryStore({ clock: clock.read }));
  const store: Store = faulty.delay(Promise.resolve());
  const limiter = new Limiter({
    ...{ limit: 100, windowMs: 60_000, maxDebt: 500, store, processes: 1 },
    ...{ clock: clock.read, timers: clock.timers, coalesce: true, denyCache: true, ...options },
  });
  limiter.on("storeFailure", () => {});
  return { limiter, clock, faulty };
}

function check(limiter: Limiter, cost: number): Decision {
  return limiter.consume("key", { cost }) as Decision;
}

for (const algorithm of SETTLED) {
  Deno.test(`${algorithm}: a request that costs less than estimated gets the rest back`, () => {
    const { limiter } = made({ algorithm });
    const decision = check(limiter, 60);
    assertEquals(decision.remaining, 40);
    assertEquals(decision.settle(25), true);
    assertEquals([decision.remaining, decision.verdicts[0]!.granted], [75, 25]);
    assertEquals((limiter.peek("key") as Decision).remaining, 75);
    assertEquals(limiter.counters.refunded, 35);
  });

  Deno.test(`${algorithm}: a request that costs more than there is runs into debt, which later windows pay off`, () => {
    const { limiter, clock } = made({ algorithm });
    const decision = check(limiter, 60);
    assertEquals(decision.settle(250), true);
    assertEquals([decision.remaining, decision.verdicts[0]!.granted], [0, 250]);
    // 250 units used with a limit of 100 per window: one more unit fits once 151 are paid off
    const refused = check(limiter, 1);
    assertEquals(refused.allowed, false);
    assert(refused.retryAfterMs > 60_000 && refused.retryAfterMs <= 180_000, String(refused.retryAfterMs));
    clock.advance(refused.retryAfterMs - 1);
    assertEquals(check(limiter, 1).allowed, false);
    clock.advance(1);
    assertEquals(check(limiter, 1).allowed, true);
    clock.advance(decision.resetMs - refused.retryAfterMs + 120_000);
    assertEquals((limiter.peek("key") as Decision).remaining, 100);
  });

  Deno.test(`${algorithm}: a debt is no larger than maxDebt, and settle says that not all is counted`, () => {
    const { limiter } = made({ algorithm, maxDebt: 20 });
    const decision = check(limiter, 60);
    assertEquals(decision.settle(1000), false);
    assertEquals(decision.verdicts[0]!.granted, 120);
  });

  Deno.test(`${algorithm}: with a maxDebt of 0 nothing is counted beyond the limit`, () => {
    const { limiter } = made({ algorithm, maxDebt: 0 });
    const [first, second] = [check(limiter, 10), check(limiter, 60)];
    assertEquals([first.settle(41), second.settle(60)], [false, true]);
    assertEquals([first.verdicts[0]!.granted, second.remaining], [40, 40 - 10]);
  });
}

Deno.test("what nobody pays is counted, and told to a listener or once to the console", async () => {
  for (const { limiter } of [made({ maxDebt: 20, name: "tokens" }), elsewhere({ maxDebt: 20, name: "tokens" })]) {
    const cost = async (key: string, units: number) => {
      const decision = await limiter.consume(key, { cost: 60 });
      return await decision.settle(units);
    };
    const warnings = await warningsOf(async () => {
      assertEquals(await cost("a", 100), true);
      // charge() reports it to the caller, which may end the request
      assertEquals(await (await limiter.consume("b")).charge(1000), false);
      assertEquals(limiter.counters.forgiven, 0);
      assertEquals([await cost("c", 150), await cost("d", 121)], [false, false]);
    });
    assertEquals(limiter.counters.forgiven, 31);
    assertEquals(warnings.length, 1);
    assert(warnings[0]!.startsWith('limiter: a request has cost 30 units more than option maxDebt of "tokens" lets'));
    const told: unknown[] = [];
    limiter.on("forgiven", ({ takes }: Decision, units: number) => told.push(takes[0]!.key, units));
    assertEquals(await warningsOf(async () => void await cost("e", 125)), []);
    assertEquals([told, limiter.counters.forgiven], [["e", 5], 36]);
  }
});

Deno.test("a decision is settled once: the second time changes nothing and says so", () => {
  const { limiter } = made();
  const decision = check(limiter, 10);
  assertEquals(decision.settle(50), true);
  assertEquals([decision.settle(80), decision.charge(5), limiter.refund(decision)], [false, false, false]);
  assertEquals((limiter.peek("key") as Decision).remaining, 50);
});

Deno.test("a decision whose units were given back cannot be settled any more", () => {
  const { limiter } = made();
  const decision = check(limiter, 10);
  assertEquals([limiter.refund(decision), decision.settle(50), decision.charge(50)], [true, false, false]);
  assertEquals((limiter.peek("key") as Decision).remaining, 100);
});

Deno.test("after the window has gone, less is not given back, and more counts in the present window", () => {
  const { limiter, clock } = made();
  const [less, more] = [check(limiter, 10), check(limiter, 10)];
  clock.advance(60_000);
  check(limiter, 30);
  assertEquals([less.settle(4), less.remaining], [false, 70]);
  assertEquals([more.settle(25), more.remaining], [true, 55]);
});

Deno.test("a cost that is no whole number from 0 on is refused, and the decision can still be settled", () => {
  const { limiter } = made();
  const decision = check(limiter, 10);
  for (const wrong of [-1, NaN, 1.5, Infinity, 2 ** 31 + 1]) {
    assertThrows(() => decision.settle(wrong), RangeError, "decision.settle: option actual must be an integer from 0");
    assertThrows(() => decision.charge(wrong), RangeError, "decision.charge: option units must be an integer from 0");
  }
  assertThrows(() => decision.settle("10" as unknown as number), TypeError, "option actual must be a number");
  assertEquals([decision.settle(0), decision.remaining], [true, 100]);
});

Deno.test("a refusal and a look cannot be settled, nor a decision of a limiter without maxDebt", () => {
  const { limiter } = made();
  const refusal = check(limiter, 101);
  assertThrows(() => refusal.settle(1), TypeError, "decision.settle: the decision was a refusal");
  assertThrows(() => refusal.charge(1), TypeError, "decision.charge: the decision was a refusal");
  const looked = limiter.peek("key") as Decision;
  assertThrows(() => looked.settle(1), TypeError, "no limit of this decision can be settled; give one option maxDebt");
  const plain = new Limiter().consume("key") as Decision;
  assertThrows(() => plain.settle(1), TypeError, "no limit of this decision can be settled; give one option maxDebt");
});

Deno.test("what is charged while a request runs uses its estimate up first, and is counted beyond it", () => {
  const { limiter } = made({ maxDebt: 20 });
  const decision = check(limiter, 30);
  const remaining: number[] = [];
  const charged = [20, 20, 50, 30, 10].map((units) => {
    const isCounted = decision.charge(units);
    remaining.push((limiter.peek("key") as Decision).remaining);
    return isCounted;
  });
  assertEquals(charged, [true, true, true, true, false]);
  assertEquals(remaining, [70, 60, 10, 0, 0]);
  assertThrows(
    () => decision.settle(100),
    RangeError,
    "actual cost (100) is less than what was already charged (130)",
  );
  assertEquals([decision.settle(130), decision.verdicts[0]!.granted], [false, 120]);
});

Deno.test("settle gives back what charge has left of the estimate", () => {
  const { limiter } = made();
  const decision = check(limiter, 60);
  assertEquals([decision.charge(5), decision.charge(15), decision.remaining], [true, true, 40]);
  assertEquals([decision.settle(20), decision.remaining], [true, 80]);
});

Deno.test("what charge could not count is counted by settle, once a window has paid off enough", () => {
  const { limiter, clock } = made({ maxDebt: 20 });
  const decision = check(limiter, 100);
  assertEquals(decision.charge(150), false);
  clock.advance(60_000);
  assertEquals([decision.settle(150), decision.verdicts[0]!.granted], [true, 150]);
});

Deno.test("of several limits, those with maxDebt are settled, and the others keep what they counted", () => {
  const { limiter } = made({
    limit: undefined,
    windowMs: undefined,
    maxDebt: undefined,
    limits: [
      { name: "tokens", algorithm: "token-bucket", limit: 100, windowMs: 60_000, maxDebt: 500 },
      { name: "day", algorithm: "sliding-window", limit: 1000, windowMs: 86_400_000, maxDebt: 500 },
      { name: "plain", limit: 50 },
      { name: "tried", limit: 5, maxDebt: 10, shadow: true },
    ],
  });
  const decision = check(limiter, 10);
  assertEquals([decision.allowed, decision.shadowDenied], [true, true]);
  assertEquals(decision.settle(200), true);
  const granted = decision.verdicts.map((verdict) => verdict.granted);
  assertEquals(granted, [200, 200, 10, 0]);
  const { verdicts } = limiter.peek("key") as Decision;
  assertEquals(verdicts.map(({ remaining }) => remaining), [0, 800, 40, 5]);
});

Deno.test("who waits for units is woken when a request turns out to have cost less", async () => {
  const { limiter } = elsewhere();
  const decision = await limiter.consume("key", { cost: 100 });
  const waiting = limiter.waitFor("key", { cost: 40 });
  await decision.settle(50);
  const granted = await waiting;
  assertEquals([granted.allowed, await granted.settle(45), granted.remaining], [true, true, 5]);
});

Deno.test("a refusal that is remembered ends when units are given back by settle, and lasts longer when more is counted", async () => {
  const { limiter, faulty } = elsewhere();
  const [one, other] = [await limiter.consume("key", { cost: 50 }), await limiter.consume("key", { cost: 50 })];
  const { retryAfterMs } = await limiter.consume("key", { cost: 90 });
  await one.settle(70);
  const { calls } = faulty;
  for (let times = 0; times < 2; times++) {
    assertEquals((await limiter.consume("key", { cost: 90 })).retryAfterMs, retryAfterMs + 60_000);
    assertEquals(faulty.calls - calls, 1);
  }
  await other.settle(0);
  assertEquals((await limiter.consume("key", { cost: 10 })).allowed, true);
});

Deno.test("equal decisions that were merged into one command are settled each by itself", async () => {
  const { limiter } = elsewhere();
  const decisions = await Promise.all(Array.from({ length: 5 }, () => limiter.consume("key", { cost: 10 })));
  assertEquals(limiter.counters.coalesced, 4);
  const settled = await Promise.all(decisions.map((decision, i) => decision.settle(5 * i)));
  assertEquals(settled, [true, true, true, true, true]);
  assertEquals((await limiter.peek("key")).remaining, 50);
});

Deno.test("calls on one decision take turns, whoever awaits them", async () => {
  const { limiter, faulty } = elsewhere();
  const decision = await limiter.consume("key", { cost: 10 });
  const { calls } = faulty;
  const all = [decision.charge(10), decision.charge(30), decision.charge(10), decision.settle(75)];
  assertEquals(await Promise.all(all), [true, true, true, true]);
  assertEquals([decision.remaining, decision.verdicts[0]!.granted, faulty.calls - calls], [25, 75, 3]);
});

Deno.test("when the store fails, settle resolves to false, reports it, and is not tried again", async () => {
  const { limiter, faulty } = elsewhere();
  const decision = await limiter.consume("key", { cost: 10 });
  faulty.fail();
  assertEquals([await decision.settle(50), limiter.counters.storeFailures], [false, 1]);
  faulty.heal();
  assertEquals([await decision.settle(50), (await limiter.peek("key")).remaining], [false, 90]);
});

Deno.test("when the store does not reply in time, settle resolves to false", async () => {
  const { limiter, faulty, clock } = elsewhere();
  const decision = await limiter.consume("key", { cost: 10 });
  faulty.hang();
  const settling = decision.settle(50);
  for (let i = 0; i < 20; i++) clock.advance(20);
  assertEquals([await settling, limiter.counters.storeFailures], [false, 1]);
});

Deno.test("an open breaker leaves the store alone when a decision is settled", async () => {
  const { limiter, faulty } = elsewhere();
  const decision = await limiter.consume("key", { cost: 10 });
  faulty.fail();
  for (let i = 0; i < 5; i++) await limiter.consume("key", { cost: 1 });
  const { calls } = faulty;
  assertEquals([limiter.breakerIsOpen, await decision.settle(50), faulty.calls - calls], [true, false, 0]);
});

Deno.test("what this process decided in the store's place is settled there, by its share of limit and debt", async () => {
  const { limiter, faulty } = elsewhere({ processes: 2 });
  faulty.fail();
  const decision = await limiter.consume("key", { cost: 10 });
  assertEquals(decision.decidedBy, "local");
  assertEquals([await decision.settle(80), decision.remaining], [true, 0]);
  const other = await limiter.consume("other", { cost: 10 });
  assertEquals([await other.settle(1000), other.verdicts[0]!.granted], [false, 50 + 250]);
});

Deno.test("a grant that came too late for its request is settled in the store, too", async () => {
  const { limiter, faulty, clock } = elsewhere();
  const late = Promise.withResolvers<void>();
  faulty.next(late.promise);
  const checked = limiter.consume("key", { cost: 10 });
  for (let i = 0; i < 20; i++) clock.advance(20);
  const decision = await checked;
  assertEquals(decision.decidedBy, "local");
  late.resolve();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(await decision.settle(35), true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals((await limiter.peek("key")).remaining, 65);
});

Deno.test("an estimate of 0 always passes, and what is settled is counted", () => {
  const { limiter } = made({ maxDebt: 50 });
  const decisions = [check(limiter, 0), check(limiter, 0)];
  assertEquals(decisions.map((decision) => decision.settle(120)), [true, false]);
  assertEquals(decisions.map(({ verdicts }) => verdicts[0]!.granted), [120, 30]);
  assertEquals([check(limiter, 0).allowed, check(limiter, 1).allowed], [true, false]);
});

Deno.test("what nobody counted is not settled", async () => {
  const { limiter, faulty } = elsewhere({ onStoreFailure: "open" });
  faulty.fail();
  const decision = await limiter.consume("key", { cost: 10 });
  assertEquals([decision.decidedBy, await decision.settle(50)], ["open", false]);
});

Deno.test("a debt survives that nobody asks for its key, and is kept until it is paid off", async () => {
  for (const algorithm of SETTLED) {
    const clock = new VirtualClock();
    // further keys sweep idle ones, but must not sweep keys with debts
    const limiter = new Limiter({ algorithm, limit: 10, windowMs: 1000, maxDebt: 100, clock: clock.read, maxKeys: 4 });
    await (limiter.consume("key") as Decision).settle(100);
    for (let i = 0; i < 40; i++) {
      clock.advance(100);
      limiter.consume(`other ${i}`);
    }
    assertEquals((limiter.consume("key") as Decision).allowed, false, algorithm);
    clock.advance(20_000);
    assertEquals((limiter.peek("key") as Decision).remaining, 10, algorithm);
  }
});

Deno.test("options that do not go with maxDebt are refused with what to do instead", () => {
  const refused = (options: LimiterOptions, message: string) =>
    assertThrows(() => new Limiter({ maxDebt: 10, ...options }), TypeError, message);
  refused({ algorithm: "concurrency" }, 'option maxDebt has no meaning for "concurrency"');
  refused({ onDenied: "charge" }, 'options maxDebt and onDenied "charge" cannot be combined');
  refused({ onDenied: "extend" }, 'options maxDebt and onDenied "extend" cannot be combined');
  refused({ leases: 5 }, "options leases and maxDebt cannot be combined");
  const counter = fromCounter({
    increment: () => ({ totalHits: 1, resetTime: undefined }),
    decrement: () => {},
    resetKey: () => {},
  });
  refused({ store: counter }, "fromCounter: a counter does not support maxDebt");
  const { capabilities, decide, give, reset } = new FaultyStore(new MemoryStore());
  refused(
    { store: { capabilities, decide, give, reset } },
    "maxDebt is not supported by the store, which cannot settle",
  );
  for (const maxDebt of [-1, 0.5, NaN]) {
    assertThrows(() => new Limiter({ maxDebt }), RangeError, "option maxDebt must be an integer from 0");
  }
});
