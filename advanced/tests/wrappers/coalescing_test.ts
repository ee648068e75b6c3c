import { assert, assertEquals, assertRejects } from "@std/assert";
import { ALGORITHM_NAMES, MemoryStore, type Policy, type Take, type Verdict } from "../../mod.ts";
import { newCounters } from "../../src/wrappers/counters.ts";
import { VirtualClock } from "../../testing.ts";
import { CoalescingStore } from "../../src/wrappers/coalescing.ts";
import { DenyCacheStore } from "../../src/wrappers/deny_cache.ts";
import { signatureOf } from "../../src/wrappers/signature.ts";
import { AsyncStore } from "../support/async_store.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

function policyOf(algorithm: Policy["algorithm"], more: Partial<Policy> = {}): Policy {
  return { name: algorithm, algorithm, limit: 10, windowMs: 1000, ...more };
}

const POLICIES: Policy[] = ALGORITHM_NAMES.flatMap((algorithm) => {
  const plain = policyOf(algorithm);
  const blocking = { ...plain, name: `${algorithm}/block`, block: { after: 3, forMs: 1500 } };
  if (algorithm === "concurrency") return [plain, blocking];
  const charge = { ...plain, name: `${algorithm}/charge`, onDenied: "charge" } as const;
  const extend = { ...plain, name: `${algorithm}/extend`, onDenied: "extend" } as const;
  return [plain, blocking, charge, extend];
});

function isFree({ onDenied, block }: Policy): boolean {
  return onDenied === undefined && block === undefined;
}

function setUp() {
  const clock = new VirtualClock();
  const counters = newCounters();
  const behind = new AsyncStore(new MemoryStore({ clock: clock.read }));
  const serial = new MemoryStore({ clock: clock.read });
  return { clock, counters, behind, serial, coalescing: new CoalescingStore(behind, counters) };
}

/** A caller's verdict, without the stamp that identifies a lease. */
function told(policy: Policy, { stamp, ...verdict }: Verdict) {
  return policy.algorithm === "concurrency" ? verdict : { ...verdict, stamp };
}

/** Asserts that a caller's merged verdict equals the sequential one, or is stricter. */
function assertTold(policy: Policy, merged: Verdict, serial: Verdict, where: string): void {
  const { algorithm } = policy;
  if (isFree(policy) && algorithm !== "token-bucket" && algorithm !== "sliding-approximate") {
    assertEquals(told(policy, merged), told(policy, serial), where);
    return;
  }
  assertEquals([merged.granted, merged.denied], [serial.granted, serial.denied], where);
  // by then, refusals with a cost have happened, and show in all of the batch's verdicts
  assert(merged.remaining <= serial.remaining, where);
  if (!isFree(policy)) return;
  assertEquals([merged.remaining, merged.retryAfterMs], [serial.remaining, serial.retryAfterMs], where);
  // these two count fractions of a unit: equal to within a ms, erring on the strict side
  assert(merged.resetMs >= serial.resetMs && merged.resetMs <= serial.resetMs + 1, where);
  assert(merged.stamp <= serial.stamp && merged.stamp >= serial.stamp - 1, where);
}

Deno.test("decisions of one turn get the verdicts they would have got in sequence", async () => {
  const { clock, counters, behind, serial, coalescing } = setUp();
  const pick = seededRandom(1);
  let compared = 0;
  for (let step = 0; step < 1500; step++) {
    clock.advance(pick(4) === 0 ? pick(600) : pick(40));
    const policy = POLICIES[pick(POLICIES.length)]!;
    const take: Take = { policy, key: `key ${pick(2)}`, cost: 1 + pick(3), shadow: pick(10) === 0 };
    const callers = 1 + pick(8);
    const merged = await Promise.all(Array.from({ length: callers }, () => coalescing.decide([take])));
    for (const [i, [verdict]] of merged.entries()) {
      const [expected] = serial.decide([take]);
      assertTold(policy, verdict!, expected!, `step ${step}, ${policy.name}, cost ${take.cost}, ${i} of ${callers}`);
      compared++;
    }
    // and the store ends in the same state
    const look = { ...take, cost: 0 };
    const [[there], [here]] = [await behind.decide([look]), serial.decide([look])];
    assertEquals(told(policy, there!), told(policy, here!), `step ${step}, ${policy.name}, afterwards`);
  }
  assert(compared > 5000, `${compared} were compared`);
  assert(counters.coalesced > 2000, `${counters.coalesced} were merged`);
});

