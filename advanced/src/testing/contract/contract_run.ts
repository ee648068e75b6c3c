import { type AlgorithmName, capacityOf, type Policy } from "../../policy/policy.ts";
import type { Capabilities, Store, Take, Verdict } from "../../policy/store.ts";
import type { Random } from "../seeded_random.ts";
import type { VirtualClock } from "../virtual_clock.ts";

/** Operations shown by a failure. */
const SHOWN = 12;

/** A verdict without the stamp, whose form is up to the store. */
export type Said = Omit<Verdict, "stamp">;

/**
 * One test of the contract: a store, its clock, random numbers, and a trace of the latest operations.
 *
 * Every result is checked first: a verdict that contradicts itself fails every test.
 */
export class ContractRun {
  readonly store: Store;
  /** The clock it uses. */
  readonly clock: VirtualClock;
  /** Source of random numbers. */
  readonly pick: Random;
  #trace: string[] = [];
  #subject = "";
  #names = 0;

  /**
   * @param store The store
   * @param clock The clock it uses
   * @param pick The source of random numbers
   */
  constructor(store: Store, clock: VirtualClock, pick: Random) {
    this.store = store;
    this.clock = clock;
    this.pick = pick;
  }

  get capabilities(): Capabilities {
    return this.store.capabilities;
  }

  /**
   * Every algorithm that the store supports, once per random trace.
   *
   * @param operations Approximate number of operations per algorithm
   * @param length Approximate number of operations per trace
   */
  *traces(operations: number, length: number): Generator<AlgorithmName> {
    for (const algorithm of this.capabilities.algorithms) {
      for (let done = 0; done < operations; done += length) yield algorithm;
    }
  }

  /** Returns a name not used before. */
  name(): string {
    return `n${++this.#names}`;
  }

  /** Picks a value. */
  oneOf<T>(values: readonly T[]): T {
    return values[this.pick(values.length)]!;
  }

  /** Starts a new trace. */
  begin(...policies: Policy[]): void {
    this.#trace = [];
    this.about(...policies);
  }

  /** Shows these policies in failures from here on. */
  about(...policies: Policy[]): void {
    this.#subject = policies.map(show).join("\n          ");
  }

