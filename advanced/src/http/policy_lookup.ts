import { GenerationalCache, isThenable } from "@sluice/limiting/core";
import type { LimiterKeys } from "../limiter/demand.ts";
import { shortenKey } from "../limiter/encode_key.ts";
import type { PolicyChoice } from "../limiter/limiter_options.ts";
import type { Awaitable } from "../policy/store.ts";

/** Most keys whose policies are remembered. */
const MOST = 20_000;

/** What was found for a key, and from when until when it holds, in ms. */
interface Found {
  readonly choice: PolicyChoice;
  readonly asked: number;
  readonly until: number;
}

/**
 * Looks up the policies of keys, and remembers for a while what had to be waited for.
 *
 * Requests don't share a look-up that is under way: on Workers it may end with the request that began it.
 */
export class PolicyLookup {
  readonly #ttlMs: number;
  readonly #clock: () => number;
  readonly #found = new GenerationalCache<Found>(MOST);

  /**
   * Creates an instance.
   *
   * @param ttlMs How long what was found is remembered, in ms; 0 for not at all
   * @param clock The present time in ms
   */
  constructor(ttlMs: number, clock: () => number) {
    this.#ttlMs = ttlMs;
    this.#clock = clock;
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
    const known = this.#found.get(id);
    // a clock that was set back must not keep it for longer
    if (known !== undefined && known.asked <= now && now < known.until) return known.choice;
    const choice = ask();
    if (!isThenable(choice)) return choice;
    return choice.then((found) => {
      if (found !== undefined) this.#found.set(id, { choice: found, asked: now, until: now + this.#ttlMs });
      return found;
    });
  }
}
