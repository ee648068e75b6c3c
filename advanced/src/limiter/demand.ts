import { refuseOption } from "@sluice/limiting/core";
import { checkPolicy } from "../policy/check_policy.ts";
import type { Policy } from "../policy/policy.ts";
import type { Store, Take } from "../policy/store.ts";
import { MemoryStore } from "../stores/memory_store.ts";
import type { PolicyChoice } from "./limiter_options.ts";
import type { OwnPolicies } from "./own_policies.ts";
import { assertKey, encodeKey, shortenKey } from "./encode_key.ts";

/**
 * Options of `peek`.
 *
 * @example What is left for a customer with a quota of their own
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ max: 100 });
 * const { remaining } = await limiter.peek("client", { max: 500 });
 * console.log(remaining); // 500
 * ```
 */
export interface PeekOptions {
  /** Another limit for this call, for all limits or by name: a customer's tier, for example. */
  max?: number | Readonly<Record<string, number>> | undefined;
  /** The policy of this key: a name in `policies`, or what of the limit is not as usual. Not with `max`. */
  policy?: PolicyChoice | undefined;
}

/**
 * Options of `check`.
 *
 * @example A request that costs more
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ max: 100 });
 * const { remaining } = await limiter.check("client", { cost: 25 });
 * console.log(remaining); // 75
 * ```
 */
export interface CheckOptions extends PeekOptions {
  /** Units to take, 1 by default; 0 is free. */
  cost?: number | undefined;
}

/** One key for all limits, or one for each of them by its name. */
export type LimiterKeys = string | Readonly<Record<string, string>>;

/** Number of policies with another limit that are cached; more would mean a limit for each client. */
const MAX_TIERS = 1000;

/** Makes the demands of a limiter on its store: one take for each limit. */
export class Demand {
  /** The form in which the store keeps a key. */
  readonly encode: (key: string) => string;
  readonly #policies: readonly Policy[];
  readonly #shadow: readonly boolean[];
  readonly #store: Store;
  readonly #own: OwnPolicies;
  readonly #tiers = new Map<string, Policy>();

  /**
   * Creates an instance.
   *
   * @param policies The limiter's policies
   * @param shadow Which of them never refuse, in the same order
   * @param store The store, which may be unable to serve a policy with another limit
   * @param own The policies that some keys have
   */
  constructor(policies: readonly Policy[], shadow: readonly boolean[], store: Store, own: OwnPolicies) {
    this.#policies = policies;
    this.#shadow = shadow;
    this.#store = store;
    this.#own = own;
    this.encode = store instanceof MemoryStore ? shortenKey : encodeKey;
  }

  /**
   * Makes the takes of one check.
   *
   * @param keys The key, or the keys of the limits by name
   * @param cost Units wanted, 0 to look
   * @param options Another limit for this check, or the policy of the key
   * @param caller Name of the caller for error messages
   * @returns The takes, in the order of the limits
   * @throws {TypeError} If a key is no text or empty, or there is no limit or policy of a name
   * @throws {RangeError} If the other limit is out of range
   */
  takes(keys: LimiterKeys, cost: number, { max, policy }: PeekOptions, caller: string): readonly Take[] {
    if (policy !== undefined) {
      if (max !== undefined) {
        throw new TypeError(`${caller}: options max and policy exclude each other; say policy: { max }`);
      }
      return this.#own.of(policy, caller).map((one, i) => this.#demand(i, one, keys, cost, caller));
    }
    if (typeof max === "object" && max !== null) this.#checkTiers(max, caller);
    if (this.#policies.length === 1) return [this.#take(0, keys, cost, max, caller)];
    return this.#policies.map((_, i) => this.#take(i, keys, cost, max, caller));
  }

  // a misspelt name would be a limit that is never applied, and an unknown customer must not get the default limit
  #checkTiers(max: Readonly<Record<string, number>>, caller: string): void {
    const untold = Object.keys(max).find((name) => max[name] === undefined);
    if (untold !== undefined) refuseOption(caller, `max.${untold}`, "a number", undefined);
    const unknown = Object.keys(max).find((name) => !this.#policies.some((policy) => policy.name === name));
    if (unknown === undefined) return;
    const names = this.#policies.map(({ name }) => name).join(", ");
    throw new TypeError(`${caller}: option max names a limit "${unknown}" that there is not; there are ${names}`);
  }

  #take(i: number, keys: LimiterKeys, cost: number, max: CheckOptions["max"], caller: string): Take {
    const policy = max === undefined ? this.#policies[i]! : this.#tier(this.#policies[i]!, max, caller);
    return this.#demand(i, policy, keys, cost, caller);
  }

  #demand(i: number, policy: Policy, keys: LimiterKeys, cost: number, caller: string): Take {
    const isOne = typeof keys !== "object" || keys === null;
    const key = isOne ? keys : keys[policy.name];
    if (typeof key !== "string" || key === "") {
      assertKey(key, isOne ? "the key" : `the key of limit "${policy.name}"`, caller);
    }
    return { policy, key: this.encode(key), cost, shadow: this.#shadow[i] };
  }

  #tier(policy: Policy, max: NonNullable<CheckOptions["max"]>, caller: string): Policy {
    const limit = typeof max === "object" && max !== null ? max[policy.name] : max;
    if (limit === undefined || limit === policy.limit) return policy;
    const id = `${limit}/${policy.name}`;
    const known = this.#tiers.get(id);
    if (known !== undefined) return known;
    const tier = { ...policy, limit };
    checkPolicy(tier, caller);
    this.#store.checkPolicy?.(tier);
    if (this.#tiers.size >= MAX_TIERS) this.#tiers.clear();
    this.#tiers.set(id, tier);
    return tier;
  }
}
