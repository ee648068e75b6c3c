import { GenerationalCache, isThenable } from "@sluice/shared";
import type { LimiterKeys } from "../limiter/demand.ts";
import { shortenKey } from "../limiter/encode_key.ts";
import type { Limiter } from "../limiter/limiter.ts";
import type { PolicyChoice } from "../limiter/limiter_options.ts";
import type { Awaitable } from "../policy/store.ts";
import { endsWithRequestsKey } from "../limiter/limiter_keys.ts";

/** Most keys whose policies are remembered. */
const MOST = 20_000;

/** A value that was asked for, and from when until when it holds, in ms. */
interface Asked<T> {
  readonly value: T;
  readonly asked: number;
  readonly until: number;
}

/**
 * Looks up the policies of keys, and remembers for a while what had to be waited for. Requests of one key share a lookup
 * that is under way; a failure is told to those that share it, and not remembered.
 */
export class PolicyLookup {
  readonly #ttlMs: number;
  readonly #clock: () => number;
  readonly #limiter: Pick<Limiter, typeof endsWithRequestsKey>;
  readonly #found = new GenerationalCache<Asked<PolicyChoice>>(MOST);
  /** Lookups that are under way. */
  readonly #underWay = new Map<string, Asked<Promise<PolicyChoice>>>();

  /**
   * Creates an instance.
   *
   * @param ttlMs How long what was found is remembered, in ms; 0 for not at all, when each request asks for itself
   * @param clock The present time in ms
   * @param limiter The limiter: where what a request has begun ends with it, lookups are not shared
   */
  constructor(ttlMs: number, clock: () => number, limiter: Pick<Limiter, typeof endsWithRequestsKey>) {
    this.#ttlMs = ttlMs;
    this.#clock = clock;
    this.#limiter = limiter;
  }

  /**
   * The policy of a key.
   *
   * @param keys The key, or the keys of several limits
   * @param ask Looks it up
   */
  of(keys: LimiterKeys, ask: () => Awaitable<PolicyChoice>): Awaitable<PolicyChoice> {
    if (this.#ttlMs === 0) return ask();
    // with a quotation mark, because a client may choose a key that reads like the keys of several limits
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

// a clock that was set back must not keep it for longer, nor may a lookup that never ends
function holds<T>(known: Asked<T> | undefined, now: number): known is Asked<T> {
  return known !== undefined && known.asked <= now && now < known.until;
}
