import type { Policy } from "../../policy/policy.ts";
import type { Verdict } from "../../policy/store.ts";
import { type ContractRun, said } from "./contract_run.ts";
import { lookAlikes } from "./keys.ts";
import { boundOf, Interval } from "./safety.ts";

/** The policy under test, with its own name: such a store serves no other limit. */
function named(run: ContractRun, policy: Policy): Policy {
  const own = { ...policy, name: run.name() };
  run.begin(own);
  return own;
}

/** Consumes units until one is refused, which must happen right after the limit. */
async function exhaust(run: ContractRun, policy: Policy, key: string): Promise<Verdict> {
  for (let n = 0; n < policy.limit; n++) {
    run.same((await run.take(policy, key)).granted, 1, "as many are granted as the limit says");
  }
  const refused = await run.take(policy, key);
  run.same([refused.granted, refused.denied], [0, true], "no more are granted than the limit says");
  return refused;
}

/** The store counts by its clock. */
export async function outcomesFollowTheClock(run: ContractRun, given: Policy): Promise<void> {
  const policy = named(run, given);
  const key = run.name();
  await exhaust(run, policy, key);
  run.advance(2 * policy.windowMs);
  await exhaust(run, policy, key);
}

/** No interval of one window holds more than two adjacent windows allow. */
export async function outcomesKeepTheBound(run: ContractRun, given: Policy, operations: number): Promise<void> {
  // the store does not report where windows begin
  const bound = boundOf({ ...given, align: "clock" });
  for (let done = 0; done < operations; done += 60) {
    const policy = named(run, given);
    const interval = new Interval();
    const key = run.name();
    for (let i = 0; i < 60; i++) {
      if (run.pick(3) === 0) run.advance(1 + run.pick(Math.ceil(policy.windowMs / 4)));
      const { granted } = await run.take(policy, key, run.pick(8) === 0 ? 0 : 1, 1 + run.pick(4));
      const sum = interval.add(run.clock.now, granted, policy.windowMs);
      run.check(sum <= bound, "no interval of one window holds more than the bound", bound, sum);
    }
  }
}

/** A client that waits for `retryAfterMs` is admitted, even if it could have been admitted much earlier. */
export async function outcomesAdmitWhoWaits(run: ContractRun, given: Policy): Promise<void> {
  for (let i = 0; i < 10; i++) {
    const policy = named(run, given);
    const key = run.name();
    run.advance(run.pick(policy.windowMs));
    const { retryAfterMs } = await exhaust(run, policy, key);
    run.check(retryAfterMs <= policy.windowMs, "no wait is longer than a window", policy.windowMs, retryAfterMs);
    run.advance(run.pick(2) === 0 ? retryAfterMs : Math.ceil(retryAfterMs / 1000) * 1000);
    run.same((await run.take(policy, key)).granted, 1, "who waits as long as retryAfterMs says is admitted");
  }
}

/**
 * Batches, and costs above one unit, throw a `TypeError`, and nothing is refunded or reset. A cost of 0 is granted.
 */
export async function outcomesAreOfSingleUnits(run: ContractRun, given: Policy): Promise<void> {
  const policy = named(run, given);
  const other = { ...policy, name: run.name() };
  const [key, second] = [run.name(), run.name()];
  const throws = async (claim: string, ask: () => unknown) => {
    let error: unknown;
    try {
      await ask();
    } catch (thrown) {
      error = thrown;
    }
    run.check(error instanceof TypeError, claim, "TypeError", String(error));
  };
  const batches = [
    [{ policy, key, cost: 1 }, { policy, key, cost: 1 }],
    [{ policy, key, cost: 1 }, { policy, key: second, cost: 1 }],
    [{ policy, key, cost: 1 }, { policy: other, key, cost: 1 }],
  ];
  for (const takes of batches) await throws("a batch is a TypeError", () => run.store.decide(takes));
  await throws("a cost above 1 is a TypeError", () => run.store.decide([{ policy, key, cost: 2 }]));
  await throws("another limit is a TypeError", () => run.take({ ...policy, limit: policy.limit + 1 }, key));
  await throws("a key can't be forgotten", () => run.store.reset({ policy: policy.name, key }));
  run.same(await run.give(policy, key, 0, 1), false, "nothing is given back");
  for (let n = 0; n <= policy.limit; n++) {
    run.same((await run.take(policy, key, 0)).denied, false, "what takes nothing is granted");
  }
  // none of that was counted
  await exhaust(run, policy, key);
  run.same(await run.give(policy, key, 0, 1), false, "nothing is given back");
  run.same((await run.take(policy, key)).granted, 0, "what is not given back is not there");
}

/** Several takes at once give the same result as in sequence. */
export async function outcomesOfSeveralTimesAtOnce(run: ContractRun, given: Policy, operations: number): Promise<void> {
  for (let done = 0; done < operations; done += 60) {
    const policy = named(run, given);
    const [key, twin] = [run.name(), run.name()];
    for (let i = 0; i < 12; i++) {
      if (run.pick(4) === 0) run.advance(run.pick(policy.windowMs));
      const times = 1 + run.pick(4);
      const together = await run.take(policy, key, 1, times);
      const each: Verdict[] = [];
      for (let n = 0; n < times; n++) each.push(await run.take(policy, twin));
      const last = each.at(-1)!;
      const granted = each.reduce((sum, verdict) => sum + verdict.granted, 0);
      run.same(said(together), { ...said(last), granted }, "several times at once are as many one after the other");
    }
  }
}

/** Concurrent takes admit as many units as serial takes would. */
export async function outcomesOfParallelTakes(run: ContractRun, given: Policy): Promise<void> {
  const policy = named(run, given);
  const key = run.name();
  const takes = Array.from({ length: policy.limit * 3 }, () => run.take(policy, key));
  const granted = (await Promise.all(takes)).reduce((sum, verdict) => sum + verdict.granted, 0);
  run.same(granted, policy.limit, "takes at once admit exactly the limit");
}

/** A shadow counts, and reports whether it would have refused. */
export async function outcomesOfShadows(run: ContractRun, given: Policy): Promise<void> {
  const policy = named(run, given);
  const key = run.name();
  for (let n = 0; n <= policy.limit; n++) {
    const [verdict] = await run.batch([{ policy, key, cost: 1, shadow: true }]);
    run.same(verdict!.denied, n === policy.limit, "a shadow says whether it would have refused");
  }
}

/** Keys and policies that look alike are counted separately. */
export async function outcomesOfKeysThatLookAlike(run: ContractRun, given: Policy): Promise<void> {
  const policy = named(run, given);
  const { limit } = policy;
  const pairs = lookAlikes().map((key): [string, string] => [policy.name, key]);
  for (const part of [":", "/", "|", "}", "{", " ", "*", "-", "1:", "2:"]) {
    pairs.push([`${policy.name}a${part}`, "b"], [`${policy.name}a`, `${part}b`], [`${part}${policy.name}a`, "b"]);
  }
  for (const [name, key] of pairs) {
    const { granted } = await run.take({ ...policy, name }, key, 1, limit);
    run.same(granted, limit, `key ${JSON.stringify(key).slice(0, 60)} of ${JSON.stringify(name)} is counted apart`);
  }
}