  /** Adds to the trace. */
  note(line: string): void {
    this.#trace.push(`${this.clock.now}  ${line}`);
    if (this.#trace.length > SHOWN) this.#trace.shift();
  }

  /** Moves the clock. */
  advance(ms: number): void {
    this.clock.advance(ms);
    this.note(`${ms >= 0 ? "+" : ""}${ms} ms`);
  }

  /** Decides a batch, and checks that the verdicts do not contradict themselves. */
  async batch(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    const verdicts = await this.store.decide(takes, times);
    takes.forEach((take, i) => {
      const { policy, key, cost, shadow } = take;
      const asked = `${policy.name} ${show(key)} cost ${cost}${shadow === true ? " shadow" : ""}`;
      this.note(`decide ${asked}${times > 1 ? ` ${times} times` : ""} -> ${show(verdicts[i])}`);
    });
    this.check(verdicts.length === takes.length, "there is one verdict for every take", takes.length, verdicts.length);
    takes.forEach((take, i) => this.#checkVerdict(take, times, verdicts[i]!));
    return verdicts;
  }

  /** Decides one take. */
  async take(policy: Policy, key: string, cost = 1, times = 1): Promise<Verdict> {
    return (await this.batch([{ policy, key, cost }], times))[0]!;
  }

  /** Reads a key. */
  async peek(policy: Policy, key: string): Promise<Said> {
    return said(await this.take(policy, key, 0));
  }

  /** Refunds units. */
  async give(policy: Policy, key: string, stamp: number, amount: number): Promise<boolean> {
    const given = await this.store.give({ policy, key, cost: amount }, stamp, amount);
    this.note(`give ${policy.name} ${show(key)} ${amount} of stamp ${stamp} -> ${given}`);
    this.check(typeof given === "boolean", "give() replies with a boolean", "true or false", given);
    return given;
  }

  /** Corrects a grant to its actual cost. */
  async settle(policy: Policy, key: string, stamp: number, change: number): Promise<Verdict> {
    const verdict = await this.store.settle!({ policy, key, cost: 1 }, stamp, change);
    this.note(`settle ${policy.name} ${show(key)} ${change} of stamp ${stamp} -> ${show(verdict)}`);
    const { granted } = verdict;
    const isBetween = change < 0 ? granted >= change && granted <= 0 : granted >= 0 && granted <= change;
    this.check(Number.isInteger(granted) && isBetween, "settle counts no more than the change", change, granted);
    this.#checkVerdict({ policy, key, cost: 0 }, 1, { ...verdict, granted: 0 });
    return verdict;
  }

  /** Forgets a key, or a whole policy. */
  async reset(policy: string, key?: string): Promise<number> {
    const count = await this.store.reset(key === undefined ? { policy } : { policy, key });
    this.note(`reset ${policy}${key === undefined ? "" : ` ${show(key)}`} -> ${count}`);
    return count;
  }

  /**
   * Whether the store supports a policy. It may reject options with a `TypeError`, but must accept
   * every algorithm it declares.
   *
   * @param policy The policy
   */
  async serves(policy: Policy): Promise<boolean> {
    try {
      await this.store.decide([{ policy, key: this.name(), cost: 0 }]);
      return true;
    } catch (error) {
      if (error instanceof TypeError) return false;
      throw error;
    }
  }

  /** Fails with the trace unless a claim holds. */
  check(holds: boolean, claim: string, expected: unknown, actual: unknown): void {
    if (holds) return;
    throw new Error([
      `The store breaks its contract: ${claim}`,
      `  policy: ${this.#subject}`,
      `  wanted: ${show(expected)}`,
      `  got:    ${show(actual)}`,
      "  what was done last, and when:",
      ...this.#trace.map((line) => `    ${line}`),
    ].join("\n"));
  }

  /** Fails unless two values look the same. */
  same(actual: unknown, expected: unknown, claim: string): void {
    const [a, b] = [show(actual), show(expected)];
    if (a !== b) this.check(false, claim, expected, actual);
  }

  #checkVerdict({ policy, cost }: Take, times: number, verdict: Verdict): void {
    const { granted, denied, limit, remaining, retryAfterMs, nextMs, resetMs, blocked } = verdict;
    const claim = (holds: boolean, words: string) => {
      if (!holds) this.check(false, words, "a verdict that agrees with itself", verdict);
    };
    claim(limit === capacityOf(policy), "limit is the most the policy ever has to give");
    claim(
      Number.isInteger(granted) && granted >= 0 && granted <= cost * times,
      "granted lies between 0 and the demand",
    );
    claim(cost === 0 || granted % cost === 0, "granted is a multiple of the cost");
    if (this.capabilities.outcomeOnly === true) {
      claim(denied ? remaining === 0 : Number.isNaN(remaining), "what is left is not known, unless it is nothing");
    } else {
      claim(
        Number.isInteger(remaining) && remaining >= 0 && remaining <= limit,
        "remaining lies between 0 and the limit",
      );
      claim(remaining < limit || nextMs === 0, "nextMs is 0 when the quota is full");
    }
    claim(denied || retryAfterMs === 0, "retryAfterMs is 0 unless something was refused");
    claim(!denied || granted < cost * times, "a refusal that grants everything is none");
    claim(!denied || retryAfterMs > 0, "what was refused does not fit at once");
    for (const ms of [retryAfterMs, nextMs, resetMs]) {
      claim(ms === Infinity || Number.isInteger(ms) && ms >= 0, "times are whole ms, at least 0");
    }
    claim(!blocked || remaining === 0, "a blocked key has nothing left");
  }
}

/** A verdict without its stamp, with the fields in the order of comparison. */
export function said({ granted, denied, limit, remaining, retryAfterMs, nextMs, resetMs, blocked }: Said): Said {
  return { granted, denied, limit, remaining, retryAfterMs, nextMs, resetMs, blocked };
}

/** Formats a value in one line; control characters stay readable. */
export function show(value: unknown): string {
  const text = JSON.stringify(value, (_, one) => one === Infinity || Number.isNaN(one) ? String(one) : one) ??
    String(value);
  return text.length > 400 ? `${text.slice(0, 400)}... (${text.length} characters)` : text;
}
