import { isThenable } from "@sluice/shared";
import type { Counters } from "./counters.ts";
import { capacityOf, holdsSlots, type Policy } from "../policy/policy.ts";
import { MemoryStore } from "../stores/memory_store.ts";
import type { Awaitable, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { CircuitBreaker } from "./circuit_breaker.ts";
import { Deadline } from "./deadline.ts";
import type { VerdictCache } from "./verdict_cache.ts";
import { shareOf } from "./share_of.ts";
import type { Timers } from "./timers.ts";

/** What to do while the store fails. */
export type OnStoreFailure = "local" | "open" | "closed";

/** How to handle store failures. */
export interface FailureOptions {
  /** What to do instead: decide in this process, admit every request, or refuse every request. */
  readonly onStoreFailure: OnStoreFailure;
  /** Timeout for a store decision in ms. */
  readonly timeoutMs: number;
  /** Number of processes that share the store; local decisions grant a share of the limit. */
  readonly processes: number;
  /** Maximum keys in the local limiter. */
  readonly maxKeys: number;
  /** Current time in ms for the local limiter; for tests. */
  readonly clock?: (() => number) | undefined;
  /** Monotonic time in ms. */
  readonly elapsed: () => number;
  /** Timers: the platform's, or a test's. */
  readonly timers: Timers;
  /** Called with every failure. */
  readonly failed: (error: unknown) => void;
  /** Called when units are back in the store that no caller waited for: of a late grant, or after the timeout. */
  readonly returned: (take: Take) => void;
}

/** Timeout in ms for resetting one key: no response waits for it, and the store may have to connect first. */
const FORGETTING_MS = 10_000;

/** ms after its timeout at which a decision and its request count as lost. */
const LOST_MS = 1000;

/** Retry time in ms if it is unknown: the breaker calls the store again after about a second. */
const UNKNOWN_MS = 1000;

const NO_OTHERS: readonly (readonly Take[])[] = [];

/** Where a decision came from. */
export type DecidedBy = "store" | OnStoreFailure;

/** The verdicts on a batch, and where they came from. */
export interface Decided {
  /** The verdicts. */
  readonly verdicts: readonly Verdict[];
  /** Where they came from. */
  readonly by: DecidedBy;
}

/**
 * Guarantees timely decisions whatever the store does, with a timeout and a fallback.
 *
 * After repeated failures, the store is not called for a while (circuit breaker). A decision that arrives too late is
 * undone if its request has already been refused. Nothing is retried.
 */
export class FailurePolicy {
  readonly #store: Store & Partial<VerdictCache>;
  readonly #local: MemoryStore;
  readonly #options: FailureOptions;
  readonly #breaker: CircuitBreaker;
  readonly #deadline: Deadline;
  readonly #forgetting: Deadline;
  readonly #counters: Counters;
  readonly #shares = new WeakMap<Policy, Policy>();
  /** Late grants for requests that had already passed; refunded together with the fallback's units. */
  readonly #late = new WeakMap<Take, Verdict>();
  /** Takes that were refunded before the store replied. */
  readonly #ended = new WeakSet<Take>();

  /**
   * Creates an instance.
   *
   * @param store The underlying store
   * @param options What to do when it fails
   * @param counters Counts failures
   */
  constructor(store: Store & Partial<VerdictCache>, options: FailureOptions, counters: Counters) {
    this.#store = store;
    this.#options = options;
    this.#counters = counters;
    this.#local = new MemoryStore({ maxKeys: options.maxKeys, clock: options.clock });
    const patienceMs = options.timers.endWithRequest ? options.timeoutMs + LOST_MS : Infinity;
    this.#breaker = new CircuitBreaker(options.elapsed, () => counters.breakerOpened++, patienceMs);
    this.#deadline = new Deadline(options.timeoutMs, options.timers);
    this.#forgetting = new Deadline(FORGETTING_MS, options.timers);
  }

  /** Whether the circuit breaker is open. */
  get breakerIsOpen(): boolean {
    return this.#breaker.isOpen;
  }

  /**
   * Decides a batch within the timeout. Never rejects.
   *
   * @param takes The batch
   * @param others Equal batches that are decided with it; the verdicts are combined
   */
  decide(takes: readonly Take[], others: readonly (readonly Take[])[] = NO_OTHERS): Awaitable<Decided> {
    if (this.#breaker.isOpen) {
      const known = this.#store.known?.(takes) ?? null;
      if (known !== null) return { verdicts: known, by: "store" };
      if (!this.#breaker.mayAsk()) return this.#instead(takes, others);
    }
    const told = this.#toldFromMemory;
    let asked: Awaitable<readonly Verdict[]>;
    try {
      asked = this.#store.decide(takes, 1 + others.length);
    } catch (error) {
      return this.#fail(takes, others, error);
    }
    if ("then" in asked) return this.#inTime(takes, others, asked);
    // a reply from memory says nothing about the store's health
    if (told === this.#toldFromMemory) this.#breaker.succeeded();
    return { verdicts: asked, by: "store" };
  }

  get #toldFromMemory(): number {
    return this.#counters.denyCacheHits + this.#counters.leased;
  }

  #inTime(
    takes: readonly Take[],
    others: readonly (readonly Take[])[],
    asked: PromiseLike<readonly Verdict[]>,
  ): Promise<Decided> {
    return new Promise((resolve) => {
      let late: Decided | null = null;
      const cancel = this.#deadline.after(() => {
        late = this.#fail(takes, others, new Error(`the store did not decide within ${this.#options.timeoutMs} ms`));
        resolve(late);
      });
      asked.then((verdicts) => {
        if (late !== null) return this.#settleLate(takes, others, verdicts, late.verdicts);
        cancel();
        this.#breaker.succeeded();
        resolve({ verdicts, by: "store" });
      }, (error) => {
        if (late !== null) return;
        cancel();
        resolve(this.#fail(takes, others, error));
      });
    });
  }

  #fail(takes: readonly Take[], others: readonly (readonly Take[])[], error: unknown): Decided {
    this.#noteFailure(error);
    // a cached refusal that was about to be checked
    const known = this.#store.known?.(takes) ?? null;
    return known === null ? this.#instead(takes, others) : { verdicts: known, by: "store" };
  }

  #noteFailure(error: unknown): void {
    this.#counters.storeFailures++;
    this.#breaker.failed();
    this.#options.failed(error);
  }

  #instead(takes: readonly Take[], others: readonly (readonly Take[])[]): Decided {
    const { onStoreFailure } = this.#options;
    const times = 1 + others.length;
    if (onStoreFailure === "local") {
      this.#counters.decidedLocally++;
      const verdicts = this.#local.decide(takes.map((take) => this.#shareOf(take)), times);
      return { verdicts: verdicts.map((verdict, i) => untilStoreIsBack(takes[i]!, verdict)), by: "local" };
    }
    if (onStoreFailure === "open") this.#counters.failedOpen += times;
    else this.#counters.failedClosed++;
    return { verdicts: takes.map((take) => unasked(take, onStoreFailure === "open" ? times : 0)), by: onStoreFailure };
  }

  // each process grants its share of the limit, so that together they do not exceed it
  #shareOf(take: Take): Take {
    const { processes } = this.#options;
    if (processes === 1) return take;
    let share = this.#shares.get(take.policy);
    if (share === undefined) {
      const { limit, burst, maxDebt } = take.policy;
      share = {
        ...take.policy,
        // a burst that is too small to share grants nothing
        limit: burst !== undefined && burst < processes ? 0 : Math.floor(limit / processes),
        ...(burst === undefined ? {} : { burst: Math.max(1, Math.floor(burst / processes)) }),
        ...(maxDebt === undefined ? {} : { maxDebt: Math.floor(maxDebt / processes) }),
      };
      this.#shares.set(take.policy, share);
    }
    return { ...take, policy: share };
  }

  #settleLate(
    takes: readonly Take[],
    others: readonly (readonly Take[])[],
    verdicts: readonly Verdict[],
    late: readonly Verdict[],
  ): void {
    if (others.length === 0) return this.#settleOne(takes, verdicts, late);
    [takes, ...others].forEach((batch, turn) => {
      this.#settleOne(batch, shareOf(batch, verdicts, turn), shareOf(batch, late, turn));
    });
  }

  // returns units to the store that the request did not get, or has refunded; if it passed, they stay counted until
  // then
  #settleOne(takes: readonly Take[], verdicts: readonly Verdict[], late: readonly Verdict[]): void {
    const hasPassed = late.every(({ denied, granted }, i) => takes[i]!.shadow || !denied && granted >= takes[i]!.cost);
    for (const [i, verdict] of verdicts.entries()) {
      const take = takes[i]!;
      if (verdict.granted === 0) continue;
      // a shadow limit may have refused a request that passed
      if (hasPassed && late[i]!.granted > 0 && !this.#ended.has(take)) this.#late.set(take, verdict);
      // the store has just replied, so it is called even if the breaker is open
      else void this.#returnLate(take, verdict);
    }
  }

  async #returnLate(take: Take, { stamp, granted }: Verdict): Promise<void> {
    if (await this.#giveToStore(take, stamp, granted)) this.#options.returned(take);
  }

  /**
   * Refunds units where they were granted, within the timeout. Never rejects.
   *
   * @returns Whether anything changed
   */
  async give(take: Take, stamp: number, amount: number, by: DecidedBy): Promise<boolean> {
    if (by === "store") {
      // an unreleased lease is held for its whole window, so this is tried even if the breaker is open
      const mayAsk = holdsSlots(take.policy) || this.#breaker.mayAsk();
      return mayAsk && await this.#giveToStore(take, stamp, amount);
    }
    const given = by === "local" && this.#local.give(this.#shareOf(take), stamp, amount);
    const late = this.#late.get(take);
    if (late === undefined) this.#ended.add(take);
    else void this.#returnLate(take, late);
    return given;
  }

  /**
   * Changes the counted units of a take where they were granted, within the timeout. Never rejects.
   *
   * @returns The state afterwards; `null` if the store could not be reached
   */
  async settle(take: Take, stamp: number, change: number, by: DecidedBy): Promise<Verdict | null> {
    if (by === "store") return this.#breaker.mayAsk() ? await this.#settleInStore(take, stamp, change) : null;
    // a late grant stays counted in the store, and so does the request's actual cost
    const late = this.#late.get(take);
    if (late !== undefined) void this.#settleLateCost(take, late.stamp, change);
    return by === "local" ? this.#local.settle(this.#shareOf(take), stamp, change) : null;
  }

  async #settleLateCost(take: Take, stamp: number, change: number): Promise<void> {
    const state = await this.#settleInStore(take, stamp, change);
    if (state !== null && state.granted < 0) this.#options.returned(take);
  }

  async #settleInStore(take: Take, stamp: number, change: number): Promise<Verdict | null> {
    try {
      const late = `the store did not settle within ${this.#options.timeoutMs} ms`;
      const state = await within(this.#deadline, this.#store.settle!(take, stamp, change), late, ({ granted }) => {
        if (granted < 0) this.#options.returned(take);
      });
      this.#breaker.succeeded();
      return state;
    } catch (error) {
      this.#noteFailure(error);
      return null;
    }
  }

  async #giveToStore(take: Take, stamp: number, amount: number): Promise<boolean> {
    try {
      const late = `the store did not take units back within ${this.#options.timeoutMs} ms`;
      const given = await within(this.#deadline, this.#store.give(take, stamp, amount), late, (isGiven) => {
        if (isGiven) this.#options.returned(take);
      });
      this.#breaker.succeeded();
      return given;
    } catch (error) {
      this.#noteFailure(error);
      return false;
    }
  }

  /**
   * Forgets keys, also locally; see {@linkcode Store}. Rejects if the store fails, or does not forget a single key in
   * time. There is no timeout for all keys, because their number is unknown.
   */
  async reset(selector: Selector): Promise<number> {
    const local = this.#local.reset(selector);
    const asked = this.#store.reset(selector);
    const late = `the store did not forget the key within ${FORGETTING_MS} ms`;
    return Math.max(local, await (selector.key === undefined ? asked : within(this.#forgetting, asked, late)));
  }
}

// `arrived` gets a reply that comes after the deadline
function within<T>(
  deadline: Deadline,
  asked: Awaitable<T>,
  late: string,
  arrived: (reply: T) => void = () => {},
): Awaitable<T> {
  if (!isThenable(asked)) return asked;
  return new Promise((resolve, reject) => {
    let isLate = false;
    const cancel = deadline.after(() => {
      isLate = true;
      reject(new Error(late));
    });
    asked.then((reply) => isLate ? arrived(reply) : resolve(reply), reject).then(cancel);
  });
}

// what a process's share never grants may still be within the limit
function untilStoreIsBack({ policy, cost }: Take, verdict: Verdict): Verdict {
  const capacity = capacityOf(policy);
  const retryAfterMs = verdict.retryAfterMs === Infinity && cost <= capacity ? UNKNOWN_MS : verdict.retryAfterMs;
  const nextMs = verdict.limit === 0 && capacity > 0 ? UNKNOWN_MS : verdict.nextMs;
  return { ...verdict, retryAfterMs, nextMs };
}

function unasked({ policy, cost }: Take, times: number): Verdict {
  const limit = capacityOf(policy);
  const admit = times > 0;
  return {
    granted: cost * times,
    denied: !admit && cost > 0,
    limit,
    remaining: admit ? limit : 0,
    retryAfterMs: admit ? 0 : UNKNOWN_MS,
    nextMs: admit ? 0 : UNKNOWN_MS,
    resetMs: admit ? 0 : UNKNOWN_MS,
    blocked: false,
    stamp: 0,
  };
}
