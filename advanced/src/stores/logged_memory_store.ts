import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import { holdsSlots, type Policy } from "../policy/policy.ts";
import type { Selector, Take, Verdict } from "../policy/store.ts";
import { MemoryStore, type MemoryStoreOptions } from "./memory_store.ts";

/**
 * Options for a {@linkcode LoggedMemoryStore}.
 *
 * @example Keep the log in memory
 * ```ts
 * import { LoggedMemoryStore, type LoggedMemoryStoreOptions } from "@sluice/rate-limit";
 *
 * const lines: string[] = [];
 * const options: LoggedMemoryStoreOptions = { write: (line) => lines.push(line), maxKeys: 10_000 };
 * const store = new LoggedMemoryStore(options);
 * ```
 */
export interface LoggedMemoryStoreOptions extends MemoryStoreOptions {
  /** Receives each line of the log as JSON, without a line break. Called during the decision. */
  write: (line: string) => void;
}

/** A take in the log. */
export interface LoggedTake {
  /** Its policy name. */
  readonly policy: string;
  /** The stored form of the key. */
  readonly key: string;
  /** Units requested. */
  readonly cost: number;
  /** Whether the policy refused any part. */
  readonly verdict: "granted" | "refused";
  /** The limit, if it differs from the policy limit as first logged: a customer's tier. */
  readonly limit?: number;
  /** Whether it never refuses. */
  readonly shadow?: true;
  /** The lease that a `"concurrency"` policy granted. */
  readonly stamp?: number;
}

/** One line of the log: a new policy, a decision, a refund, a settlement or a reset. */
export type LoggedLine =
  & {
    /** The store's time in ms since 1970. */
    readonly ms: number;
  }
  & (
    | { readonly policy: Policy; readonly maxKeys?: number }
    | { readonly takes: readonly LoggedTake[]; readonly times?: number }
    | {
      readonly give: { readonly policy: string; readonly key: string; readonly limit?: number };
      readonly stamp: number;
      readonly units: number;
    }
    | {
      readonly settle: { readonly policy: string; readonly key: string; readonly limit?: number };
      readonly stamp: number;
      readonly change: number;
    }
    | { readonly reset: Selector }
  );

const NAMES: OptionNames<LoggedMemoryStoreOptions> = { write: true, maxKeys: true, clock: true };

/**
 * A store in this process's memory that logs its actions: one line of JSON per decision, with the time, keys, costs,
 * policies and verdicts. `@sluice/rate-limit/simulate` replays these lines, under the same or different policies.
 *
 * A replay is exact unless there were more keys than `maxKeys`: which keys then share counters is unpredictable. Keys
 * are logged unchanged. If they are addresses, the log is personal data.
 *
 * @example Log a limiter's decisions
 * ```ts ignore
 * import { appendFileSync } from "node:fs";
 * import { LoggedMemoryStore, rateLimit } from "@sluice/rate-limit";
 *
 * const store = new LoggedMemoryStore({ write: (line) => appendFileSync("decisions.jsonl", line + "\n") });
 * app.use(rateLimit({ limit: 100, windowMs: 60_000, store }));
 * ```
 */
export class LoggedMemoryStore extends MemoryStore {
  readonly #write: (line: string) => void;
  readonly #time: { latest: number };
  /** Options that a replay needs. */
  readonly #bounds: { maxKeys?: number | undefined };
  /** The last logged policy for each name. */
  readonly #introduced = new Map<string, Policy>();
  /** The policies without their limits, which each take contains. */
  readonly #rules = new WeakMap<Policy, string>();
  #hasFailed = false;

  /**
   * Creates an instance.
   *
   * @param options Log function, bounds and clock
   * @throws {TypeError} If an option is unknown, or `write` is not a function
   * @throws {RangeError} If `maxKeys` is out of range
   */
  constructor(options: LoggedMemoryStoreOptions) {
    checkNames("LoggedMemoryStore", options, NAMES);
    const { write, clock = () => Date.now(), ...bounds } = options;
    checkType("LoggedMemoryStore", "clock", clock, "function");
    if (typeof write !== "function") {
      refuseOption("LoggedMemoryStore", "write", "a function that gets each line", write);
    }
    // the store counts in whole ms that never go back, so the latest reading is the time of the decision
    const time = { latest: 0 };
    super({ ...bounds, clock: () => time.latest = Math.max(time.latest, Math.floor(clock())) });
    this.#time = time;
    this.#bounds = bounds;
    this.#write = write;
  }

  /** Decides a batch, and logs the result; see {@linkcode MemoryStore}. */
  override decide(takes: readonly Take[], times = 1): readonly Verdict[] {
    const verdicts = super.decide(takes, times);
    for (const { policy } of takes) this.#introduce(policy);
    this.#log({
      takes: takes.map((take, i) => this.#logged(take, verdicts[i]!)),
      ...(times === 1 ? {} : { times }),
    });
    return verdicts;
  }

  // again if anything changes but the limit, which each take contains
  #introduce(policy: Policy): void {
    const known = this.#introduced.get(policy.name);
    if (known === policy || known !== undefined && this.#ruleOf(known) === this.#ruleOf(policy)) return;
    this.#introduced.set(policy.name, policy);
    this.#log({ policy, ...this.#bounds });
  }

  #ruleOf(policy: Policy): string {
    let rule = this.#rules.get(policy);
    if (rule === undefined) this.#rules.set(policy, rule = JSON.stringify({ ...policy, limit: 0 }));
    return rule;
  }

  #logged({ policy, key, cost, shadow }: Take, { denied, granted, stamp }: Verdict): LoggedTake {
    return {
      policy: policy.name,
      key,
      cost,
      verdict: denied ? "refused" : "granted",
      ...this.#tierOf(policy),
      ...(shadow === true ? { shadow } : {}),
      ...(granted > 0 && holdsSlots(policy) ? { stamp } : {}),
    };
  }

  #tierOf({ name, limit }: Policy): { limit?: number } {
    return limit === this.#introduced.get(name)!.limit ? {} : { limit };
  }

  /** Refunds units, and logs it; see {@linkcode MemoryStore}. */
  override give(take: Take, stamp: number, amount: number): boolean {
    const given = super.give(take, stamp, amount);
    if (!given) return false;
    const { policy, key } = take;
    this.#introduce(policy);
    this.#log({ give: { policy: policy.name, key, ...this.#tierOf(policy) }, stamp, units: amount });
    return true;
  }

  /** Corrects a grant to its actual cost, and logs it; see {@linkcode MemoryStore}. */
  override settle(take: Take, stamp: number, change: number): Verdict {
    const verdict = super.settle(take, stamp, change);
    const { policy, key } = take;
    this.#introduce(policy);
    this.#log({ settle: { policy: policy.name, key, ...this.#tierOf(policy) }, stamp, change });
    return verdict;
  }

  /** Forgets keys, and logs it; see {@linkcode MemoryStore}. */
  override reset(selector: Selector): number {
    const count = super.reset(selector);
    this.#log({ reset: selector });
    return count;
  }

  // a full disk must not refuse requests
  #log(what: object): void {
    try {
      this.#write(JSON.stringify({ ms: this.#time.latest, ...what }));
    } catch (error) {
      if (!this.#hasFailed) console.error("LoggedMemoryStore: the log is incomplete, because write failed:", error);
      this.#hasFailed = true;
    }
  }
}
