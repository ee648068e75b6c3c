import { type ContractRun, said } from "./contract_run.ts";
import { randomAdvance, randomCost, randomPolicy } from "./random_policy.ts";

/** A free refusal leaves no trace: the key behaves like one that was never refused. */
export async function aFreeRefusalChangesNothing(run: ContractRun, operations: number): Promise<void> {
  if (!run.capabilities.exactDeny) return;
  for (const algorithm of run.traces(operations, 60)) {
    const policy = await randomPolicy(run, algorithm);
    const [key, twin] = [run.name(), run.name()];
    let last = await run.take(policy, key, 0);
    for (let i = 0; i < 15; i++) {
      randomAdvance(run, policy, last);
      const before = await run.peek(policy, key);
      await run.take(policy, key, before.remaining + 1 + run.pick(3), 1 + run.pick(2));
      run.same(await run.peek(policy, key), before, "a free refusal changes nothing");
      const cost = Math.min(before.remaining, randomCost(run, before.remaining));
      last = await run.take(policy, key, cost);
      const its = await run.take(policy, twin, cost);
      run.same(said(last), said(its), "a key that was refused lives on like one that was not");
    }
  }
}

/** An immediate refund undoes a take; a partial refund leaves the rest. */
export async function whatIsGivenBackWasNeverTaken(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, 60)) {
    const policy = await randomPolicy(run, algorithm, { leastLimit: 1 });
    const [key, twin] = [run.name(), run.name()];
    let last = await run.take(policy, key, 0);
    for (let i = 0; i < 12; i++) {
      randomAdvance(run, policy, last);
      const before = await run.peek(policy, key);
      if (before.remaining === 0) continue;
      const cost = 1 + run.pick(before.remaining);
      const back = run.pick(2) === 0 ? cost : 1 + run.pick(cost);
      last = await run.take(policy, key, cost);
      run.same(
        await run.give(policy, key, last.stamp, back),
        true,
        "units can be given back in the ms they were taken",
      );
      const after = await run.peek(policy, key);
      if (cost > back) await run.take(policy, twin, cost - back);
      const its = await run.peek(policy, twin);
      if (run.capabilities.exactDeny) {
        if (back === cost) run.same(after, before, "what is given back at once was never taken");
        run.same(after, its, "what is given back in part leaves the rest");
      } else run.same(after.remaining, its.remaining, "what is given back is left again");
    }
  }
}

/** An outdated stamp changes nothing. */
export async function aStaleStampGivesNothingBack(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, 25)) {
    const policy = await randomPolicy(run, algorithm, { leastLimit: 1 });
    const key = run.name();
    const first = await run.take(policy, key, 1 + run.pick(policy.limit));
    if (first.granted === 0) continue;
    run.same(await run.give(policy, run.name(), first.stamp, 1), false, "a key never seen has nothing to get back");
    run.advance(first.resetMs + run.oneOf([0, 0, 1, run.pick(policy.windowMs)]));
    if (run.pick(4) > 0) await run.take(policy, key, 1);
    const before = await run.peek(policy, key);
    for (const stamp of [first.stamp, 0, -1]) {
      run.same(await run.give(policy, key, stamp, first.granted), false, "a stamp out of date gives nothing back");
      run.same(await run.peek(policy, key), before, "a stamp out of date changes nothing");
    }
    const again = await run.take(policy, key, before.remaining);
    if (again.granted === 0) continue;
    await run.give(policy, key, again.stamp, again.granted);
    if (await run.give(policy, key, again.stamp, again.granted)) {
      run.note("the same stamp was good for a second give");
    }
    const { remaining, limit } = await run.peek(policy, key);
    run.check(remaining <= limit, "nobody gets back more than there is", `at most ${limit}`, remaining);
  }
}
