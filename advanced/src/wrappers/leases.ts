import { detachedString, isThenable } from "@sluice/shared";
import type { Counters } from "./counters.ts";
import { type AlgorithmName, bucketsOf, type Policy, refusesFreely } from "../policy/policy.ts";
import type { Awaitable, Capabilities, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { aged, type VerdictCache } from "./verdict_cache.ts";
import { signatureOf } from "./signature.ts";

export interface LeaseOptions {
  /** Maximum decisions reserved in advance for one key. */
  max: number;
  /** Number of processes that share the store; leases shrink as the quota runs out, so that every process gets some. */
  processes: number;
}

/** Units for one key. */
interface Reserved {
  readonly take: Take;
  /** Whether the key has since been reset. */
  isReset?: boolean;
}

/** Units reserved in advance for one key. */
interface Lease extends Reserved {
  readonly verdict: Verdict;
  /** Decisions left. */
  left: number;
  readonly asked: number;
  readonly until: number;
}

/** A lease that is being requested. */
interface Asking extends Reserved {
  readonly reply: Promise<readonly Verdict[]>;
  readonly asked: number;
  /** Number of callers waiting for it. */
  waiting: number;
  /** Whether units came back after it was sent. */
  isOutdated: boolean;
}

const MOST_KEYS = 20_000;

/** Algorithms where using a unit later in its window is equivalent to using it when it was reserved. */
export const LEASABLE: readonly AlgorithmName[] = ["fixed-window", "sliding-window"];

/** Time before a reply counts as lost and the next caller sends another request, in ms. */
const PATIENCE_MS = 1000;

/**
 * Reserves several units from the store at once, and decides with them locally.
 *
 * Units are reserved before they are used, so the policy is never exceeded. With `P` processes at most `(P - 1) * max`
 * units are reserved elsewhere at the first refusal. A lease ends with the window, or the sliding window's bucket, in
 * which it was made: only until then is using a unit equivalent to having used it when it was reserved.
 */
export class LeasingStore implements Store, VerdictCache {
  readonly #store: Store & Partial<VerdictCache>;
  readonly #options: LeaseOptions;
  readonly #clock: () => number;
  readonly #counters: Counters;
  readonly #leases = new Map<string, Lease>();
  readonly #asking = new Map<string, Asking>();

  /**
   * Creates an instance.
   *
   * @param store The underlying store
   * @param options Lease size
   * @param clock A clock in ms; only differences matter
   * @param counters Counts decisions from leases
   */
  constructor(store: Store & Partial<VerdictCache>, options: LeaseOptions, clock: () => number, counters: Counters) {
    this.#store = store;
    this.#options = options;
    this.#clock = clock;
    this.#counters = counters;
  }

  /** The underlying store's capabilities. */
  get capabilities(): Capabilities {
    return this.#store.capabilities;
  }

  /** Decides a batch; see {@linkcode Store}. Only single takes are leased. */
  decide(takes: readonly Take[], times = 1): Awaitable<readonly Verdict[]> {
    if (takes.length === 1 && takes[0]!.cost === 0) return this.#look(takes[0]!, times);
    if (takes.length !== 1 || times !== 1 || !isLeasable(takes[0]!)) return this.#store.decide(takes, times);
    return this.#decide(takes, signatureOf(takes), 1);
  }

  // this process can also use the units that it has reserved, or that it would give back first
  async #look(take: Take, times: number): Promise<readonly Verdict[]> {
    const former = this.#leases.get(singleSignature(take));
    if (former !== undefined && this.#clock() >= former.until) this.#discard(former);
    const [verdict] = await this.#store.decide([take], times);
    const left = this.#live(singleSignature(take), this.#clock())?.left ?? 0;
    // another process may have reset the key
    const remaining = Math.min(verdict!.limit, verdict!.remaining + left);
    return [left === 0 ? verdict! : { ...verdict!, remaining }];
  }

  #live(signature: string, now: number): Lease | undefined {
    const lease = this.#leases.get(signature);
    return lease !== undefined && lease.left > 0 && now < lease.until ? lease : undefined;
  }

  #decide(takes: readonly Take[], signature: string, wanted: number): Awaitable<readonly Verdict[]> {
    const now = this.#clock();
    const leased = this.#leased(signature, now);
    if (leased !== null) return leased;
    const asking = this.#asking.get(signature);
    if (asking === undefined || now - asking.asked > PATIENCE_MS) return this.#ask(takes, signature, wanted);
    // more callers wait for the same lease; if it is too small, the next request is for all waiting callers
    asking.waiting++;
    return asking.reply.then(([verdict]) => {
      const wanted = asking.waiting--;
      const later = this.#clock() - asking.asked;
      // a refusal applies to all of them, unless some of them were woken by units that came back
      const isRefused = verdict!.denied && later < verdict!.retryAfterMs - 1;
      if (isRefused && !asking.isOutdated) return [aged(verdict!, later)];
      return this.#decide(takes, signature, wanted);
    });
  }

  /** Decides from a lease, or from the inner store's cache. */
  known(takes: readonly Take[]): readonly Verdict[] | null {
    const isOwn = takes.length === 1 && isLeasable(takes[0]!);
    return (isOwn ? this.#leased(signatureOf(takes), this.#clock()) : this.#seen(takes)) ??
      this.#store.known?.(takes) ?? null;
  }

  #leased(signature: string, now: number): readonly Verdict[] | null {
    const lease = this.#live(signature, now);
    return lease === undefined ? null : [this.#use(lease, now)];
  }

  #seen([take, ...others]: readonly Take[]): readonly Verdict[] | null {
    if (others.length > 0 || take!.cost !== 0) return null;
    const now = this.#clock();
    const lease = this.#live(singleSignature(take!), now);
    return lease === undefined ? null : [{ ...verdictOf(lease, now), granted: 0, stamp: 0 }];
  }

  #use(lease: Lease, now: number): Verdict {
    this.#counters.leased++;
    lease.left--;
    return { ...verdictOf(lease, now), granted: lease.take.cost };
  }

  #ask(takes: readonly Take[], signature: string, wanted: number): Promise<readonly Verdict[]> {
    const [take] = takes as [Take];
    const asked = this.#clock();
    const former = this.#leases.get(signature);
    this.#discard(former);
    const times = Math.max(wanted, this.#size(take, former, asked));
    let asking: Asking | undefined;
    const reply = (async () => {
      const [verdict] = await this.#store.decide(takes, times);
      const left = verdict!.granted / take.cost;
      if (left === 0) return [verdict!];
      // conservative: the store decided after the request was sent, in a millisecond that had already begun
      const until = asked + lastsFor(take.policy, verdict!) - 1;
      const kept = { ...take, key: detachedString(take.key) };
      const lease = { take: kept, verdict: verdict!, left, asked, until };
      const used = this.#use(lease, asked);
      this.#counters.leased--;
      if (this.#asking.get(signature) === asking) this.#leases.set(detachedString(signature), lease);
      // given up for lost; after a reset, the units are gone
      else if (!asking!.isReset) this.#discard(lease);
      for (const [oldest, lease] of this.#leases) {
        if (this.#leases.size <= MOST_KEYS) break;
        this.#leases.delete(oldest);
        this.#discard(lease);
      }
      return [used];
    })();
    this.#asking.set(signature, asking = { take, reply, asked, waiting: 0, isOutdated: false });
    const done = () => this.#asking.get(signature) === asking && this.#asking.delete(signature);
    reply.then(done, done);
    return reply;
  }

  // its unused units would keep counting; a store that cannot take them back forgets them with their window
  #discard(lease: Lease | undefined): void {
    if (lease !== undefined) giveBack(lease, this.#store).catch(() => {});
  }

  // in proportion to the total left, as far as it is known
  #size({ policy, cost }: Take, former: Lease | undefined, now: number): number {
    const left = former === undefined || now >= former.until ? policy.limit : former.verdict.remaining;
    const { max, processes } = this.#options;
    return Math.max(1, Math.min(max, Math.floor(left / cost / (4 * processes))));
  }

  /** Refunds units; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean> {
    const given = this.#store.give(take, stamp, amount);
    const noted = (isGiven: boolean): boolean => {
      if (isGiven) this.#outdate(take);
      return isGiven;
    };
    return isThenable(given) ? given.then(noted) : noted(given);
  }

  #outdate({ policy, key }: Take): void {
    for (const asking of this.#asking.values()) {
      if (asking.take.key === key && asking.take.policy.name === policy.name) asking.isOutdated = true;
    }
  }

  /** Forgets keys and their leases; see {@linkcode Store}. */
  async reset(selector: Selector): Promise<number> {
    const count = await this.#store.reset(selector);
    // afterwards, because leases requested during the reset may have been granted before the store reset the key
    for (const known of [this.#leases, this.#asking]) {
      for (const [signature, one] of known) {
        if ((selector.key ?? one.take.key) !== one.take.key) continue;
        known.delete(signature);
        one.isReset = true;
      }
    }
    return count;
  }

  /**
   * Returns all unused units.
   *
   * @param give Refunds units within a timeout
   */
  async giveAllBack(give: Store["give"]): Promise<void> {
    const leases = [...this.#leases.values()];
    this.#leases.clear();
    await Promise.all(leases.map((lease) => giveBack(lease, { give })));
  }
}

// the signature of leases of single units under a take's policy and key
function singleSignature(take: Take): string {
  return signatureOf([{ ...take, cost: 1 }]);
}

// the store may have refused a part of what was to be reserved, but it refused no caller
function verdictOf({ take, verdict, left, asked }: Lease, now: number): Verdict {
  const remaining = verdict.remaining + left * take.cost;
  return { ...aged(verdict, now - asked), denied: false, retryAfterMs: 0, remaining };
}

async function giveBack(lease: Lease, store: Pick<Store, "give">): Promise<void> {
  const { take, verdict, left } = lease;
  lease.left = 0;
  if (left > 0) await store.give(take, verdict.stamp, left * take.cost);
}

function isLeasable({ policy, cost, shadow }: Take): boolean {
  return LEASABLE.includes(policy.algorithm) && cost > 0 && !shadow && refusesFreely(policy);
}

// how long the window, or its bucket, lasts
function lastsFor(policy: Policy, { resetMs }: Verdict): number {
  if (policy.algorithm === "fixed-window") return resetMs;
  const buckets = bucketsOf(policy);
  return resetMs - buckets * Math.ceil(policy.windowMs / buckets);
}
