import { checkInteger, refuseOption } from "@sluice/shared";
import { checkPolicy, MAX_LIMIT } from "../policy/check_policy.ts";
import type { Policy } from "../policy/policy.ts";
import type { Store, Take } from "../policy/store.ts";
import { MemoryStore } from "../stores/memory_store.ts";
import { checkStore, type LimitsOptions, policiesOf, type PolicyChoice } from "./limiter_options.ts";
import { assertDoesMore } from "./outcome_only.ts";
import { OwnPolicies } from "./own_policies.ts";
import { assertKey, encodeKey, shortenKey } from "./encode_key.ts";

/**
 * Options of `peek`.
 *
 * @example What is left for a customer with a quota of their own
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ limit: 100 });
 * const { remaining } = await limiter.peek("client", { limit: 500 });
 * console.log(remaining); // 500
 * ```
 */
export interface PeekOptions {
  /** Another limit for this call, for all limits or by name: a customer's tier, for example. */
  limit?: number | Readonly<Record<string, number>> | undefined;
  /** The policy of this key: a name in `policies`, or what of the limit is not as usual. Not with `limit`. */
  policy?: PolicyChoice | undefined;
}

/**
 * Options of `consume`.
 *
 * @example A request that costs more
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ limit: 100 });
 * const { remaining } = await limiter.consume("client", { cost: 25 });
 * console.log(remaining); // 75
 * ```
 */
export interface ConsumeOptions extends PeekOptions {
  /** Units to take, 1 by default; 0 is free. For each limit its own by an object of numbers by the names of limits. */
  cost?: number | Readonly<Record<string, number>> | undefined;
}

/**
 * One key for all limits, or one for each of them by its name; `null` for a limit that has nothing to do with what is
 * asked for.
 */
export type LimiterKeys = string | Readonly<Record<string, string | null>>;

/** Number of policies with another limit that are cached; more would mean a limit for each client. */
const MAX_TIERS = 1000;

/** Makes the demands of a limiter on its store: one take for each limit. */
export class Demand {
  /** The form in which the store keeps a key. */
  readonly encode: (key: string) => string;
  /** The limiter's policies, in the order of the limits. */
  readonly policies: readonly Policy[];
  readonly #shadow: readonly boolean[];
  readonly #store: Store;
  readonly #own: OwnPolicies;
  readonly #tiers = new Map<string, Policy>();

  /**
   * Creates an instance.
   *
   * @param options The limits, and the policies that some keys have
   * @param store The store
   * @param caller Name of the caller for error messages
   * @throws {TypeError} If an option has the wrong type, or the store can't do what is asked
   * @throws {RangeError} If a number is out of range
   */
  constructor(options: LimitsOptions, store: Store, caller: string) {
    this.policies = policiesOf(options, caller);
    checkStore(store, this.policies, caller);
    this.#shadow = (options.limits ?? [options]).map((limit) => limit.shadow === true);
    this.#store = store;
    this.#own = new OwnPolicies(this.policies, store, options.policies ?? {}, caller);
    this.encode = store instanceof MemoryStore ? shortenKey : encodeKey;
  }

  /**
   * Makes the takes of one check.
   *
   * @param keys The key, or the keys of the limits by name
   * @param cost Units wanted, 0 to look
   * @param options Another limit for this check, or the policy of the key
   * @param caller Name of the caller for error messages
   * @returns The takes, in the order of the limits, without those that have nothing to do with it
   * @throws {TypeError} If a key is no text or empty, no limit has one, or there is no limit or policy of a name
   * @throws {RangeError} If the cost or the other limit is out of range
   */
  takes(
    keys: LimiterKeys,
    cost: NonNullable<ConsumeOptions["cost"]>,
    { limit, policy }: PeekOptions,
    caller: string,
  ): readonly Take[] {
    if (policy !== undefined && limit !== undefined) {
      throw new TypeError(`${caller}: options limit and policy exclude each other; say policy: { limit }`);
    }
    if (typeof limit === "object" && limit !== null) this.#checkByName("limit", limit, caller);
    if (typeof cost === "object" && cost !== null) this.#checkByName("cost", cost, caller);
    else if (cost !== 1 && cost !== 0) checkInteger(caller, "cost", cost, 0, MAX_LIMIT);
    const policies = policy === undefined ? this.policies : this.#own.of(policy, caller);
    // what most programs ask for takes the shortest way
    if (policies.length === 1 && typeof keys === "string") {
      return [this.#take(0, policies[0]!, keys, cost, limit, caller)];
    }
    const takes: Take[] = [];
    for (let i = 0; i < policies.length; i++) {
      const usual = policies[i]!;
      if (!hasNothingToDo(usual, keys)) takes.push(this.#take(i, usual, keys, cost, limit, caller));
    }
    if (takes.length > 0) return takes;
    throw new TypeError(`${caller}: no limit has a key; give one to at least one of ${this.#names()}`);
  }

  // a misspelt name would be a limit that is never applied, and an unknown customer must not get the default limit
  #checkByName(option: string, numbers: Readonly<Record<string, number>>, caller: string): void {
    const untold = Object.keys(numbers).find((name) => numbers[name] === undefined);
    if (untold !== undefined) refuseOption(caller, `${option}.${untold}`, "a number", undefined);
    const unknown = Object.keys(numbers).find((name) => !this.policies.some((policy) => policy.name === name));
    if (unknown === undefined) return;
    throw new TypeError(
      `${caller}: option ${option} names a limit "${unknown}" that there is not; there are ${this.#names()}`,
    );
  }

  #names(): string {
    return this.policies.map(({ name }) => name).join(", ");
  }

  #take(
    i: number,
    usual: Policy,
    keys: LimiterKeys,
    cost: NonNullable<ConsumeOptions["cost"]>,
    limit: ConsumeOptions["limit"],
    caller: string,
  ): Take {
    const isOne = typeof keys !== "object" || keys === null;
    const key = isOne ? keys : keys[usual.name];
    if (typeof key !== "string" || key === "") {
      assertKey(key, isOne ? "the key" : `the key of limit "${usual.name}"`, caller);
    }
    const units = typeof cost === "number" ? cost : costOf(usual, cost, caller);
    if (units > 1) assertDoesMore(this.#store, caller, `a cost of ${units}`);
    const policy = limit === undefined ? usual : this.#tier(usual, limit, caller);
    return { policy, key: this.encode(key), cost: units, shadow: this.#shadow[i] };
  }

  #tier(policy: Policy, tiers: NonNullable<ConsumeOptions["limit"]>, caller: string): Policy {
    const limit = typeof tiers === "object" && tiers !== null ? tiers[policy.name] : tiers;
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

function hasNothingToDo({ name }: Policy, keys: LimiterKeys): boolean {
  return typeof keys === "object" && keys !== null && keys[name] === null;
}

function costOf({ name }: Policy, costs: Readonly<Record<string, number>>, caller: string): number {
  const { [name]: cost = 1 } = costs;
  checkInteger(caller, `cost.${name}`, cost, 0, MAX_LIMIT);
  return cost;
}