Deno.test("batches of one turn get the verdicts they would have got in sequence", async () => {
  const { clock, counters, behind, serial, coalescing } = setUp();
  const pick = seededRandom(2);
  const exact = POLICIES.filter((policy) =>
    policy.algorithm !== "token-bucket" && policy.algorithm !== "sliding-approximate"
  );
  const free = exact.filter(isFree);
  let compared = 0;
  for (let step = 0; step < 1500; step++) {
    clock.advance(pick(4) === 0 ? pick(600) : pick(40));
    // takes whose refusals have a cost are sent one by one
    const from = pick(4) === 0 ? exact : free;
    const policies = [from[pick(from.length)]!, from[pick(from.length)]!, from[pick(from.length)]!];
    const takes: Take[] = [...new Set(policies)].map((policy) => {
      return { policy, key: `key ${pick(2)}`, cost: pick(4), shadow: pick(6) === 0 };
    });
    const callers = 1 + pick(6);
    const merged = await Promise.all(Array.from({ length: callers }, () => coalescing.decide(takes)));
    for (const [i, verdicts] of merged.entries()) {
      const expected = serial.decide(takes);
      const where = `step ${step}, ${takes.map(({ policy }) => policy.name)}, ${i} of ${callers}`;
      takes.forEach(({ policy }, n) => {
        if (takes.length === 1) assertTold(policy, verdicts[n]!, expected[n]!, where);
        else assertEquals(told(policy, verdicts[n]!), told(policy, expected[n]!), where);
        compared++;
      });
    }
    for (const take of takes) {
      const look = { ...take, cost: 0 };
      const [[there], [here]] = [await behind.decide([look]), serial.decide([look])];
      assertEquals(told(take.policy, there!), told(take.policy, here!), `step ${step}, afterwards`);
    }
  }
  assert(compared > 8000, `${compared} were compared`);
  assert(counters.coalesced > 1000, `${counters.coalesced} were merged`);
});

Deno.test("each merged decision can refund what it took, and only that", async () => {
  for (const algorithm of ALGORITHM_NAMES) {
    const { behind, coalescing } = setUp();
    const take: Take = { policy: policyOf(algorithm), key: "key", cost: 2 };
    const verdicts = (await Promise.all([1, 2, 3, 4].map(() => coalescing.decide([take])))).map(([one]) => one!);
    assertEquals(behind.calls.decide, 1);
    assertEquals(verdicts.map(({ remaining }) => remaining), [8, 6, 4, 2], algorithm);
    for (const [i, { stamp }] of verdicts.entries()) {
      assertEquals(await coalescing.give(take, stamp, 2), true);
      const { remaining } = (await behind.decide([{ ...take, cost: 0 }]))[0]!;
      assertEquals(remaining, 4 + 2 * i, algorithm);
    }
  }
});

Deno.test("merged units of a token bucket can be refunded as late as those taken in sequence", async () => {
  const { clock, behind, serial, coalescing } = setUp();
  const take: Take = { policy: policyOf("token-bucket"), key: "key", cost: 1 };
  const merged = (await Promise.all(Array.from({ length: 10 }, () => coalescing.decide([take])))).map(([one]) => one!);
  const inARow = Array.from({ length: 10 }, () => serial.decide([take])[0]!);
  clock.advance(550);
  for (const i of [0, 4, 9]) {
    assertEquals(await behind.give(take, merged[i]!.stamp, 1), serial.give(take, inARow[i]!.stamp, 1), `${i}`);
  }
  const look = { ...take, cost: 0 };
  assertEquals((await behind.decide([look]))[0]!.remaining, serial.decide([look])[0]!.remaining);
});

Deno.test("decisions of different turns, keys, costs and policies are not merged", async () => {
  const { behind, counters, coalescing } = setUp();
  const one: Take = { policy: policyOf("fixed-window"), key: "key", cost: 1 };
  await coalescing.decide([one]);
  await coalescing.decide([one]);
  assertEquals(behind.calls.decide, 2);
  await Promise.all([
    coalescing.decide([one]),
    coalescing.decide([{ ...one, key: "other" }]),
    coalescing.decide([{ ...one, cost: 2 }]),
    coalescing.decide([{ ...one, shadow: true }]),
    coalescing.decide([{ ...one, policy: policyOf("sliding-window") }]),
    coalescing.decide([{ ...one, policy: { ...one.policy, limit: 20 } }]),
  ]);
  assertEquals([behind.calls.decide, counters.coalesced], [8, 0]);
});

