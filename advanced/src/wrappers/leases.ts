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

/** Keys for which units are taken in advance; for others only what is wanted now is. */
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
  readonly #max: number;
  readonly #processes: number;
  readonly #clock: () => number;
  readonly #counters: Counters;
  readonly #leases = new Map<string, Lease>();
  /** Goes through them in search of some that are over, two at a time and only where there is no room. */
  #sweep = this.#leases.entries();
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
    this.#max = options.max;
    this.#processes = options.processes;
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
    const lease = this.#leases.get(signature);
    if (isUsable(lease, now)) return [this.#use(lease, now)];
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
    if (takes.length === 1 && isLeasable(takes[0]!)) {
      const now = this.#clock();
      const lease = this.#leases.get(signatureOf(takes));
      if (isUsable(lease, now)) return [this.#use(lease, now)];
    }
    return this.#store.known?.(takes) ?? null;
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
    if (former !== undefined) this.#giveBack(former);
    const hasRoom = former !== undefined || this.#hasRoom(asked);
    const times = hasRoom ? Math.max(wanted, this.#size(take, former, asked)) : wanted;
    let asking: Asking | null = null;
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
      if (this.#asking.get(signature) === asking && (hasRoom || lease.left > 0)) this.#leases.set(signature, lease);
      return [used];
    })();
    this.#asking.set(signature, asking = { take, answer, asked, waiting: 0 });
    const done = () => this.#asking.get(signature) === asking && this.#asking.delete(signature);
    answer.then(done, done);
    return answer;
  }

  // what is left of a part of a sliding window goes on counting when that is over
  #giveBack(lease: Lease): void {
    giveBack(lease, (...gift) => this.#store.give(...gift)).catch(() => {});
  }

  // one that can still be used is not dropped: its units would stay counted, and its key would be refused too early
  #hasRoom(now: number): boolean {
    for (let looks = 0; looks < 2 && this.#isFull; looks++) {
      const { value } = this.#sweep.next();
      if (value === undefined) this.#sweep = this.#leases.entries();
      else if (!isUsable(value[1], now)) {
        this.#leases.delete(value[0]);
        this.#giveBack(value[1]);
      }
    }
    return !this.#isFull;
  }

  get #isFull(): boolean {
    return this.#leases.size + this.#asking.size >= MOST_KEYS;
  }

  // in proportion to what is left for everybody, as far as that is known
  #size({ policy, cost }: Take, former: Lease | undefined, now: number): number {
    const left = former === undefined || now >= former.until ? policy.limit : former.verdict.remaining;
    return Math.max(1, Math.min(this.#max, Math.floor(left / cost / (4 * this.#processes))));
  }

  /** Gives units back; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean> {
    return this.#store.give(take, stamp, amount);
  }

  /** Forgets keys, and what was taken for them in advance; see {@linkcode Store}. */
  reset(selector: Selector): Awaitable<number> {
    this.#forget(selector);
    const reset = this.#store.reset(selector);
    // what was asked for meanwhile may have been granted before the store forgot
    return typeof reset === "object" ? Promise.resolve(reset).finally(() => this.#forget(selector)) : reset;
  }

  #forget({ policy, key }: Selector): void {
    const isMeant = ({ take }: Lease | Asking) =>
      take.policy.name === policy && (key === undefined || take.key === key);
    for (const [signature, lease] of this.#leases) if (isMeant(lease)) this.#leases.delete(signature);
    for (const [signature, asking] of this.#asking) if (isMeant(asking)) this.#asking.delete(signature);
  }

  /**
   * Returns what was taken in advance and not used.
   *
   * @param give Gives units back, in time
   */
  async giveAllBack(give: Store["give"]): Promise<void> {
    const leases = [...this.#leases.values()];
    this.#leases.clear();
    await Promise.all(leases.map((lease) => giveBack(lease, give)));
  }
}

async function giveBack(lease: Lease, give: Store["give"]): Promise<void> {
  const { take, verdict, left } = lease;
  lease.left = 0;
  if (left > 0) await give(take, verdict.stamp, left * take.cost);
}

function isUsable(lease: Lease | undefined, now: number): lease is Lease {
  return lease !== undefined && lease.left > 0 && now < lease.until;
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
