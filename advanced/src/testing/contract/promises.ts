import type { Policy } from "../../policy/policy.ts";
import type { Verdict } from "../../policy/store.ts";
import type { ContractRun } from "./contract_run.ts";
import { type PolicyRange, randomAdvance, randomCost, randomPolicy } from "./random_policy.ts";

/** Runs random traces, with a custom step after every take. */
async function along(
  run: ContractRun,
  operations: number,
  range: PolicyRange,
  body: (policy: Policy, key: string, last: Verdict, cost: number) => Promise<unknown>,
): Promise<void> {
  for (const algorithm of run.traces(operations, 40)) {
    const policy = await randomPolicy(run, algorithm, range);
    const key = run.name();
    let last = await run.take(policy, key, 0);
    for (let i = 0; i < 20; i++) {
      randomAdvance(run, policy, last);
      const cost = randomCost(run, last.remaining);
      last = await run.take(policy, key, cost);
      await body(policy, key, last, cost);
    }
  }
}

/** `retryAfterMs` is when the same cost fits, and not a millisecond later than necessary. */
export async function retryMsIsWhenTheCostFits(run: ContractRun, operations: number): Promise<void> {
  await along(run, operations, { consequences: true }, async (policy, key, { denied, retryAfterMs, limit }, cost) => {
    if (!denied || run.pick(2) === 0) return;
    if (retryAfterMs === Infinity) {
      run.check(cost > limit, "only what can never fit is told so", "a number of ms", retryAfterMs);
      return;
    }
    // headers contain whole seconds, rounded up
    if (run.pick(3) === 0) run.advance(Math.ceil(retryAfterMs / 1000) * 1000);
    else {
      run.advance(retryAfterMs - 1);
      const early = await run.peek(policy, key);
      run.check(
        early.remaining < cost,
        "1 ms before retryAfterMs is over, the cost does not fit",
        `below ${cost}`,
        early,
      );
      if (policy.onDenied === undefined && policy.block === undefined && run.capabilities.exactDeny) {
        const tooEarly = await run.take(policy, key, cost);
        run.same(
          [tooEarly.granted, tooEarly.retryAfterMs],
          [0, 1],
          "who comes 1 ms too soon is refused, and told of that ms",
        );
      }
      run.advance(1);
    }
    const { granted } = await run.take(policy, key, cost);
    run.same(granted, cost, "who waits as long as retryAfterMs says, in silence, is admitted");
  });
}

/** Exactly `remaining` units are granted, and not one more. */
export async function remainingIsWhatWouldBeGranted(run: ContractRun, operations: number): Promise<void> {
  await along(run, operations, { consequences: true }, async (policy, key, { remaining }) => {
    if (run.pick(2) === 0) {
      const more = await run.take(policy, key, remaining + 1);
      run.same(more.granted, 0, "not one more is granted than remaining says");
      // that refusal may have had side effects
      if (policy.onDenied !== undefined || policy.block !== undefined || !run.capabilities.exactDeny) return;
    }
    if (remaining === 0) return;
    const all = await run.take(policy, key, remaining);
    run.same([all.granted, all.remaining], [remaining, 0], "as many as remaining says are granted, then none is left");
  });
}

/** `remaining` only falls by takes, and only grows with time: first at `nextMs`, and fully at `resetMs`. */
export async function remainingMovesByTakesAndTimeAlone(run: ContractRun, operations: number): Promise<void> {
  await along(run, operations, { consequences: true, leastLimit: 1 }, async (policy, key, taken) => {
    const { remaining, nextMs, resetMs, limit } = await run.peek(policy, key);
    run.same(
      [remaining, nextMs, resetMs],
      [taken.remaining, taken.nextMs, taken.resetMs],
      "a look sees what a take left",
    );
    await run.take(policy, run.name(), 1);
    run.same((await run.peek(policy, key)).remaining, remaining, "another key's takes cost this key nothing");
    if (nextMs === 0 || run.pick(3) > 0) {
      const ms = 1 + run.pick(policy.windowMs);
      run.advance(ms);
      const later = await run.peek(policy, key);
      run.check(later.remaining >= remaining, "remaining never falls with time", `at least ${remaining}`, later);
      return;
    }
    run.advance(nextMs - 1);
    run.same((await run.peek(policy, key)).remaining, remaining, "nothing comes back before nextMs");
    run.advance(1);
    const next = await run.peek(policy, key);
    run.check(next.remaining > remaining, "one unit more is back at nextMs", `above ${remaining}`, next);
    run.advance(resetMs - nextMs);
    const full = await run.peek(policy, key);
    run.same([full.remaining, full.nextMs, full.resetMs], [limit, 0, 0], "the quota is full at resetMs");
  });
}
