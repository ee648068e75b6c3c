import { GenerationalCache, isThenable } from "@sluice/shared";
import type { Counters } from "./counters.ts";
import { holdsSlots, refusesFreely } from "../policy/policy.ts";
import type { Awaitable, Capabilities, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { aged, type VerdictCache } from "./verdict_cache.ts";
import { signatureOf } from "./signature.ts";

/** A counter in the store that refusals depend on. */
interface Counter {
  /** Grants by this process since it was first tracked, and corrections to their cost. */
  grants: number;
}

/** A refusal, and when it was requested. */
interface Refusal {
  readonly verdicts: readonly Verdict[];
  readonly asked: number;
  readonly until: number;
  /** When the first of the limits that refused has units again, which changes only what the refusal tells. */
  readonly changes: number;
  /** The counters it depends on, and their grants when it was made. */
  readonly counters: readonly Counter[];
  readonly grants: number;
}

/** Maximum cached refusals, and counters that they depend on. */
const MOST = 20_000;

/** How long a refusal is cached without checking the store, in ms: another process may have ended it. */
const FRESH_MS = 10_000;

/**
 * Caches refusals until the exact moment at which they may end, without calling the store.
 *
 * If refusals under a policy are free, a refusal holds until its retry time: no decision can bring it forward. A grant
 * can postpone it. So after a grant by this process for the same key at a smaller cost, or a cost correction, the store
 * is called again, and once one of several limits that refused no longer would. A cost that never fits is checked just
 * as often, to update the remaining quota. A refund or reset by *this* process ends the refusal. Another process's
 * refund or reset is noticed within ten seconds, because the store is called again that often. While the store cannot
 * be called, a refusal holds until its retry time.
 */
export class DenyCacheStore implements Store, VerdictCache {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #counters: Counters;
  readonly #refusals = new GenerationalCache<Refusal>(MOST);
  readonly #counted = new GenerationalCache<Counter>(MOST);
  /** Whether any refusal is cached; while there is no refusal, grants need not be recorded. */
  #isRemembering = false;
  /** Incremented by anything that may end a refusal, so that older requests are not cached. */
  #epoch = 0;

  /**
   * Creates an instance.
   *
   * @param store The underlying store
   * @param clock A clock in ms; only differences matter
   * @param counters Counts cached refusals
   */
  constructor(store: Store, clock: () => number, counters: Counters) {
    this.#store = store;
    this.#clock = clock;
    this.#counters = counters;
  }

  /** The underlying store's capabilities. */
  get capabilities(): Capabilities {
    return this.#store.capabilities;
  }

  /** Decides a batch; see {@linkcode Store}. */
  decide(takes: readonly Take[], times = 1): Awaitable<readonly Verdict[]> {
    if (!takes.every(isCacheable)) {
      const decided = this.#store.decide(takes, times);
      return "then" in decided
        ? decided.then((verdicts) => this.#noteGrants(takes, verdicts))
        : this.#noteGrants(takes, decided);
    }
    const signature = signatureOf(takes);
    const asked = this.#clock();
    const known = this.#refusal(signature, asked, FRESH_MS);
    if (known !== null) return known;
    const epoch = this.#epoch;
    const decided = this.#store.decide(takes, times);
    if ("then" in decided) return this.#later(decided, takes, signature, asked, epoch);
    this.#remember(decided, takes, signature, asked);
    return decided;
  }

  /** Returns a cached refusal; for takes that only read, what is left according to one. */
  known(takes: readonly Take[]): readonly Verdict[] | null {
    if (takes.every(({ cost }) => cost === 0)) {
      const refused = this.known(takes.map((take) => ({ ...take, cost: 1 })));
      return refused?.map((verdict) => ({ ...verdict, denied: false, retryAfterMs: 0 })) ?? null;
    }
    return takes.every(isCacheable) ? this.#refusal(signatureOf(takes), this.#clock(), Infinity) : null;
  }

  #refusal(signature: string, now: number, freshMs: number): readonly Verdict[] | null {
    const known = this.#refusals.get(signature);
    if (known === undefined) return null;
    const age = now - known.asked;
    if (age < 0 || now >= known.until) {
      this.#refusals.delete(signature);
      return null;
    }
    // later grants can only have postponed its end; the store has the exact time, if it can be called
    const isFresh = freshMs === Infinity ||
      age < freshMs && now < known.changes && grantsOf(known.counters) === known.grants;
    if (!isFresh) return null;
    this.#counters.denyCacheHits++;
    return known.verdicts.map((verdict) => aged(verdict, age));
  }

  async #later(
    decided: PromiseLike<readonly Verdict[]>,
    takes: readonly Take[],
    signature: string,
    asked: number,
    epoch: number,
  ): Promise<readonly Verdict[]> {
    const verdicts = await decided;
    if (epoch === this.#epoch) this.#remember(verdicts, takes, signature, asked);
    return verdicts;
  }

  #remember(verdicts: readonly Verdict[], takes: readonly Take[], signature: string, asked: number): void {
    this.#noteGrants(takes, verdicts);
    let wait = 0;
    let first = Infinity;
    for (const [i, verdict] of verdicts.entries()) {
      if (verdict.denied) first = Math.min(first, verdict.retryAfterMs);
      if (takes[i]!.shadow) continue;
      if (verdict.granted > 0) return;
      if (verdict.denied) wait = Math.max(wait, verdict.retryAfterMs);
    }
    // the store decided after the request was sent, in a ms that had already begun: the refusal lasts until then
    if (wait <= 1) return;
    this.#isRemembering = true;
    const counters = takes.map(({ policy, key }) => this.#counterOf(policy.name, key));
    const [until, changes] = [asked + wait - 1, asked + first - 1];
    this.#refusals.set(signature, { verdicts, asked, until, changes, counters, grants: grantsOf(counters) });
  }

  #counterOf(policy: string, key: string): Counter {
    const id = counterId(policy, key);
    let counter = this.#counted.get(id);
    if (counter === undefined) this.#counted.set(id, counter = { grants: 0 });
    return counter;
  }

  #noteGrants(takes: readonly Take[], verdicts: readonly Verdict[]): readonly Verdict[] {
    if (!this.#isRemembering) return verdicts;
    for (const [i, { granted }] of verdicts.entries()) {
      if (granted === 0) continue;
      const counter = this.#counted.get(counterId(takes[i]!.policy.name, takes[i]!.key));
      if (counter !== undefined) counter.grants++;
    }
    return verdicts;
  }

  /** Refunds units; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean> {
    return this.#forgetting(() => this.#store.give(take, stamp, amount));
  }

  /**
   * Corrects a grant to its actual cost; see {@linkcode Store}. A refund can end a refusal, and an additional charge
   * prolongs it.
   */
  settle(take: Take, stamp: number, change: number): Awaitable<Verdict> {
    const settle = () => this.#store.settle!(take, stamp, change);
    if (change < 0) return this.#forgetting(settle);
    const settled = settle();
    const { policy, key } = take;
    if (isThenable(settled)) return Promise.resolve(settled).finally(() => this.#putOff(policy.name, key));
    this.#putOff(policy.name, key);
    return settled;
  }

  // also applies to pending requests
  #putOff(policy: string, key: string): void {
    this.#epoch++;
    const counter = this.#counted.get(counterId(policy, key));
    if (counter !== undefined) counter.grants++;
  }

  /** Forgets keys; see {@linkcode Store}. */
  reset(selector: Selector): Awaitable<number> {
    return this.#forgetting(() => this.#store.reset(selector));
  }

  // before and after: a decision requested during the change may have reached the store first
  #forgetting<T>(change: () => Awaitable<T>): Awaitable<T> {
    this.#forget();
    const changed = change();
    return isThenable(changed) ? Promise.resolve(changed).finally(() => this.#forget()) : changed;
  }

  #forget(): void {
    this.#epoch++;
    this.#refusals.clear();
    this.#counted.clear();
    this.#isRemembering = false;
  }
}

function counterId(policy: string, key: string): string {
  return `${policy.length}/${policy}${key}`;
}

function grantsOf(counters: readonly Counter[]): number {
  let sum = 0;
  for (const { grants } of counters) sum += grants;
  return sum;
}

// a lease may be released at any time, and refusals with side effects must reach the store
function isCacheable({ policy, cost }: Take): boolean {
  return cost > 0 && !holdsSlots(policy) && refusesFreely(policy);
}
