import { capacityOf, type Policy } from "../../policy/policy.ts";
import type { Take } from "../../policy/store.ts";
import type { ContractRun } from "./contract_run.ts";
import { randomAdvance, randomCost, randomPolicy } from "./random_policy.ts";

const TRACE_LENGTH = 60;

/**
 * The most units that an algorithm grants in any half-open interval one window long.
 *
 * @param policy The policy
 */
export function boundOf(policy: Policy): number {
  const { algorithm, limit, windowMs, align } = policy;
  switch (algorithm) {
    case "fixed-window":
      // the key's first request starts a window, so it cannot come right before a boundary
      return align === "clock" ? 2 * limit : Math.max(0, 2 * limit - 1);
    case "sliding-approximate":
      return Math.max(0, 2 * limit - 1);
    case "token-bucket":
      // a full bucket, and the refill during one window minus one millisecond
      return capacityOf(policy) + limit - Math.ceil(limit / windowMs);
    default:
      return limit;
  }
}

/** Sums the grants in the latest interval of one window. */
export class Interval {
  readonly #grants: { at: number; units: number }[] = [];

  /** Adds a grant; returns the sum for the interval that ends with it. */
  add(at: number, units: number, windowMs: number): number {
    this.#grants.push({ at, units });
    while (this.#grants[0]!.at <= at - windowMs) this.#grants.shift();
    return this.#grants.reduce((sum, grant) => sum + grant.units, 0);
  }
}

/** No interval one window long holds more than the bound of the algorithm, even if the limit changes. */
export async function grantsNoMoreThanTheBound(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, TRACE_LENGTH)) {
    const policy = await randomPolicy(run, algorithm, { consequences: true });
    const changing = policy.burst === undefined && run.pick(5) === 0;
    const interval = new Interval();
    const key = run.name();
    let now = policy;
    let last = await run.take(policy, key, 0);
    for (let i = 0; i < TRACE_LENGTH; i++) {
      randomAdvance(run, policy, last);
      if (changing && run.pick(6) === 0) now = { ...policy, limit: run.pick(policy.limit + 1) };
      last = await run.take(now, key, randomCost(run, last.remaining), run.pick(5) === 0 ? 1 + run.pick(4) : 1);
      const sum = interval.add(run.clock.now, last.granted, policy.windowMs);
      run.check(sum <= boundOf(policy), "no interval of one window holds more than the bound", boundOf(policy), sum);
    }
  }
}

/** Concurrent takes admit as many units as serial takes would. */
export async function parallelTakesAdmitWhatSerialOnesDo(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.capabilities.algorithms) {
    const rounds = Math.max(1, Math.floor(operations / 500));
    for (let round = 0; round < rounds; round++) {
      const policy: Policy = { name: run.name(), algorithm, limit: 50, windowMs: 60_000 };
      const second: Policy = { ...policy, name: run.name(), limit: 30 };
      run.begin(policy, second);
      const [alone, mixed, both] = [run.name(), run.name(), run.name()];
      const grants = async (takes: Take[]) => (await run.store.decide(takes))[0]!.granted;
      const sum = async (granted: Promise<number>[]) => (await Promise.all(granted)).reduce((a, b) => a + b, 0);

      const units = await sum(Array.from({ length: 200 }, () => grants([{ policy, key: alone, cost: 1 }])));
      run.same(units, 50, "200 takes at once on a limit of 50 admit exactly 50");

      const costs = Array.from({ length: 100 }, () => 1 + run.pick(4));
      const spent = await sum(costs.map((cost) => grants([{ policy, key: mixed, cost }])));
      run.check(spent <= 50, "takes of several units at once admit no more than the limit", "at most 50", spent);
      run.same((await run.peek(policy, mixed)).remaining, 50 - spent, "what takes at once admitted is what is counted");

      if (run.capabilities.atomicBatch === "none") continue;
      const pair = [{ policy, key: both, cost: 1 }, { policy: second, key: both, cost: 1 }];
      const pairs = await sum(Array.from({ length: 100 }, () => grants(pair)));
      run.same(pairs, 30, "100 batches at once are granted as often as the tighter policy allows");
      run.same((await run.peek(policy, both)).remaining, 20, "refused batches cost the other policy nothing");
    }
  }
}

/** A clock that is set back never grants more. */
export async function aClockThatGoesBackNeverRaisesRemaining(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.capabilities.algorithms) {
    await backAcrossAWindow(run, { name: run.name(), algorithm, limit: 10, windowMs: 1000 });
    for (let done = 0; done < operations; done += TRACE_LENGTH) {
      const policy = await randomPolicy(run, algorithm, { leastLimit: 1 });
      const key = run.name();
      let last = await run.take(policy, key);
      for (let i = 0; i < TRACE_LENGTH / 3; i++) {
        randomAdvance(run, policy, last);
        await run.take(policy, key, randomCost(run, last.remaining));
        const before = await run.peek(policy, key);
        run.advance(-1 - run.oneOf([0, run.pick(3), run.pick(policy.windowMs), run.pick(policy.windowMs * 5)]));
        const after = await run.peek(policy, key);
        run.check(after.remaining <= before.remaining, "a clock set back never raises remaining", before, after);
        last = await run.take(policy, key, before.remaining + 1);
        run.same(last.granted, 0, "a clock set back grants no more than was left");
      }
    }
  }
}

// cases specific to windows aligned to the clock, which random tests rarely hit
async function backAcrossAWindow(run: ContractRun, policy: Policy): Promise<void> {
  run.begin(policy);
  const key = run.name();
  run.advance(2 * policy.windowMs - 1 - run.clock.now % policy.windowMs);
  await run.take(policy, key, 8);
  run.advance(1);
  const before = await run.take(policy, key);
  run.advance(-1);
  const after = await run.peek(policy, key);
  run.check(after.remaining <= before.remaining, "a clock set back never raises remaining", before, after);
  await run.take(policy, key, after.remaining);
  // the times were not seen in chronological order
  run.advance(policy.windowMs);
  const refused = await run.take(policy, key, 10);
  if (!refused.denied) return;
  run.advance(refused.retryAfterMs);
  run.same((await run.take(policy, key, 10)).granted, 10, "who waits as long as retryAfterMs says is admitted");
}
