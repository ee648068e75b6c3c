import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import type { Policy } from "../policy/policy.ts";
import { assertDistinct } from "./assert_distinct.ts";
import { assertMethods } from "./assert_methods.ts";
import { decideByKey } from "./decide_by_key.ts";
import type { Capabilities, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { type AnyCounter, type CallbackCounterLike, type CounterLike, isCallbackCounter } from "./counter_like.ts";
import { PolicyCounter } from "./policy_counter.ts";
import { StoreClock } from "@sluice/limiting";

/**
 * Options for {@linkcode fromCounter}.
 *
 * @example Pass options to a store's `init`
 * ```ts ignore
 * import { MemoryStore } from "express-rate-limit";
 * import { fromCounter, Limiter } from "@sluice/rate-limit";
 *
 * const store = fromCounter(() => new MemoryStore(), { init: { passOnStoreError: true } });
 * const limiter = new Limiter({ limit: 100, store });
 * ```
 */
export interface CounterOptions {
  /** Current time in ms; the system clock by default. */
  clock?: () => number;
  /** More options for the counter's `init`, besides `windowMs` and `limit`. `rateLimit` passes all of its own. */
  init?: object;
}

const NAMES: OptionNames<CounterOptions> = { clock: true, init: true };

/** The windows that counters in use are configured with. A second window would replace the first. */
const windows = new WeakMap<AnyCounter, number>();

/**
 * Turns an express-rate-limit store into a {@linkcode Store}.
 *
 * It supports fixed windows that begin with the first hit, not windows aligned to the clock or calendar, and neither
 * `block` nor `onDenied: "extend"`. A cost of `k` takes `k` increments, which are not atomic: near the limit, processes
 * may refuse each other. After a refusal, hits are removed if the cost was above 1; a refused single unit stays counted
 * unless it is refunded. Keys are prefixed with the policy name, so policies on one database stay separate. If a
 * counter returns no `resetTime`, a window is assumed to begin with the first hit that this process sees. If it has no
 * `get`, the window is assumed to hold the count that this process saw last.
 *
 * A policy that the counter cannot serve throws a `TypeError`: a different algorithm, a second policy on a single
 * instance, or a different window than another limiter on the same instance.
 *
 * @param counter A counter, which serves one policy; or a function that creates one per policy
 * @param options The clock
 * @returns The store
 * @throws {TypeError} If it is not a counter, does not create one, or an option is unknown
 *
 * @example Use an express-rate-limit store
 * ```ts ignore
 * import { MemoryStore } from "express-rate-limit";
 * import { fromCounter, Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ limit: 100, store: fromCounter(() => new MemoryStore()) });
 * ```
 */
export function fromCounter(
  counter: CounterLike | CallbackCounterLike | (() => CounterLike | CallbackCounterLike),
  options: CounterOptions = {},
): Store {
  checkNames("fromCounter", options, NAMES);
  checkType("fromCounter", "clock", options.clock, "function");
  if (options.init !== undefined && (typeof options.init !== "object" || options.init === null)) {
    refuseOption("fromCounter", "init", "an object", options.init);
  }
  return new CounterStore(counter, options);
}

/** The counter for a policy, once it is ready. */
interface Begun {
  readonly policy: string;
  readonly legacy: AnyCounter;
  readonly counter: Promise<PolicyCounter>;
}

class CounterStore implements Store {
  readonly capabilities: Capabilities;
  readonly #make: (() => AnyCounter) | null;
  /** The only instance, `null` if more can be created. */
  readonly #only: AnyCounter | null;
  readonly #counters = new Map<string, Begun>();
  /** The limiters' policies, by name: keys may be reset before this process has counted any. */
  readonly #policies = new Map<string, Policy>();
  readonly #clock: StoreClock;
  readonly #told: object;
  #unused: AnyCounter | null;
  #closing: Promise<void> | null = null;

  constructor(legacy: AnyCounter | (() => AnyCounter), { clock, init = {} }: CounterOptions) {
    this.#make = typeof legacy === "function" ? legacy : null;
    this.#only = typeof legacy === "function" ? null : legacy;
    const first = typeof legacy === "function" ? legacy() : legacy;
    this.#unused = first;
    assertMethods(
      `fromCounter: ${typeof legacy === "function" ? "the counter from the function" : "the counter"}`,
      first,
      [isCallbackCounter(first ?? {}) ? "incr" : "increment", "decrement", "resetKey"],
      "pass a store made for express-rate-limit, or a function that creates one",
    );
    this.#clock = new StoreClock(clock);
    this.#told = init;
    this.capabilities = {
      algorithms: new Set(["fixed-window"] as const),
      atomicBatch: "none",
      exactDeny: false,
      scope: first.localKeys === true ? "process" : "global",
      clock: "process",
    };
  }

  checkPolicy(policy: Policy): void {
    checkServed(policy);
    if (this.#only !== null) {
      for (const { name } of this.#policies.values()) if (name !== policy.name) throw servesAnother(policy);
      occupy(this.#only, policy);
    }
    this.#policies.set(policy.name, policy);
  }

  async decide(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    assertDistinct(takes);
    const counters = new Map<Policy, PolicyCounter>();
    for (const { policy } of takes) counters.set(policy, await this.#counterOf(policy));
    // the same key in two policies is also counted separately
    const apart = takes.map((take) => ({ ...take, key: counterKey(take.policy.name, take.key) }));
    return await decideByKey(
      apart,
      times,
      async ([take], wanted) => [await counters.get(take!.policy)!.decide(take!, wanted)],
      (take, stamp, amount) => counters.get(take.policy)!.give(take.key, stamp, amount),
    );
  }

  async give({ policy, key }: Take, stamp: number, amount: number): Promise<boolean> {
    return await (await this.#counterOf(policy)).give(counterKey(policy.name, key), stamp, amount);
  }

  #counterOf(policy: Policy): Promise<PolicyCounter> {
    checkServed(policy);
    const id = `${policy.windowMs}/${policy.name}`;
    let entry = this.#counters.get(id);
    if (entry === undefined) {
      const legacy = this.#next(policy);
      const counter = PolicyCounter.begin(legacy, policy, this.#told, this.#clock);
      this.#counters.set(id, entry = { policy: policy.name, legacy, counter });
    }
    return entry.counter.catch((error) => {
      // the next decision tries again; on Workers, if the initiating request has ended, only waiting callers learn of
      // it
      if (this.#counters.get(id) === entry) {
        this.#counters.delete(id);
        this.#unused = entry.legacy;
      }
      throw error;
    });
  }

  #next(policy: Policy): AnyCounter {
    const next = this.#unused ?? this.#make?.();
    if (next === undefined) throw servesAnother(policy);
    occupy(next, policy);
    this.#unused = null;
    return next;
  }

  async reset({ policy, key }: Selector): Promise<number> {
    const known = this.#policies.get(policy);
    // other processes, or an earlier run of this one, may have counted there
    if (known !== undefined) await this.#counterOf(known);
    let count = 0;
    for (const entry of this.#counters.values()) {
      if (entry.policy !== policy) continue;
      const counter = await entry.counter;
      count += key === undefined ? await counter.clear() : await counter.delete(counterKey(policy, key));
    }
    return count;
  }

  // every limiter on the store closes it, and closing a counter twice may be an error
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    if (this.#unused !== null) windows.delete(this.#unused);
    await this.#unused?.shutdown?.();
    const closing = [...this.#counters.values()].map(async ({ legacy, counter }) => {
      windows.delete(legacy);
      await (await counter).close();
    });
    // one failure must not keep the other counters open
    const failed = (await Promise.allSettled(closing)).find((closed) => closed.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

function checkServed({ name, algorithm, window, align, onDenied, block, maxDebt }: Policy): void {
  let lacking: string | null = null;
  if (algorithm !== "fixed-window") lacking = `algorithm "${algorithm}"`;
  else if (window !== undefined) lacking = "windows of the calendar";
  else if (align === "clock") lacking = 'align "clock"';
  else if (onDenied === "extend") lacking = 'onDenied "extend"';
  else if (block !== undefined) lacking = "block";
  else if (maxDebt !== undefined) lacking = "maxDebt";
  if (lacking !== null) {
    throw new TypeError(`fromCounter: a counter does not support ${lacking}, which policy "${name}" needs`);
  }
}

function occupy(counter: AnyCounter, policy: Policy): void {
  if ((windows.get(counter) ?? policy.windowMs) !== policy.windowMs) throw servesAnother(policy);
  windows.set(counter, policy.windowMs);
}

function servesAnother({ name, windowMs }: Policy): TypeError {
  return new TypeError(
    `fromCounter: the counter serves a policy or window other than "${name}" with ${windowMs} ms; give each limiter ` +
      "a counter of its own, and for several limits pass fromCounter a function that makes counters",
  );
}

function counterKey(policy: string, key: string): string {
  return `${policy}:${key}`;
}
