import { capacityOf, type Policy } from "../../policy/policy.ts";
import type { Take, Verdict } from "../../policy/store.ts";
import { ReferenceModel } from "../reference_model.ts";

/** The combined result of several takes: the last verdict, with the granted units summed. */
export interface Summed extends Verdict {
  /** The model's stamp for every granted unit. */
  readonly stamps: readonly number[];
}

/** Reference models for many keys, and the results of batches on them. */
export class ModelBatch {
  readonly #models = new Map<string, ReferenceModel>();

  #modelOf({ policy, key }: { policy: Policy; key: string }): ReferenceModel {
    const id = JSON.stringify([policy.name, key]);
    let model = this.#models.get(id);
    if (model === undefined) this.#models.set(id, model = new ReferenceModel());
    return model;
  }

  /**
   * Decides a batch: all of it if every non-shadow take fits. Otherwise nothing is granted, and the takes that do not
   * fit are refused.
   */
  decide(takes: readonly Take[], now: number): Verdict[] {
    const fits = takes.map((take) => this.#fits(take, now));
    const granted = takes.every(({ shadow }, i) => shadow === true || fits[i]);
    // a take that fits but is not granted only reads
    return takes.map((take, i) => {
      return this.#modelOf(take).decide(fits[i] && !granted ? { ...take, cost: 0 } : take, now);
    });
  }

  #fits(take: Take, now: number): boolean {
    if (take.cost === 0) return true;
    const model = this.#modelOf(take);
    const { blocked } = model.decide({ ...take, cost: 0 }, now);
    return !blocked && model.room(take.policy, now) >= take.cost;
  }

  /** Decides a batch several times, one after the other, and adds up. */
  decideTimes(takes: readonly Take[], times: number, now: number): Summed[] {
    const sums = takes.map(() => ({ granted: 0, denied: false, stamps: [] as number[] }));
    let verdicts: Verdict[] = [];
    for (let i = 0; i < times; i++) {
      verdicts = this.decide(takes, now);
      verdicts.forEach(({ granted, denied, stamp }, n) => {
        const sum = sums[n]!;
        sum.granted += granted;
        sum.denied ||= denied;
        for (let unit = 0; unit < granted; unit++) sum.stamps.push(stamp);
      });
    }
    return verdicts.map((verdict, n) => ({ ...verdict, ...sums[n]! }));
  }

  /** Refunds units one by one: one stamp may stand for several events, and one take for several leases. */
  give(take: Take, stamps: readonly number[], now: number): void {
    for (const stamp of stamps) this.#modelOf(take).give(take.policy, now, stamp, 1);
  }

  /** Forgets a key. */
  reset(policy: Policy, key: string): void {
    this.#models.delete(JSON.stringify([policy.name, key]));
  }

  /** Drops events that no longer matter. */
  forget(policy: Policy, key: string, now: number): void {
    if (capacityOf(policy) > 0) this.#modelOf({ policy, key }).forget(policy, now);
  }
}
