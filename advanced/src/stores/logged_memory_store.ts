import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import { hasDebts, holdsSlots, type Policy } from "../policy/policy.ts";
import type { Selector, Take, Verdict } from "../policy/store.ts";
import { MemoryStore, type MemoryStoreOptions } from "./memory_store.ts";

/**
 * Options of a {@linkcode LoggedMemoryStore}.
 *
 * @example A log that is kept in memory
 * ```ts
 * import { LoggedMemoryStore, type LoggedMemoryStoreOptions } from "@sluice/rate-limit";
 *
 * const lines: string[] = [];
 * const options: LoggedMemoryStoreOptions = { write: (line) => lines.push(line), maxKeys: 10_000 };
 * const store = new LoggedMemoryStore(options);
 * ```
 */
export interface LoggedMemoryStoreOptions extends MemoryStoreOptions {
  /** Gets each line of the log, which is JSON, without an end of line. It is called during the decision. */
  write: (line: string) => void;
}

/** A take in the log. */
export interface LoggedTake {
  /** Name of its policy. */
  readonly policy: string;
  /** The key, as the store keeps it. */
  readonly key: string;
  /** Units wanted. */
  readonly cost: number;
  /** Whether the policy refused any of it. */
  readonly verdict: "granted" | "refused";
  /** The limit, where it is not the one of the policy as it was first seen: that of a customer's tier. */
  readonly limit?: number;
  /** Whether it never refuses. */
  readonly shadow?: true;
  /** The lease that a `"concurrency"` policy granted. */
  readonly stamp?: number;
}

/** One line of the log: a policy that is new to it, a decision, or something given back, settled or forgotten. */
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
 * A store in the memory of this process that writes what it does: a line of JSON for each decision, with the time, the
 * keys, the costs, the policies and the verdicts. From these lines, `@sluice/rate-limit/simulate` makes the same
 * decisions again, or those of other policies.
 *
 * The decisions are the same as long as no keys shared counters, for which there were more of them than `maxKeys`: which
 * ones do is not to be foreseen. Keys stand in the log as they are: where they are addresses, it is personal data.
 *
 * @example A log of what the limiter decides
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
  /** What a replay has to know of the options. */
  readonly #bounds: { maxKeys?: number | undefined };
  /** The policies that the log has last, by their names. */
  readonly #introduced = new Map<string, Policy>();
  /** What policies are but for their limits, which takes have beside them. */
  readonly #rules = new WeakMap<Policy, string>();
  #hasFailed = false;

  /**
   * Creates an instance.
   *
   * @param options Where the lines go, bounds and clock
   * @throws {TypeError} If an option is unknown, or `write` is no function
   * @throws {RangeError} If `maxKeys` is out of range
   */
  constructor(options: LoggedMemoryStoreOptions) {
    checkNames("LoggedMemoryStore", options, NAMES);
    const { write, clock = () => Date.now(), ...bounds } = options;
    checkType("LoggedMemoryStore", "clock", clock, "function");
    if (typeof write !== "function") {
      refuseOption("LoggedMemoryStore", "write", "a function that gets each line", write);
    }
    // whole ms that never go back are what the store counts by, so the latest one read is the time of the decision
    const time = { latest: 0 };
    super({ ...bounds, clock: () => time.latest = Math.max(time.latest, Math.floor(clock())) });
    this.#time = time;
    this.#bounds = bounds;
    this.#write = write;
  }

  /** Decides a batch, and writes what came of it; see {@linkcode MemoryStore}. */
  override decide(takes: readonly Take[], times = 1): readonly Verdict[] {
    const verdicts = super.decide(takes, times);
    for (const { policy } of takes) this.#introduce(policy);
    this.#log({
      takes: takes.map((take, i) => this.#logged(take, verdicts[i]!)),
      ...(times === 1 ? {} : { times }),
    });
    return verdicts;
  }

  // again, if anything but the limit has changed: what that is, each take says
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

  /** Gives units back, and writes that; see {@linkcode MemoryStore}. */
  override give(take: Take, stamp: number, amount: number): boolean {
    const given = super.give(take, stamp, amount);
    const { policy, key } = take;
    // what is out of date gives nothing back, but windows that have passed pay off debts
    if (!given && !hasDebts(policy)) return false;
    this.#introduce(policy);
    this.#log({ give: { policy: policy.name, key, ...this.#tierOf(policy) }, stamp, units: amount });
    return given;
  }

  /** Corrects what was granted to its real cost, and writes that; see {@linkcode MemoryStore}. */
  override settle(take: Take, stamp: number, change: number): Verdict {
    const verdict = super.settle(take, stamp, change);
    const { policy, key } = take;
    this.#introduce(policy);
    this.#log({ settle: { policy: policy.name, key, ...this.#tierOf(policy) }, stamp, change });
    return verdict;
  }

  /** Forgets keys, and writes that; see {@linkcode MemoryStore}. */
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
