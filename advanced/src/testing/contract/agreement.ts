import type { AlgorithmName } from "../../policy/policy.ts";
import type { Take } from "../../policy/store.ts";
import { type ContractRun, said } from "./contract_run.ts";
import { ModelBatch } from "./model_batch.ts";
import { randomAdvance, randomCost, randomPolicy } from "./random_policy.ts";

const TRACE_LENGTH = 60;

/** A grant that may be refunded. */
interface Grant {
  readonly take: Take;
  readonly at: number;
  readonly stamp: number;
  readonly modelStamps: number[];
}

/** The same trace gives the same verdicts as the reference model, field by field. */
export async function saysWhatTheModelSays(run: ContractRun, operations: number): Promise<void> {
  for (const algorithm of run.traces(operations, TRACE_LENGTH)) await compare(run, algorithm);
}

async function compare(run: ContractRun, algorithm: AlgorithmName): Promise<void> {
  const { pick, clock } = run;
  const model = new ModelBatch();
  const policy = await randomPolicy(run, algorithm, { consequences: true });
  const other = await randomPolicy(run, run.oneOf([...run.capabilities.algorithms]), { consequences: true });
  run.begin(policy, other);
  const keys = [run.name(), run.name()];
  let grants: Grant[] = [];
  let last = await run.take(policy, keys[0]!, 0);
  for (let i = 0; i < TRACE_LENGTH; i++) {
    randomAdvance(run, policy, last);
    const key = keys[pick(10) === 0 ? 1 : 0]!;
    if (pick(60) === 0) {
      await run.reset(policy.name, key);
      model.reset(policy, key);
      grants = grants.filter(({ take }) => take.policy !== policy || take.key !== key);
    }
    const takes: Take[] = [{ policy, key, cost: randomCost(run, last.remaining) }];
    if (pick(4) === 0) takes.push({ policy: other, key, cost: randomCost(run, 1), shadow: pick(3) === 0 });
    if (takes.length > 1 && pick(2) === 0) takes.reverse();
    // parts that are not atomic cannot coordinate how often they fit
    const asOne = takes.length === 1 || run.capabilities.atomicBatch !== "none";
    const times = asOne && pick(4) === 0 ? 1 + pick(5) : 1;
    const actual = await run.batch(takes, times);
    const expected = model.decideTimes(takes, times, clock.now);
    run.same(actual.map(said), expected.map(said), "the same trace gives the same verdicts as the reference model");
    last = actual[takes.findIndex((take) => take.policy === policy)]!;
    takes.forEach((take, n) => {
      const { granted, stamp } = actual[n]!;
      if (granted > 0) grants.push({ take, at: clock.now, stamp, modelStamps: [...expected[n]!.stamps] });
    });
    if (pick(4) === 0) await giveBack(run, model, grants);
    if (i % 16 === 0) { for (const one of keys) model.forget(policy, one, clock.now); }
  }
}

async function giveBack(run: ContractRun, model: ModelBatch, grants: Grant[]): Promise<void> {
  const { now } = run.clock;
  const grant = grants[grants.length - 1 - run.pick(Math.min(4, grants.length))];
  if (grant === undefined || grant.modelStamps.length === 0 || !isDefined(run, grant, now)) return;
  const amount = 1 + run.pick(grant.modelStamps.length);
  // the validity of a stamp is a separate property; here, a refund must show in later verdicts
  if (!await run.give(grant.take.policy, grant.take.key, grant.stamp, amount)) return;
  model.give(grant.take, grant.modelStamps.splice(0, amount), now);
}

// the model undoes grants completely, which not every algorithm does
function isDefined({ capabilities }: ContractRun, { take: { policy }, at }: Grant, now: number): boolean {
  if (!capabilities.exactDeny || policy.onDenied === "extend") return false;
  const later = policy.algorithm === "token-bucket" || policy.algorithm === "fixed-window" && policy.align !== "clock";
  return at === now || !later;
}
