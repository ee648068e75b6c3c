import { assertEquals } from "@std/assert";
import type { Policy } from "../../src/policy/policy.ts";
import type { Store, Take } from "../../src/policy/store.ts";
import { MemoryStore } from "../../src/stores/memory_store.ts";
import { said } from "../../src/testing/contract/contract_run.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import type { VirtualClock } from "../../src/testing/virtual_clock.ts";

/** A policy for each algorithm, whose refusals are free. */
export const PLAIN: readonly Policy[] = [
  { name: "fixed", algorithm: "fixed-window", limit: 6, windowMs: 1000 },
  { name: "aligned", algorithm: "fixed-window", limit: 6, windowMs: 700, align: "clock" },
  { name: "sliding", algorithm: "sliding-window", limit: 5, windowMs: 900, buckets: 4 },
  { name: "log", algorithm: "sliding-log", limit: 5, windowMs: 800 },
  { name: "approximate", algorithm: "sliding-approximate", limit: 7, windowMs: 1000 },
  { name: "bucket", algorithm: "token-bucket", limit: 3, windowMs: 1000, burst: 8 },
  { name: "leases", algorithm: "concurrency", limit: 4, windowMs: 1500 },
];

/** The same with every effect a refusal can have, and with debts. */
export const POLICIES: readonly Policy[] = PLAIN.flatMap((policy): Policy[] => [
  ...policy.algorithm === "concurrency" ? [] : [{ ...policy, name: `${policy.name}/debts`, maxDebt: 15 }],
  policy,
  { ...policy, name: `${policy.name}/charge`, onDenied: "charge" },
  { ...policy, name: `${policy.name}/extend`, onDenied: "extend" },
  { ...policy, name: `${policy.name}/block`, block: { after: 3, forMs: 2500 } },
]);

/** One of {@linkcode POLICIES}. */
export function policyNamed(name: string): Policy {
  return POLICIES.find((policy) => policy.name === name)!;
}

/**
 * Runs the same random operations on a store and on a memory store. They are decisions (single and batches on one key),
 * refunds, settlements, resets, and window changes where there are debts.
 *
 * @param store The store
 * @param clock Its clock
 * @param seed Seed for the random numbers
 * @param steps Steps with each of {@linkcode POLICIES}
 * @returns Number of decisions compared
 * @throws {Error} If the store replies differently from the memory store
 */
export async function decidesAsMemory(
  store: Store,
  clock: VirtualClock,
  seed: number,
  steps: number,
): Promise<number> {
  const memory = new MemoryStore({ clock: clock.read });
  const pick = seededRandom(seed);
  let decisions = 0;
  for (const [i, policy] of POLICIES.entries()) {
    const other = POLICIES[(i + 5) % POLICIES.length]!;
    const grants: { take: Take; mine: number; theirs: number }[] = [];
    for (let step = 0; step < steps; step++) {
      clock.advance(pick(4) === 0 ? pick(700) : pick(30));
      const key = `${policy.name} ${pick(3)}`;
      if (policy.maxDebt !== undefined && pick(4) === 0 && grants.length > 0) {
        const [{ take, mine, theirs }] = grants.splice(pick(grants.length), 1) as [typeof grants[0]];
        if (take.policy.maxDebt === undefined) continue;
        const change = pick(3) === 0 ? -1 - pick(take.cost) : 1 + pick(20);
        const expected = memory.settle(take, theirs, change);
        const actual = await store.settle!(take, mine, change);
        const seen = { step, take, change };
        assertEquals({ ...seen, verdict: said(actual) }, { ...seen, verdict: said(expected) });
        continue;
      }
      if (pick(6) === 0 && grants.length > 0) {
        const [{ take, mine, theirs }] = grants.splice(pick(grants.length), 1) as [typeof grants[0]];
        const amount = 1 + pick(take.cost);
        const given = memory.give(take, theirs, amount);
        assertEquals(await store.give(take, mine, amount), given, `${policy.name}, give at step ${step}`);
        continue;
      }
      if (pick(60) === 0) {
        memory.reset({ policy: policy.name, key });
        await store.reset({ policy: policy.name, key });
        continue;
      }
      const changed = policy.maxDebt !== undefined && pick(12) === 0 ? { ...policy, windowMs: 1 + pick(1500) } : policy;
      const takes: Take[] = [{ policy: changed, key, cost: pick(4), shadow: pick(8) === 0 }];
      if (pick(3) === 0) takes.push({ policy: other, key, cost: pick(3) });
      const times = pick(5) === 0 ? 1 + pick(3) : 1;
      const expected = memory.decide(takes, times);
      const actual = await store.decide(takes, times);
      decisions++;
      const seen = { step, takes, times };
      assertEquals({ ...seen, verdicts: actual.map(said) }, { ...seen, verdicts: expected.map(said) });
      takes.forEach((take, n) => {
        if (expected[n]!.granted > 0) grants.push({ take, mine: actual[n]!.stamp, theirs: expected[n]!.stamp });
      });
    }
  }
  return decisions;
}
