import type { Counters } from "../limiter/counters.ts";
import { checkInteger } from "../policy/check_policy.ts";
import { bucketsOf, type Policy } from "../policy/policy.ts";
import type { Awaitable, Capabilities, Entry, Selector, Store, Take, Verdict } from "../stores/store.ts";
import { inspectOf } from "./coalescing.ts";
import { signatureOf } from "./signature.ts";
import { TwoGenerations } from "./two_generations.ts";

/** Options of leases. */
export interface LeaseOptions {
  /** Most decisions that are taken in advance for one key. */
  max: number;
  /** Number of processes that share the store; leases get smaller as the quota runs out, so that none is left without. */
  processes?: number | undefined;
}

/** Units taken in advance for one key. */
interface Lease {
  readonly take: Take;
  readonly verdict: Verdict;
  /** Decisions left. */
  left: number;
  readonly asked: number;
  readonly until: number;
}

const MOST_KEYS = 20_000;

/**
 * Takes several units at once from the store and decides by them without asking it again.
 *
 * Units are reserved before they are used, so no more is ever admitted than the policy says; with `P` processes at most
 * `(P - 1) * max` units lie reserved elsewhere at the first refusal. A lease ends with the window (or the part of a
 * sliding window) it was taken in, for only so long is using a unit the same as having used it when it was taken.
 */
export class LeasingStore implements Store {
  readonly #store: Store;
  readonly #max: number;
  readonly #processes: number;
  readonly #clock: () => number;
  readonly #counters: Counters;
  readonly #leases = new TwoGenerations<Lease>(MOST_KEYS);
  readonly #asking = new Map<string, Promise<readonly Verdict[]>>();

  /**
   * Makes it.
   *
   * @param store The store to ask
   * @param options Size of a lease
   * @param clock A clock in ms; only differences count
   * @param counters Where decisions from leases are counted
   * @throws {RangeError} If a number is out of range
   */
  constructor(store: Store, options: LeaseOptions, clock: () => number, counters: Counters) {
    const { max, processes = 1 } = options;
    checkInteger("leases.max", max, 2, 100_000);
    checkInteger("leases.processes", processes, 1, 100_000);
    this.#store = store;
    this.#max = max;
    this.#processes = processes;
    this.#clock = clock;
    this.#counters = counters;
  }

  /** What the store behind can do. */
  get capabilities(): Capabilities {
    return this.#store.capabilities;
  }

  /** Decides a batch; see {@linkcode Store}. Only takes that come alone are leased. */
  decide(takes: readonly Take[], times = 1): Awaitable<readonly Verdict[]> {
    if (takes.length !== 1 || times !== 1 || !isLeasable(takes[0]!)) return this.#store.decide(takes, times);
    const signature = signatureOf(takes);
    const lease = this.#leases.get(signature);
    if (lease !== undefined && this.#clock() < lease.until && lease.left > 0) return [this.#use(lease)];
    const asking = this.#asking.get(signature);
    // whoever comes while a lease is being asked for waits for it, and asks again if it did not suffice
    if (asking !== undefined) return asking.then(() => this.decide(takes, times));
    return this.#ask(takes, signature, lease);
  }

  #use(lease: Lease): Verdict {
    this.#counters.leased++;
    lease.left--;
    const { cost } = lease.take;
    return {
      ...lease.verdict,
      granted: cost,
      denied: false,
      retryMs: 0,
      remaining: lease.verdict.remaining + lease.left * cost,
    };
  }

  #ask(takes: readonly Take[], signature: string, former: Lease | undefined): Promise<readonly Verdict[]> {
    const [take] = takes as [Take];
    const times = this.#size(take, former);
    const asked = this.#clock();
    const answer = (async () => {
      const [verdict] = await this.#store.decide(takes, times);
      const granted = Math.floor(verdict!.granted / take.cost);
      if (granted === 0) return [{ ...verdict!, granted: 0 }];
      const lease = { take, verdict: verdict!, left: granted, asked, until: asked + lastsFor(take.policy, verdict!) };
      const used = this.#use(lease);
      this.#counters.leased--;
      this.#leases.set(signature, lease);
      return [used];
    })();
    this.#asking.set(signature, answer);
    const done = () => this.#asking.delete(signature);
    answer.then(done, done);
    return answer;
  }

  // the first time little is asked for, then in proportion to what is left for everybody
  #size(take: Take, former: Lease | undefined): number {
    if (former === undefined) {
      return Math.min(this.#max, Math.max(1, Math.floor(take.policy.limit / take.cost / (4 * this.#processes))));
    }
    const share = Math.floor(former.verdict.remaining / take.cost / (4 * this.#processes));
    const fresh = this.#clock() >= former.until ? this.#max : share;
    return Math.max(1, Math.min(this.#max, fresh));
  }

  /** Gives units back; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean> {
    return this.#store.give(take, stamp, amount);
  }

  /** Forgets keys, and what was taken for them in advance; see {@linkcode Store}. */
  reset(selector: Selector): Awaitable<number> {
    this.#leases.clear();
    return this.#store.reset(selector);
  }

  /** Lists keys in use; see {@linkcode Store}. */
  inspect(policy: Policy): AsyncIterable<Entry> {
    return inspectOf(this.#store, policy);
  }

  /** Returns what was taken in advance and not used. */
  async close(): Promise<void> {
    const now = this.#clock();
    const open = [...this.#leases.entries()].map(([, lease]) => lease).filter(({ left, until }) =>
      left > 0 && now < until
    );
    this.#leases.clear();
    await Promise.all(open.map(({ take, verdict, left }) => this.#store.give(take, verdict.stamp, left * take.cost)));
  }
}

/** Whether using a unit later in its window is the same as having used it when it was taken. */
export function isLeasable({ policy, cost, shadow }: Take): boolean {
  const { algorithm, onDenied = "free", block } = policy;
  const windowed = algorithm === "fixed-window" || algorithm === "sliding-window";
  return windowed && cost > 0 && !shadow && onDenied === "free" && block === undefined;
}

// the store decided after it was asked, so the window ends no sooner than this after asking
function lastsFor(policy: Policy, { resetMs }: Verdict): number {
  if (policy.algorithm === "fixed-window") return resetMs;
  const buckets = bucketsOf(policy);
  return resetMs - buckets * Math.ceil(policy.windowMs / buckets);
}
