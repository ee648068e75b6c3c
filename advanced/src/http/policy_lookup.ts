import { GenerationalCache, isThenable } from "@sluice/shared";
import type { LimiterKeys } from "../limiter/demand.ts";
import { shortenKey } from "../limiter/encode_key.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { PolicyChoice } from "../limiter/limiter_options.ts";
import type { Awaitable } from "../policy/store.ts";
import { endsWithRequestsKey } from "../limiter/limiter_keys.ts";

/** Maximum keys whose policies are cached. */
const MOST = 20_000;

/** A cached value, and the time range in which it is valid, in ms. */
interface Asked<T> {
  readonly value: T;
  readonly asked: number;
  readonly until: number;
}

/**
 * Looks up policies by key and caches asynchronous results. Requests with the same key share a pending lookup. They
 * also share its failure, which is not cached.
 */
export class PolicyLookup {
  readonly #ttlMs: number;
  readonly #clock: () => number;
  readonly #limiter: Pick<Limiter, typeof endsWithRequestsKey>;
  readonly #found = new GenerationalCache<Asked<PolicyChoice>>(MOST);
  /** Pending lookups. */
  readonly #underWay = new Map<string, Asked<Promise<PolicyChoice>>>();

  /**
   * Creates an instance.
   *
   * @param ttlMs How long results are cached, in ms; with 0, each request does its own lookup
   * @param clock The current time in ms
   * @param limiter The limiter; lookups are not shared where pending work ends with its request
   */
  constructor(ttlMs: number, clock: () => number, limiter: Pick<Limiter, typeof endsWithRequestsKey>) {
    this.#ttlMs = ttlMs;
    this.#clock = clock;
    this.#limiter = limiter;
  }

  /**
   * Looks up the policy for a key.
   *
   * @param keys The key, or several limits' keys
   * @param ask The lookup
   */
  of(keys: LimiterKeys, ask: () => Awaitable<PolicyChoice>): Awaitable<PolicyChoice> {
    if (this.#ttlMs === 0) return ask();
    // the quotation mark keeps a key set by a client from looking like several limits' keys
    const id = shortenKey(typeof keys === "string" ? `"${keys}` : JSON.stringify(keys));
    const now = this.#clock();
    const found = this.#found.get(id);
    if (holds(found, now)) return found.value;
    const underWay = this.#underWay.get(id);
    if (holds(underWay, now)) return underWay.value;
    const choice = ask();
    return isThenable(choice) ? this.#await(id, choice, now) : choice;
  }

  #await(id: string, choice: PromiseLike<PolicyChoice>, asked: number): Promise<PolicyChoice> {
    const until = asked + this.#ttlMs;
    const over = () => {
      if (this.#underWay.get(id) === lookup) this.#underWay.delete(id);
    };
    const value = Promise.resolve(choice).then((found) => {
      over();
      if (found !== undefined) this.#found.set(id, { value: found, asked, until });
      return found;
    }, (error) => {
      over();
      throw error;
    });
    const lookup = { value, asked, until };
    if (!this.#limiter[endsWithRequestsKey]) this.#underWay.set(id, lookup);
    return value;
  }
}

// neither a clock that is set back nor a lookup that never ends may extend it
function holds<T>(known: Asked<T> | undefined, now: number): known is Asked<T> {
  return known !== undefined && known.asked <= now && now < known.until;
}
