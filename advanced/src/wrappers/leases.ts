import type { Counters } from "./counters.ts";
import { bucketsOf, type Policy, refusesFreely } from "../policy/policy.ts";
import type { Awaitable, Capabilities, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { aged, type Remembering } from "./remembering.ts";
import { signatureOf } from "./signature.ts";

/** Options of leases. */
export interface LeaseOptions {
  /** Most decisions that are taken in advance for one key. */
  max: number;
  /** Number of processes that share the store; leases get smaller as the quota runs out, so that none is left without. */
  processes: number;
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

/** A lease that is being asked for. */
interface Asking {
  readonly take: Take;
  readonly answer: Promise<readonly Verdict[]>;
  readonly asked: number;
  /** Callers who wait for it. */
  waiting: number;
}

/** Leases that are kept. */
const MOST_KEYS = 20_000;

/** An answer that takes longer than this, in ms, may never come: whoever asks then asks the store again. */
const PATIENCE_MS = 1000;

/**
 * Takes several units at once from the store and decides by them without asking it again.
 *
 * Units are reserved before they are used, so no more is ever admitted than the policy says; with `P` processes at most
 * `(P - 1) * max` units lie reserved elsewhere at the first refusal. A lease ends with the window (or the part of a
 * sliding window) it was taken in, for only so long is using a unit the same as having used it when it was taken.
 */
export class LeasingStore implements Store, Remembering {
  readonly #store: Store & Partial<Remembering>;
  readonly #options: LeaseOptions;
  readonly #clock: () => number;
  readonly #counters: Counters;
  readonly #leases = new Map<string, Lease>();
  readonly #asking = new Map<string, Asking>();

  /**
   * Makes it.
   *
   * @param store The store to ask
   * @param options Size of a lease
   * @param clock A clock in ms; only differences count
   * @param counters Where decisions from leases are counted
   */
  constructor(store: Store & Partial<Remembering>, options: LeaseOptions, clock: () => number, counters: Counters) {
    this.#store = store;
    this.#options = options;
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
    return this.#decide(takes, signatureOf(takes), 1);
  }

  #decide(takes: readonly Take[], signature: string, wanted: number): Awaitable<readonly Verdict[]> {
    const now = this.#clock();
    const leased = this.#leased(signature, now);
    if (leased !== null) return leased;
    const asking = this.#asking.get(signature);
    if (asking === undefined || now - asking.asked > PATIENCE_MS) return this.#ask(takes, signature, wanted);
    // whoever comes while a lease is being asked for waits for it, and asks for all who wait if it did not suffice
    asking.waiting++;
    return asking.answer.then(([verdict]) => {
      const wanted = asking.waiting--;
      const later = this.#clock() - asking.asked;
      // a refusal that came meanwhile is for all of them
      if (verdict!.denied && later < verdict!.retryMs - 1) return [aged(verdict!, later)];
      return this.#decide(takes, signature, wanted);
    });
  }

  /** Decides from a lease, or by what the store behind remembers. */
  known(takes: readonly Take[]): readonly Verdict[] | null {
    const isOwn = takes.length === 1 && isLeasable(takes[0]!);
    return (isOwn ? this.#leased(signatureOf(takes), this.#clock()) : null) ?? this.#store.known?.(takes) ?? null;
  }

  #leased(signature: string, now: number): readonly Verdict[] | null {
    const lease = this.#leases.get(signature);
    return lease !== undefined && lease.left > 0 && now < lease.until ? [this.#use(lease, now)] : null;
  }

  #use(lease: Lease, now: number): Verdict {
    this.#counters.leased++;
    lease.left--;
    const { cost } = lease.take;
    return {
      ...aged(lease.verdict, now - lease.asked),
      granted: cost,
      denied: false,
      retryMs: 0,
      remaining: lease.verdict.remaining + lease.left * cost,
    };
  }

  #ask(takes: readonly Take[], signature: string, wanted: number): Promise<readonly Verdict[]> {
    const [take] = takes as [Take];
    const asked = this.#clock();
    const former = this.#leases.get(signature);
    // what is left of a part of a sliding window goes on counting when that is over
    if (former !== undefined) giveBack(former, this.#store).catch(() => {});
    const times = Math.max(wanted, this.#size(take, former, asked));
    let asking: Asking | undefined;
    const answer = (async () => {
      const [verdict] = await this.#store.decide(takes, times);
      const granted = Math.floor(verdict!.granted / take.cost);
      if (granted === 0) return [{ ...verdict!, granted: 0 }];
      // the store decided after it was asked, in a ms of its own clock that had begun before
      const until = asked + lastsFor(take.policy, verdict!) - 1;
      const lease = { take, verdict: verdict!, left: granted, asked, until };
      const used = this.#use(lease, asked);
      this.#counters.leased--;
      // not when its key was forgotten meanwhile
      if (this.#asking.get(signature) === asking) this.#leases.set(signature, lease);
      for (const [oldest, lease] of this.#leases) {
        if (this.#leases.size <= MOST_KEYS) break;
        this.#leases.delete(oldest);
        giveBack(lease, this.#store).catch(() => {});
      }
      return [used];
    })();
    this.#asking.set(signature, asking = { take, answer, asked, waiting: 0 });
    const done = () => this.#asking.get(signature) === asking && this.#asking.delete(signature);
    answer.then(done, done);
    return answer;
  }

  // in proportion to what is left for everybody, as far as that is known
  #size({ policy, cost }: Take, former: Lease | undefined, now: number): number {
    const left = former === undefined || now >= former.until ? policy.limit : former.verdict.remaining;
    const { max, processes } = this.#options;
    return Math.max(1, Math.min(max, Math.floor(left / cost / (4 * processes))));
  }

  /** Gives units back; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean> {
    return this.#store.give(take, stamp, amount);
  }

  /** Forgets keys, and what was taken for them in advance; see {@linkcode Store}. */
  async reset(selector: Selector): Promise<number> {
    const count = await this.#store.reset(selector);
    // only now: what was asked for meanwhile may have been granted before the store forgot
    for (const known of [this.#leases, this.#asking]) {
      for (const [signature, { take }] of known) {
        if ((selector.key ?? take.key) === take.key) known.delete(signature);
      }
    }
    return count;
  }

  /**
   * Returns what was taken in advance and not used.
   *
   * @param give Gives units back, in time
   */
  async giveAllBack(give: Store["give"]): Promise<void> {
    const leases = [...this.#leases.values()];
    this.#leases.clear();
    await Promise.all(leases.map((lease) => giveBack(lease, { give })));
  }
}

async function giveBack(lease: Lease, store: Pick<Store, "give">): Promise<void> {
  const { take, verdict, left } = lease;
  lease.left = 0;
  if (left > 0) await store.give(take, verdict.stamp, left * take.cost);
}

// using a unit later in its window must be the same as having used it when it was taken
function isLeasable({ policy, cost, shadow }: Take): boolean {
  const windowed = policy.algorithm === "fixed-window" || policy.algorithm === "sliding-window";
  return windowed && cost > 0 && !shadow && refusesFreely(policy);
}

// how long the window, or the part of it, goes on
function lastsFor(policy: Policy, { resetMs }: Verdict): number {
  if (policy.algorithm === "fixed-window") return resetMs;
  const buckets = bucketsOf(policy);
  return resetMs - buckets * Math.ceil(policy.windowMs / buckets);
}
