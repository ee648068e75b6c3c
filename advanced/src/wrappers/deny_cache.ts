import { TwoGenerations } from "@sluice/sluice/limiting";
import type { Counters } from "./counters.ts";
import { refusesFreely } from "../policy/policy.ts";
import type { Awaitable, Capabilities, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { aged, type Remembering } from "./remembering.ts";
import { signatureOf } from "./signature.ts";

/** A refusal, and when it was asked for. */
interface Refusal {
  readonly verdicts: readonly Verdict[];
  readonly asked: number;
  readonly until: number;
}

/** Refusals that are remembered. */
const MOST = 20_000;

/** How long the store is not asked about a refusal, in ms: another process may have ended it. */
const FRESH_MS = 10_000;

/**
 * Remembers refusals until the exact moment at which they may end, and tells them without asking the store.
 *
 * A refusal by a policy whose refusals are free stays one until its retry time: nobody's decision can bring it forward.
 * Units given back, or keys forgotten, by *this* process end it. Those of another process are noticed within ten
 * seconds, because the store is asked again that often. While the store can't be asked, a refusal is told until its retry
 * time.
 */
export class DenyCacheStore implements Store, Remembering {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #counters: Counters;
  readonly #refusals = new TwoGenerations<Refusal>(MOST);
  /** Grows with everything that may end a refusal, so that none is remembered that was asked for before. */
  #epoch = 0;

  /**
   * Creates an instance.
   *
   * @param store The store to ask
   * @param clock A clock in ms; only differences count
   * @param counters Where refusals from memory are counted
   */
  constructor(store: Store, clock: () => number, counters: Counters) {
    this.#store = store;
    this.#clock = clock;
    this.#counters = counters;
  }

  /** What the store behind can do. */
  get capabilities(): Capabilities {
    return this.#store.capabilities;
  }

  /** Decides a batch; see {@linkcode Store}. */
  decide(takes: readonly Take[], times = 1): Awaitable<readonly Verdict[]> {
    if (!takes.every(isCacheable)) return this.#store.decide(takes, times);
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

  /** Tells a refusal that is remembered. */
  known(takes: readonly Take[]): readonly Verdict[] | null {
    return takes.every(isCacheable) ? this.#refusal(signatureOf(takes), this.#clock(), Infinity) : null;
  }

  #refusal(signature: string, now: number, freshMs: number): readonly Verdict[] | null {
    const known = this.#refusals.get(signature);
    if (known === undefined) return null;
    const age = now - known.asked;
    if (age < 0 || now >= known.until) this.#refusals.delete(signature);
    // what never fits does so whatever others do
    else if (age < freshMs || known.until === Infinity) {
      this.#counters.denyCacheHits++;
      return known.verdicts.map((verdict) => aged(verdict, age));
    }
    return null;
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
    let wait = 0;
    for (const [i, verdict] of verdicts.entries()) {
      if (verdict.granted > 0 && !takes[i]!.shadow) return this.#refusals.delete(signature);
      if (verdict.denied && !takes[i]!.shadow) wait = Math.max(wait, verdict.retryMs);
    }
    // the store decided after it was asked, in a ms of its own clock that had begun before: the refusal lasts until
    // then
    if (wait > 1) this.#refusals.set(signature, { verdicts, asked, until: asked + wait - 1 });
  }

  /** Gives units back; see {@linkcode Store}. */
  give(take: Take, stamp: number, amount: number): Awaitable<boolean> {
    return this.#forgetting(() => this.#store.give(take, stamp, amount));
  }

  /** Forgets keys; see {@linkcode Store}. */
  reset(selector: Selector): Awaitable<number> {
    return this.#forgetting(() => this.#store.reset(selector));
  }

  // before and after: a decision that was asked for meanwhile may have come to the store first
  #forgetting<T extends number | boolean>(change: () => Awaitable<T>): Awaitable<T> {
    this.#forget();
    const changed = change();
    return typeof changed === "object" ? Promise.resolve(changed).finally(() => this.#forget()) : changed;
  }

  #forget(): void {
    this.#epoch++;
    this.#refusals.clear();
  }
}

// a lease may come back at any time, and refusals that have consequences must reach the store
function isCacheable({ policy, cost }: Take): boolean {
  return cost > 0 && policy.algorithm !== "concurrency" && refusesFreely(policy);
}
