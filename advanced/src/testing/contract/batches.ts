import type { Policy } from "../../policy/policy.ts";
import type { Take, Verdict } from "../../policy/store.ts";
import { type ContractRun, type Said, said } from "./contract_run.ts";
import { randomAdvance, randomCost, randomPolicy } from "./random_policy.ts";

/** A batch is granted as a whole or not at all, and a vetoed take is not charged. */
export async function aBatchIsGrantedAsAWholeOrNotAtAll(run: ContractRun, operations: number): Promise<void> {
  const { algorithms, atomicBatch, exactDeny } = run.capabilities;
  for (const algorithm of run.traces(operations, 60)) {
    const policies = [await randomPolicy(run, algorithm, { leastLimit: 1 })];
    for (let i = run.pick(3); i >= 0; i--) policies.push(await randomPolicy(run, run.oneOf([...algorithms])));
    run.begin(...policies);
    // a separate key per policy, if such a batch is also atomic
    const shared = run.name();
    const keys = policies.map(() => atomicBatch === "all" && run.pick(3) === 0 ? run.name() : shared);
    let last = await run.take(policies[0]!, keys[0]!, 0);
    for (let i = 0; i < 12; i++) {
      randomAdvance(run, policies[0]!, last);
      const before: Said[] = [];
      for (const [n, policy] of policies.entries()) before.push(await run.peek(policy, keys[n]!));
      const takes = policies.map((policy, n): Take => {
        return { policy, key: keys[n]!, cost: Math.min(randomCost(run, before[n]!.remaining), 25) };
      });
      const verdicts = await run.batch(takes);
      last = verdicts[0]!;
      const fits = takes.every(({ cost }, n) => before[n]!.remaining >= cost);
      const wanted = takes.map(({ cost }) => fits ? cost : 0);
      run.same(verdicts.map(({ granted }) => granted), wanted, "a batch is granted as a whole or not at all");
      const refused = takes.map(({ cost }, n) => before[n]!.remaining < cost);
      run.same(verdicts.map(({ denied }) => denied), refused, "denied tells which policies refused");
      if (fits || !exactDeny || atomicBatch === "none") continue;
      for (const [n, policy] of policies.entries()) {
        run.same(await run.peek(policy, keys[n]!), before[n], "a batch that was refused costs nobody anything");
      }
    }
  }
}

/** A batch that contains one counter twice is rejected. */
export async function aBatchThatAsksOneCounterTwiceIsRefused(run: ContractRun): Promise<void> {
  for (const algorithm of run.capabilities.algorithms) {
    const policy: Policy = { name: run.name(), algorithm, limit: 5, windowMs: 1000 };
    const other: Policy = { ...policy, name: run.name() };
    run.begin(policy, other);
    const key = run.name();
    for (const second of [policy, { ...policy, limit: 9 }]) {
      const takes: Take[] = [{ policy, key, cost: 1 }, { policy: other, key, cost: 1 }, {
        policy: second,
        key,
        cost: 2,
      }];
      let error: unknown;
      try {
        await run.store.decide(takes);
      } catch (thrown) {
        error = thrown;
      }
      run.check(error instanceof TypeError, "one counter twice in a batch is a TypeError", "TypeError", String(error));
    }
    const apart = [{ policy, key, cost: 1 }, { policy: other, key, cost: 1 }, { policy, key: run.name(), cost: 1 }];
    const granted = (await run.batch(apart)).map((verdict) => verdict.granted);
    run.same(granted, [1, 1, 1], "one policy for two keys and one key in two policies are four counters apart");
  }
}

/** Several takes at once give the same result as in sequence, and so do batches. */
export async function severalTimesAtOnceEqualOneAfterTheOther(run: ContractRun, operations: number): Promise<void> {
  const { algorithms, atomicBatch } = run.capabilities;
  for (const algorithm of run.traces(operations, 60)) {
    const policies = [await randomPolicy(run, algorithm, { consequences: true })];
    const two = atomicBatch !== "none" && run.pick(3) === 0;
    if (two) policies.push(await randomPolicy(run, run.oneOf([...algorithms]), { consequences: true }));
    run.begin(...policies);
    const [key, twin] = [run.name(), run.name()];
    let last = await run.take(policies[0]!, key, 0);
    for (let i = 0; i < 15; i++) {
      randomAdvance(run, policies[0]!, last);
      const times = 1 + run.pick(5);
      const takes = policies.map((policy, n): Take => {
        return { policy, key, cost: randomCost(run, last.remaining) % 26, shadow: n > 0 && run.pick(4) === 0 };
      });
      const atOnce = await run.batch(takes, times);
      last = atOnce[0]!;
      const inARow = takes.map(() => ({ granted: 0, denied: false }));
      let one = atOnce;
      for (let n = 0; n < times; n++) {
        one = await run.batch(takes.map((take) => ({ ...take, key: twin })));
        one.forEach((verdict, m) => {
          inARow[m]!.granted += verdict.granted;
          inARow[m]!.denied ||= verdict.denied;
        });
      }
      const expected = one.map((verdict, m) => said({ ...verdict, ...inARow[m]! }));
      run.same(atOnce.map(said), expected, "several times at once equal one after the other");
    }
  }
}

/** `decideEach`, if a store has it, decides many keys like `decide` called for each key in sequence. */
export async function decideEachIsDecidingOneByOne(run: ContractRun, operations: number): Promise<void> {
  const { store } = run;
  if (store.decideEach === undefined) return;
  for (const algorithm of run.traces(operations, 60)) {
    const policy = await randomPolicy(run, algorithm, { consequences: true });
    const keys = Array.from({ length: 1 + run.pick(4) }, () => run.name());
    const twins = keys.map(() => run.name());
    let last = await run.take(policy, keys[0]!, 0);
    for (let i = 0; i < 8; i++) {
      randomAdvance(run, policy, last);
      const cost = randomCost(run, last.remaining) % 26;
      const shadow = run.pick(5) === 0;
      const times = keys.map(() => 1 + run.pick(4));
      const each = await store.decideEach(keys.map((key) => ({ policy, key, cost, shadow })), times);
      const alone: Verdict[] = [];
      for (const [n, key] of twins.entries()) {
        alone.push((await run.batch([{ policy, key, cost, shadow }], times[n]))[0]!);
      }
      last = alone[0]!;
      run.same(each.map(said), alone.map(said), "decideEach decides many keys as decide does each");
    }
  }
}

/** A shadow take is decided and counted, and never prevents other takes from being granted. */
export async function aShadowNeverVetoes(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, 60)) {
    const policy = await randomPolicy(run, algorithm, { leastLimit: 1 });
    const tight = { ...policy, name: run.name(), limit: 1 };
    run.begin(policy, tight);
    const [key, twin] = [run.name(), run.name()];
    let last = await run.take(policy, key, 0);
    for (let i = 0; i < 15; i++) {
      randomAdvance(run, policy, last);
      const cost = randomCost(run, last.remaining);
      const before = await run.peek(tight, key);
      const takes: Take[] = [{ policy, key, cost }, { policy: tight, key, cost: 1, shadow: true }];
      const [mine, shadow] = await run.batch(takes);
      const alone = await run.take(policy, twin, cost);
      last = mine!;
      run.same(said(mine!), said(alone), "what a shadow says makes no difference to the others");
      run.same(shadow!.denied, before.remaining === 0, "a shadow says whether it would have refused");
      const counted = before.remaining > 0 && !mine!.denied ? 1 : 0;
      run.same(shadow!.granted, counted, "a shadow counts what was granted, if it fits");
    }
  }
}
