import type { Counters } from "./counters.ts";
import type { Policy } from "../policy/policy.ts";
import { capacityOf } from "../policy/policy.ts";
import { MemoryStore } from "../stores/memory_store.ts";
import type { Awaitable, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { CircuitBreaker } from "./circuit_breaker.ts";
import { Deadline } from "./deadline.ts";
import type { Remembering } from "./remembering.ts";
import type { Timers } from "./timers.ts";

/** What decides while the store does not. */
export type OnStoreFailure = "local" | "open" | "closed";

/** How failures of the store are met. */
export interface FailureOptions {
  /** Who decides instead: a limiter in this process, nobody (all are admitted), or nobody (all are refused). */
  readonly onStoreFailure: OnStoreFailure;
  /** Time a decision of the store may take, in ms. */
  readonly timeoutMs: number;
  /** Processes that share the store: locally each of them grants its share of the limit. */
  readonly processes: number;
  /** Keys the local limiter keeps. */
  readonly maxKeys: number;
  /** The present time in ms. */
  readonly clock: () => number;
  /** A time in ms that is never set. */
  readonly elapsed: () => number;
  /** Timers; those of the platform, or a test's. */
  readonly timers: Timers;
  /** Told of every failure. */
  readonly failed: (error: unknown) => void;
}

/** How long the end of a key may take, in ms: nobody's answer waits for it, and the store may have to connect first. */
const FORGETTING_MS = 10_000;

/** How long after its time budget a decision is taken for one that is gone with its request, in ms. */
const LOST_MS = 1000;

/** How long to wait, in ms, where nobody knows: the breaker asks the store again after about a second. */
const UNKNOWN_MS = 1000;

/** Who made a decision. */
export type DecidedBy = "store" | OnStoreFailure;

/** The verdicts of a batch, with the one who gave them where it was not the store. */
export interface Decided {
  /** The verdicts. */
  readonly verdicts: readonly Verdict[];
  /** Who gave them. */
  readonly by: DecidedBy;
}

/**
 * Answers in time whatever the store does: it is given a time budget, and when it fails somebody else decides.
 *
 * After repeated failures the store is left alone for a while (circuit breaker). A decision that arrives too late is
 * undone if its request was refused meanwhile; nothing is asked a second time.
 */
export class FailurePolicy {
  readonly #store: Store & Partial<Remembering>;
  readonly #local: MemoryStore;
  readonly #options: FailureOptions;
  readonly #breaker: CircuitBreaker;
  readonly #deadline: Deadline;
  readonly #forgetting: Deadline;
  readonly #counters: Counters;
  readonly #shares = new WeakMap<Policy, Policy>();
  /** What the store granted too late, to requests that had passed: they give it back with what they got in its place. */
  readonly #late = new WeakMap<Take, Verdict>();
  /** Takes that were given back before the store answered. */
  readonly #ended = new WeakSet<Take>();

  /**
   * Makes it.
   *
   * @param store The store to ask
   * @param options What to do when it fails
   * @param counters Where failures are counted
   */
  constructor(store: Store & Partial<Remembering>, options: FailureOptions, counters: Counters) {
    this.#store = store;
    this.#options = options;
    this.#counters = counters;
    this.#local = new MemoryStore({ maxKeys: options.maxKeys, clock: options.clock });
    const patienceMs = options.timers.endWithRequest ? options.timeoutMs + LOST_MS : Infinity;
    this.#breaker = new CircuitBreaker(options.elapsed, () => counters.breakerOpened++, patienceMs);
    this.#deadline = new Deadline(options.timeoutMs, options.timers);
    this.#forgetting = new Deadline(FORGETTING_MS, options.timers);
  }

  /** Whether the store is being left alone at the moment. */
  get breakerIsOpen(): boolean {
    return this.#breaker.isOpen;
  }

  /** Decides a batch, at the latest when the time budget is used up. Never rejects. */
  decide(takes: readonly Take[]): Awaitable<Decided> {
    if (this.#breaker.isOpen) {
      const known = this.#store.known?.(takes) ?? null;
      if (known !== null) return { verdicts: known, by: "store" };
      if (!this.#breaker.mayAsk()) return this.#instead(takes);
    }
    const told = this.#toldFromMemory;
    let asked: Awaitable<readonly Verdict[]>;
    try {
      asked = this.#store.decide(takes);
    } catch (error) {
      return this.#fail(takes, error);
    }
    if ("then" in asked) return this.#inTime(takes, asked);
    // an answer from memory says nothing about the store
    if (told === this.#toldFromMemory) this.#breaker.succeeded();
    return { verdicts: asked, by: "store" };
  }

  get #toldFromMemory(): number {
    return this.#counters.denyCacheHits + this.#counters.leased;
  }

  #inTime(takes: readonly Take[], asked: PromiseLike<readonly Verdict[]>): Promise<Decided> {
    return new Promise((resolve) => {
      let late: Decided | null = null;
      const cancel = this.#deadline.after(() => {
        late = this.#fail(takes, new Error(`the store did not decide within ${this.#options.timeoutMs} ms`));
        resolve(late);
      });
      asked.then((verdicts) => {
        if (late !== null) return this.#settleLate(takes, verdicts, late);
        cancel();
        this.#breaker.succeeded();
        resolve({ verdicts, by: "store" });
      }, (error) => {
        if (late !== null) return;
        cancel();
        resolve(this.#fail(takes, error));
      });
    });
  }

  #fail(takes: readonly Take[], error: unknown): Decided {
    this.#noteFailure(error);
    // a refusal that was to be asked about once more
    const known = this.#store.known?.(takes) ?? null;
    return known === null ? this.#instead(takes) : { verdicts: known, by: "store" };
  }

  #noteFailure(error: unknown): void {
    this.#counters.storeFailures++;
    this.#breaker.failed();
    this.#options.failed(error);
  }

  #instead(takes: readonly Take[]): Decided {
    const { onStoreFailure } = this.#options;
    if (onStoreFailure === "local") {
      this.#counters.decidedLocally++;
      const verdicts = this.#local.decide(takes.map((take) => this.#shareOf(take)));
      return { verdicts: verdicts.map((verdict, i) => untilStoreIsBack(takes[i]!, verdict)), by: "local" };
    }
    if (onStoreFailure === "open") this.#counters.failedOpen++;
    else this.#counters.failedClosed++;
    return { verdicts: takes.map((take) => unasked(take, onStoreFailure === "open")), by: onStoreFailure };
  }

  // each process grants its part of the limit, so that all of them together keep to it
  #shareOf(take: Take): Take {
    const { processes } = this.#options;
    if (processes === 1) return take;
    let share = this.#shares.get(take.policy);
    if (share === undefined) {
      const { limit, burst } = take.policy;
      share = {
        ...take.policy,
        limit: Math.floor(limit / processes),
        ...(burst === undefined ? {} : { burst: Math.max(1, Math.floor(burst / processes)) }),
      };
      this.#shares.set(take.policy, share);
    }
    return { ...take, policy: share };
  }

  // what the request did not get, or has given back, goes back to the store; one that passed stays counted until then
  #settleLate(takes: readonly Take[], verdicts: readonly Verdict[], late: Decided): void {
    const hasPassed = late.verdicts.every(({ denied }, i) => !denied || takes[i]!.shadow);
    for (const [i, verdict] of verdicts.entries()) {
      const take = takes[i]!;
      if (verdict.granted === 0) continue;
      if (hasPassed && !this.#ended.has(take)) this.#late.set(take, verdict);
      // it has just answered, so it may be told although it is being left alone
      else void this.#giveToStore(take, verdict.stamp, verdict.granted);
    }
  }

  /**
   * Gives units back to whoever granted them, at the latest when the time budget is used up. Never rejects; tells
   * whether anything changed.
   */
  async give(take: Take, stamp: number, amount: number, by: DecidedBy): Promise<boolean> {
    if (by === "store") {
      // a lease that nobody ends is held for all of its window, so that is tried although the store is being left alone
      const mayAsk = take.policy.algorithm === "concurrency" || this.#breaker.mayAsk();
      return mayAsk && await this.#giveToStore(take, stamp, amount);
    }
    const given = by === "local" && this.#local.give(this.#shareOf(take), stamp, amount);
    const late = this.#late.get(take);
    if (late === undefined) this.#ended.add(take);
    else void this.#giveToStore(take, late.stamp, late.granted);
    return given;
  }

  async #giveToStore(take: Take, stamp: number, amount: number): Promise<boolean> {
    try {
      const late = `the store did not take units back within ${this.#options.timeoutMs} ms`;
      const given = await within(this.#deadline, this.#store.give(take, stamp, amount), late);
      this.#breaker.succeeded();
      return given;
    } catch (error) {
      this.#noteFailure(error);
      return false;
    }
  }

  /**
   * Forgets keys, also locally; see {@linkcode Store}. Rejects when the store can't, or does not forget a key in time;
   * how many keys there are to forget, and so how long all of them take, nobody knows.
   */
  async reset(selector: Selector): Promise<number> {
    const local = this.#local.reset(selector);
    const asked = this.#store.reset(selector);
    const late = `the store did not forget the key within ${FORGETTING_MS} ms`;
    return Math.max(local, await (selector.key === undefined ? asked : within(this.#forgetting, asked, late)));
  }
}

function within<T extends boolean | number>(deadline: Deadline, asked: Awaitable<T>, late: string): Awaitable<T> {
  if (typeof asked !== "object") return asked;
  return new Promise((resolve, reject) => {
    const cancel = deadline.after(() => reject(new Error(late)));
    asked.then(resolve, reject).then(cancel);
  });
}

// what is above the share of a process may fit into the limit
function untilStoreIsBack({ policy, cost }: Take, verdict: Verdict): Verdict {
  return verdict.retryMs === Infinity && cost <= capacityOf(policy) ? { ...verdict, retryMs: UNKNOWN_MS } : verdict;
}

function unasked({ policy, cost }: Take, admit: boolean): Verdict {
  const limit = capacityOf(policy);
  return {
    granted: admit ? cost : 0,
    denied: !admit && cost > 0,
    limit,
    remaining: admit ? limit : 0,
    retryMs: admit ? 0 : UNKNOWN_MS,
    nextMs: admit ? 0 : UNKNOWN_MS,
    resetMs: admit ? 0 : UNKNOWN_MS,
    blocked: false,
    stamp: 0,
  };
}