Deno.test("when the store fails, every merged decision fails", async () => {
  const { behind, coalescing } = setUp();
  behind.failure = new Error("away");
  const take: Take = { policy: policyOf("fixed-window"), key: "key", cost: 1 };
  const responses = [1, 2, 3].map(() => coalescing.decide([take]));
  for (const response of responses) await assertRejects(() => response, Error, "away");
  behind.failure = null;
  assertEquals((await coalescing.decide([take]))[0]!.remaining, 9);
});

/** A store that decides many keys in one command. */
class ManyKeysStore extends AsyncStore {
  readonly sizes: number[] = [];

  async decideEach(takes: readonly Take[], times: readonly number[]): Promise<readonly Verdict[]> {
    this.sizes.push(takes.length);
    const verdicts = await Promise.all(takes.map((take, i) => this.decide([take], times[i])));
    return verdicts.map(([verdict]) => verdict!);
  }
}

Deno.test("decisions of many keys in one turn share commands, and each gets the verdict it would have got alone", async () => {
  const clock = new VirtualClock();
  const counters = newCounters();
  const behind = new ManyKeysStore(new MemoryStore({ clock: clock.read }));
  const coalescing = new CoalescingStore(behind, counters);
  const serial = new MemoryStore({ clock: clock.read });
  const pick = seededRandom(3);
  const free = POLICIES.filter(isFree);
  let compared = 0;
  for (let step = 0; step < 200; step++) {
    clock.advance(pick(300));
    const takes = Array.from({ length: 1 + pick(100) }, () => {
      const policy = step % 2 === 0 ? free[0]! : free[pick(free.length)]!;
      return { policy, key: `key ${pick(80)}`, cost: 1 + pick(step % 3 + 1) };
    });
    // takes with one key and cost are merged in order of arrival, so they are compared per key and cost
    const merged = await Promise.all(takes.map((take) => coalescing.decide([take])));
    const order = takes.map((take, i) => ({ take, i })).sort((a, b) => firstOf(takes, a.take) - firstOf(takes, b.take));
    for (const { take, i } of order) {
      const [expected] = serial.decide([take]);
      assertTold(take.policy, merged[i]![0]!, expected!, `step ${step}, ${take.policy.name}, ${take.key}`);
      compared++;
    }
  }
  assert(compared > 5000, `${compared} were compared`);
  assert(Math.max(...behind.sizes) > 20 && Math.max(...behind.sizes) <= 64, `${Math.max(...behind.sizes)} keys`);
});

function firstOf(takes: readonly Take[], { policy, key, cost }: Take): number {
  return takes.findIndex((take) => take.policy === policy && take.key === key && take.cost === cost);
}

/** A changed value for each policy field; a new field without one does not compile. */
const CHANGES: { readonly [Field in keyof Required<Policy>]: Partial<Policy> } = {
  name: { name: "other" },
  algorithm: { algorithm: "sliding-log" },
  limit: { limit: 11 },
  windowMs: { windowMs: 2000 },
  window: { window: { every: "day" } },
  burst: { burst: 3 },
  buckets: { buckets: 3 },
  align: { align: "clock" },
  onDenied: { onDenied: "charge" },
  block: { block: { after: 3, forMs: 1500 } },
  maxDebt: { maxDebt: 3 },
};

Deno.test("decisions by policies that differ in a single field are neither merged nor told from memory", () => {
  const policy: Policy = { name: "a", algorithm: "fixed-window", limit: 10, windowMs: 1000 };
  const signature = (changed: Partial<Policy>) =>
    signatureOf([{ policy: { ...policy, ...changed }, key: "k", cost: 1 }]);
  assertEquals(signature({}), signature({ ...policy }));
  const all = [{}, ...Object.values(CHANGES), { block: { after: 3, forMs: 1501 } }, {
    block: { after: 4, forMs: 1500 },
  }];
  assertEquals(new Set(all.map(signature)).size, all.length);
});

Deno.test("a refusal by windows that begin with a request is not told of windows that follow the clock", async () => {
  const { clock, behind, counters } = setUp();
  const cached = new DenyCacheStore(behind, clock.read, counters);
  const policy: Policy = { name: "a", algorithm: "fixed-window", limit: 1, windowMs: 10_000 };
  const take = (align: Policy["align"]): Take => ({ policy: { ...policy, align }, key: "k", cost: 1 });
  await cached.decide([take("first-hit")]);
  const [refused] = await cached.decide([take("first-hit")]);
  assertEquals(refused!.denied, true);
  await cached.decide([take("clock")]);
  assertEquals(counters.denyCacheHits, 0);
  await cached.decide([take("first-hit")]);
  assertEquals(counters.denyCacheHits, 1);
});
