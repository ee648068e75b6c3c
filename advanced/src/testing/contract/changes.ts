import { hasDebts, holdsSlots, type Policy } from "../../policy/policy.ts";
import type { ContractRun } from "./contract_run.ts";
import { randomAdvance, randomPolicy } from "./random_policy.ts";

/** A changed limit or window keeps the usage, and does not overreport the quota. */
export async function aChangeKeepsWhatIsUsed(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, 20)) {
    const policy = await randomPolicy(run, algorithm, { leastLimit: 1 });
    const key = run.name();
    let last = await run.take(policy, key);
    for (let i = 0; i < 8; i++) {
      randomAdvance(run, policy, last);
      last = await run.take(policy, key, Math.min(run.pick(4), last.remaining));
    }
    // a bucket refills under the current policy since its last take, so only a take right now makes it comparable
    const settled = (await run.take(policy, key)).granted === 1 || algorithm !== "token-bucket";
    await changeLimit(run, policy, key, settled);
    await changeWindow(run, policy, key, settled);
  }
}

/** A changed policy with the same name for some keys does not affect other keys. */
export async function aChangeForSomeKeysLeavesTheOthersAlone(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, 30)) {
    const policy = await randomPolicy(run, algorithm, { leastLimit: 1 });
    const changed = {
      ...policy,
      limit: run.oneOf([1, policy.limit, policy.limit * 1000]),
      windowMs: run.oneOf([1, policy.windowMs, policy.windowMs * 2]),
    };
    if (!await run.serves(changed)) continue;
    run.about(policy, changed);
    const key = run.name();
    const { remaining } = await run.peek(policy, key);
    await run.take(policy, key, 1 + run.pick(remaining));
    for (let i = 0; i < 3; i++) {
      const ms = run.pick(policy.windowMs);
      if (ms > 0) run.advance(ms);
      const before = await run.peek(policy, key);
      for (let n = 0; n < 3; n++) await run.take(changed, run.name(), 1);
      run.same(await run.peek(policy, key), before, "a changed policy for other keys leaves this one alone");
    }
  }
}

async function changeLimit(run: ContractRun, policy: Policy, key: string, settled: boolean): Promise<void> {
  const { remaining, limit } = await run.peek(policy, key);
  const used = limit - remaining;
  const changed = { ...policy, limit: Math.max(1, run.oneOf([1, used, used + 1, policy.limit + 5, run.pick(30)])) };
  run.about(policy, changed);
  const after = await run.peek(changed, key);
  if (settled) run.same(after.remaining, Math.max(0, after.limit - used), "a changed limit keeps what is used");
  const closed = await run.take({ ...policy, limit: 0 }, key);
  run.same([closed.granted, closed.remaining], [0, 0], "a limit of 0 refuses everything");
  if (!settled || !run.capabilities.exactDeny) return;
  run.same((await run.peek(policy, key)).remaining, remaining, "a limit that is changed back is what it was");
}

async function changeWindow(run: ContractRun, policy: Policy, key: string, settled: boolean): Promise<void> {
  const before = await run.peek(policy, key);
  const changed = { ...policy, windowMs: run.oneOf([1, 5, policy.windowMs * 2, 1 + run.pick(policy.windowMs * 3)]) };
  if (!await run.serves(changed)) return;
  run.about(policy, changed);
  const after = await run.peek(changed, key);
  // a log keeps times older than a shorter window
  if (settled && (policy.algorithm !== "sliding-log" || changed.windowMs >= policy.windowMs)) {
    run.check(after.remaining <= before.remaining, "a changed window never raises remaining at once", before, after);
  }
  const refused = await run.take(changed, key, after.remaining + 1);
  run.same(refused.granted, 0, "as many as remaining says are granted, after a change too");
  if (refused.retryAfterMs === Infinity) return;
  run.advance(refused.retryAfterMs);
  const admitted = await run.take(changed, key, after.remaining + 1);
  run.same(
    admitted.granted,
    after.remaining + 1,
    "who waits as long as retryAfterMs says is admitted, after a change too",
  );
}

async function useAll(run: ContractRun, policy: Policy, key: string, units: number, owed: number): Promise<void> {
  const { stamp } = await run.take(policy, key, units);
  if (hasDebts(policy) && owed > 0) await run.settle(policy, key, stamp, owed);
}

/** A shortened window makes no key wait longer than if all units had been used at that moment. */
export async function aShorterWindowKeepsNobodyOutForLonger(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, 10)) {
    const debts = run.store.settle !== undefined && !holdsSlots({ algorithm }) && run.pick(2) === 0;
    const policy = await randomPolicy(run, algorithm, { leastLimit: 1, debts });
    const long = { ...policy, windowMs: policy.windowMs * (2 + run.pick(5000)) };
    const block = policy.block && { ...policy.block, forMs: policy.block.forMs * 1000 };
    const before = { ...long, block };
    if (!await run.serves(before) || !await run.serves(policy)) continue;
    run.about(before, policy);
    const [key, late] = [run.name(), run.name()];
    const all = (await run.peek(before, key)).limit;
    const owed = run.pick(10);
    await useAll(run, before, key, all, owed);
    for (let n = 0; n < (block?.after ?? 0); n++) await run.take(before, key, 1);
    run.advance(1 + run.pick(policy.windowMs));
    await useAll(run, policy, late, all, owed);
    for (let n = 0; n < (block?.after ?? 0); n++) await run.take(policy, late, 1);
    const [after, now] = [await run.take(policy, key, 1), await run.take(policy, late, 1)];
    run.check(
      after.retryAfterMs <= now.retryAfterMs,
      "a shorter window is waited for no longer than itself",
      after,
      now,
    );
    run.check(after.resetMs <= now.resetMs, "and ends no later", after, now);
    if (after.granted > 0) continue;
    run.advance(after.retryAfterMs);
    run.same((await run.take(policy, key, 1)).granted, 1, "who waits as long as retryAfterMs says is admitted");
  }
}
