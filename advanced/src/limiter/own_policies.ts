import { checkNames, checkObject, describe, GenerationalCache, type OptionNames } from "@sluice/shared";
import { usualMs } from "../policy/calendar_window.ts";
import { checkPolicy } from "../policy/check_policy.ts";
import { holdsSlots, type Policy } from "../policy/policy.ts";
import type { Store } from "../policy/store.ts";
import { checkStore, type OwnLimit, type PolicyChoice } from "./limiter_options.ts";

const OWN_NAMES: OptionNames<OwnLimit> = {
  algorithm: true,
  limit: true,
  windowMs: true,
  window: true,
  burst: true,
  buckets: true,
  align: true,
};

/** Maximum cached policies; more would mean one per client. */
const MOST = 2000;

/** The policies for individual keys: named ones, and those passed as objects. */
export class OwnPolicies {
  readonly #usual: readonly Policy[];
  readonly #store: Store;
  readonly #named = new Map<string, readonly Policy[]>();
  /** Keyed by content, so reading an unchanged row again gives the same policy. */
  readonly #told = new GenerationalCache<readonly Policy[]>(MOST);

  /**
   * Creates an instance.
   *
   * @param usual The limiter's policies
   * @param store The store, which may not support other policies
   * @param named The `policies` option
   * @param caller Caller name for error messages
   * @throws {TypeError} If one of them has a wrong field, or the store does not support it
   * @throws {RangeError} If a number is out of range
   */
  constructor(
    usual: readonly Policy[],
    store: Store,
    named: Readonly<Record<string, Exclude<PolicyChoice, string>>> = {},
    caller: string,
  ) {
    this.#usual = usual;
    this.#store = store;
    checkObject(caller, "policies", named, "an object of policies by name");
    for (const [name, told] of Object.entries(named)) {
      this.#named.set(name, this.#made(told, `${caller}, policies.${name}`));
    }
  }

  /**
   * Returns the selected policies, in the limits' order.
   *
   * @param choice A name, or the settings that differ
   * @param caller Caller name for error messages
   * @throws {TypeError} If there is no policy with that name, or it has a wrong field
   * @throws {RangeError} If a number is out of range
   */
  of(choice: PolicyChoice, caller: string): readonly Policy[] {
    if (typeof choice === "string") {
      const named = this.#named.get(choice);
      if (named !== undefined) return named;
      const names = [...this.#named.keys()].join(", ") || "none; name them in option policies";
      throw new TypeError(`${caller}: there is no policy ${describe(choice)}; there are ${names}`);
    }
    // a value that JSON cannot distinguish is not a policy; it is rejected before it is cached
    const text = JSON.stringify(choice) ?? "";
    let told = this.#told.get(text);
    if (told === undefined) this.#told.set(text, told = this.#made(choice, `${caller}, policy`));
    return told;
  }

  /** The named policies for one limit. */
  ofLimit(name: string): readonly Policy[] {
    return [...this.#named.values()].flatMap((policies) => policies.filter((policy) => policy.name === name));
  }

  #made(told: Exclude<PolicyChoice, string>, caller: string): readonly Policy[] {
    if (typeof told !== "object" || told === null) {
      throw new TypeError(
        `${caller} must be a name of policies, or an object such as { limit: 1000 }, not ${describe(told)}`,
      );
    }
    if (this.#usual.length === 1) return [this.#changed(this.#usual[0]!, told as OwnLimit, caller)];
    const byName = told as Readonly<Record<string, OwnLimit>>;
    const unknown = Object.keys(byName).find((name) => !this.#usual.some((policy) => policy.name === name));
    if (unknown !== undefined) {
      const names = this.#usual.map(({ name }) => name).join(", ");
      throw new TypeError(`${caller} names an unknown limit "${unknown}"; there are ${names}`);
    }
    return this.#usual.map((policy) => {
      const own = byName[policy.name];
      return own === undefined ? policy : this.#changed(policy, own, `${caller}.${policy.name}`);
    });
  }

  #changed(usual: Policy, own: OwnLimit, caller: string): Policy {
    const policy = ownPolicy(usual, own, caller);
    checkStore(this.#store, [policy], caller);
    return policy;
  }
}

/**
 * Creates a policy for individual keys from the limit's own.
 *
 * @param usual The limit's own policy
 * @param own The settings that differ
 * @param caller Caller name for error messages
 * @returns The policy, complete and checked
 * @throws {TypeError} If it has a wrong field
 * @throws {RangeError} If a number is out of range
 */
export function ownPolicy(usual: Policy, own: OwnLimit, caller: string): Policy {
  checkNames(caller, own, OWN_NAMES);
  const {
    algorithm = usual.algorithm,
    limit = usual.limit,
    window = own.windowMs === undefined ? usual.window : undefined,
  } = own;
  const { windowMs = own.window?.every === undefined ? usual.windowMs : usualMs(own.window) } = own;
  // settings for one algorithm mean nothing to a different one
  const shape: OwnLimit = algorithm === usual.algorithm ? usual : {};
  const { burst = shape.burst, buckets = shape.buckets } = own;
  const { align = own.window === undefined ? shape.align : undefined } = own;
  const { name, onDenied, block, maxDebt } = usual;
  const policy: Policy = {
    name,
    ...{ algorithm, windowMs, limit, burst, buckets, align, onDenied, block, maxDebt },
    ...(window === undefined ? {} : { window }),
  };
  checkPolicy(policy, caller);
  if (holdsSlots(policy) === holdsSlots(usual)) return policy;
  throw new TypeError(
    `${caller}: option algorithm "${algorithm}" can't replace "${usual.algorithm}", since one of them counts requests ` +
      "in progress; make a limiter of its own for it",
  );
}
