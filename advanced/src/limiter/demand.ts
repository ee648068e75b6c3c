import { checkInteger, refuseOption } from "@sluice/shared";
import { checkPolicy, MAX_LIMIT } from "../policy/check_policy.ts";
import type { Policy } from "../policy/policy.ts";
import type { Store, Take } from "../policy/store.ts";
import { MemoryStore } from "../stores/memory_store.ts";
import { shapeOf } from "../stores/state_record.ts";
import { checkStore, type LimitsOptions, policiesOf, type PolicyChoice } from "./limiter_options.ts";
import { assertDoesMore } from "./outcome_only.ts";
import { OwnPolicies } from "./own_policies.ts";
import { assertKey, encodeKey, shortenKey } from "./encode_key.ts";

/**
 * Options for `peek`.
 *
 * @example Read the remaining quota for a customer with their own limit
 * ```ts
 * import { Limiter } from "@sluice/rate-limit";
 *
 * const limiter = new Limiter({ limit: 100 });
 * const { remaining } = await limiter.peek("client", { limit: 500 });
 * console.log(remaining); // 500
 * ```
 */
export interface PeekOptions {
  /** Overrides the limit for this call, for all limits or by name: for a customer's tier, for example. */
  limit?: number | Readonly<Record<string, number>> | undefined;
  /** The policy for this key: a name in `policies`, or an object with the settings that differ. Not with `limit`. */
  policy?: PolicyChoice | undefined;
}

/**
 * Options for `consume`.
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
  /**
   * Units to consume, 1 by default; 0 is free. Pass an object of numbers by limit name for a different cost per limit.
   */
  cost?: number | Readonly<Record<string, number>> | undefined;
}

/** One key for all limits, or one per limit by name; `null` for a limit that does not apply. */
export type LimiterKeys = string | Readonly<Record<string, string | null>>;

/** Maximum cached policies with a different limit; more would mean one limit per client. */
const MAX_TIERS = 1000;

/** Creates a limiter's requests to its store: one take per limit. */
export class Demand {
  /** Encodes a key for the store. */
  readonly encode: (key: string) => string;
  /** The limiter's policies, in the limits' order. */
  readonly policies: readonly Policy[];
  readonly #shadow: readonly boolean[];
  readonly #store: Store;
  readonly #own: OwnPolicies;
  readonly #tiers = new Map<string, Policy>();

  /**
   * Creates an instance.
   *
   * @param options The limits, and the policies for individual keys
   * @param store The store
   * @param caller Caller name for error messages
   * @throws {TypeError} If an option has the wrong type, or the store does not support it
   * @throws {RangeError} If a number is out of range
   */
  constructor(options: LimitsOptions, store: Store, caller: string) {
    this.policies = policiesOf(options, caller);
    checkStore(store, this.policies, caller);
    this.#shadow = (options.limits ?? [options]).map((limit) => limit.shadow === true);
    this.#store = store;
    this.#own = new OwnPolicies(this.policies, store, options.policies, caller);
    this.encode = store instanceof MemoryStore ? shortenKey : encodeKey;
  }

  /**
   * A limit's policy, and the named policies that count its keys in another way.
   *
   * @param limit The limit's policy
   */
  waysToCount(limit: Policy): readonly Policy[] {
    const all = [limit, ...this.#own.ofLimit(limit.name)];
    const shapes = all.map(shapeOf);
    return all.filter((_, i) => shapes.indexOf(shapes[i]!) === i);
  }

  /**
   * Creates the takes for one decision.
   *
   * @param keys The key, or the limits' keys by name
   * @param cost Units to consume, 0 to read
   * @param options A different limit for this decision, or the key's policy
   * @param caller Caller name for error messages
   * @returns The takes, in the limits' order, without limits that do not apply
   * @throws {TypeError} If a key is not a non-empty string, no limit has one, or a limit or policy does not exist
   * @throws {RangeError} If the cost or the other limit is out of range
   */
  takes(
    keys: LimiterKeys,
    cost: NonNullable<ConsumeOptions["cost"]>,
    { limit, policy }: PeekOptions,
    caller: string,
  ): readonly Take[] {
    if (policy !== undefined && limit !== undefined) {
      throw new TypeError(`${caller}: options limit and policy cannot be combined; use policy: { limit }`);
    }
    if (typeof limit === "object" && limit !== null) this.#checkByName("limit", limit, caller);
    if (typeof cost === "object" && cost !== null) this.#checkByName("cost", cost, caller);
    else if (cost !== 1 && cost !== 0) checkInteger(caller, "cost", cost, 0, MAX_LIMIT);
    const policies = policy === undefined ? this.policies : this.#own.of(policy, caller);
    // fast path for the most common call
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

  // a misspelled name would be a limit that is never applied, and an unknown customer must not get the default limit
  #checkByName(option: string, numbers: Readonly<Record<string, number>>, caller: string): void {
    const untold = Object.keys(numbers).find((name) => numbers[name] === undefined);
    if (untold !== undefined) refuseOption(caller, `${option}.${untold}`, "a number", undefined);
    const unknown = Object.keys(numbers).find((name) => !this.policies.some((policy) => policy.name === name));
    if (unknown === undefined) return;
    throw new TypeError(
      `${caller}: option ${option} names an unknown limit "${unknown}"; there are ${this.#names()}`,
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
