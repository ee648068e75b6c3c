/**
 * The limiter's counters compared with an independent model: consuming the same units at the same times gives the same
 * results.
 */
import { MemoryStore } from "../../../advanced/mod.ts";
import type { Policy, Store, Take, Verdict } from "../../../advanced/testing.ts";
import { VirtualClock } from "../../../advanced/testing.ts";
import { said } from "../../../advanced/src/testing/contract/contract_run.ts";
import { ModelBatch } from "../../../advanced/src/testing/contract/model_batch.ts";
import type { AlgorithmName } from "../../../advanced/src/policy/policy.ts";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { randomShape } from "./random_shape.ts";

/** Time that passes, units requested, or a key to reset. */
export type LimiterStep =
  | { readonly does: "wait"; readonly ms: number }
  | { readonly does: "take"; readonly takes: readonly Take[]; readonly times: number }
  | { readonly does: "reset"; readonly policy: Policy; readonly key: string };

const ALGORITHMS: readonly AlgorithmName[] = [
  ...["fixed-window", "sliding-window", "sliding-approximate", "sliding-log", "token-bucket", "concurrency"] as const,
];
const WINDOWS = [1, 2, 7, 10, 100, 997, 1000, 2500];
const LIMITS = [0, 1, 2, 3, 7, 10, 20];
const KEYS = ["a", "b", "", "\0", "__proto__"];
const STEPS = 60;

/** Fuzzes a store. */
export class LimiterFuzzer implements Fuzzer<LimiterStep> {
  readonly name = "the limiter beside its model";
  readonly #make: (clock: VirtualClock) => Store;

  /** @param make Makes the store; a memory store by default */
  constructor(make: (clock: VirtualClock) => Store = (clock) => new MemoryStore({ clock: clock.read })) {
    this.#make = make;
  }

  round(pick: Pick): readonly LimiterStep[] {
    const policies = Array.from({ length: 2 }, (_, i) => randomPolicy(pick, `policy ${i}`));
    return Array.from({ length: STEPS }, (): LimiterStep => {
      const [first, second] = pick(2) === 0 ? policies : policies.toReversed() as [Policy, Policy];
      const key = oneOf(pick, KEYS.slice(0, 1 + pick(KEYS.length)));
      const choice = pick(12);
      if (choice < 4) {
        return { does: "wait", ms: oneOf(pick, [1, pick(4), pick(first!.windowMs + 3), first!.windowMs]) };
      }
      if (choice === 4 && pick(4) === 0) return { does: "reset", policy: first!, key };
      const policy = pick(6) === 0 ? withOtherLimit(pick, first!) : first!;
      const takes: Take[] = [{ policy, key, cost: oneOf(pick, [1, 1, 1, 2, 0, 3, pick(25)]) }];
      if (pick(4) === 0) takes.push({ policy: second!, key, cost: 1, shadow: pick(3) === 0 });
      return { does: "take", takes, times: pick(4) === 0 ? 1 + pick(5) : 1 };
    });
  }

  async check(steps: readonly LimiterStep[]): Promise<Wrong | undefined> {
    const clock = new VirtualClock();
    const store = this.#make(clock);
    const model = new ModelBatch();
    try {
      for (const step of steps) {
        if (step.does === "wait") clock.advance(step.ms);
        else if (step.does === "reset") {
          await store.reset({ policy: step.policy.name, key: step.key });
          model.reset(step.policy, step.key);
        } else {
          const actual = await store.decide(step.takes, step.times);
          const expected = model.decideTimes(step.takes, step.times, clock.now);
          const wrong = difference(step.takes, actual, expected);
          if (wrong !== undefined) return wrong;
        }
      }
    } finally {
      await store.close?.();
    }
    return undefined;
  }

  *simpler(step: LimiterStep): Generator<LimiterStep> {
    if (step.does === "wait" && step.ms > 1) {
      yield { ...step, ms: Math.floor(step.ms / 2) };
      yield { ...step, ms: step.ms - 1 };
    }
    if (step.does !== "take") return;
    if (step.times > 1) yield { ...step, times: 1 };
    if (step.takes.length > 1) { for (const take of step.takes) yield { ...step, takes: [take] }; }
    for (const [i, take] of step.takes.entries()) {
      if (take.cost > 1) yield { ...step, takes: step.takes.with(i, { ...take, cost: 1 }) };
    }
  }

  print(steps: readonly LimiterStep[]): string {
    return steps.map((step) => {
      if (step.does === "wait") return `clock.advance(${step.ms});`;
      if (step.does === "reset") {
        return `await store.reset(${JSON.stringify({ policy: step.policy.name, key: step.key })});`;
      }
      return `await store.decide(${JSON.stringify(step.takes)}, ${step.times});`;
    }).join("\n");
  }
}

function difference(
  takes: readonly Take[],
  actual: readonly Verdict[],
  expected: readonly Verdict[],
): Wrong | undefined {
  for (const [i, { policy }] of takes.entries()) {
    const [ours, theirs] = [said(actual[i]!), said(expected[i]!)];
    const field = (Object.keys(theirs) as (keyof typeof theirs)[]).find((name) => ours[name] !== theirs[name]);
    if (field === undefined) continue;
    const detail = `${field} is ${ours[field]}, and ${theirs[field]} by the model, of ${JSON.stringify(policy)}`;
    return { kind: `${policy.algorithm} says another ${field} than its model`, detail };
  }
  return undefined;
}

function randomPolicy(pick: Pick, name: string): Policy {
  const algorithm = oneOf(pick, ALGORITHMS);
  const windowMs = oneOf(pick, WINDOWS);
  const shape = randomShape(pick, algorithm);
  const refusals = pick(4) > 0 || algorithm === "concurrency" ? {} : { onDenied: "charge" as const };
  const block = pick(6) === 0 ? { block: { after: 1 + pick(4), forMs: 1 + pick(windowMs * 2) } } : {};
  return { name, algorithm, limit: oneOf(pick, LIMITS), windowMs, ...shape, ...refusals, ...block };
}

// as for a customer's tier; a bucket's level depends on when its rate changed
function withOtherLimit(pick: Pick, policy: Policy): Policy {
  return policy.algorithm === "token-bucket" ? policy : { ...policy, limit: oneOf(pick, LIMITS) };
}
