import { checkNames, describe, type OptionNames } from "@sluice/shared";
import type { Policy } from "../policy/policy.ts";
import type { Capabilities, Selector, Store, Take, Verdict } from "../policy/store.ts";
import { noteLocation } from "./counter_location.ts";

/**
 * The part of Cloudflare's rate limiting binding in `env` that a {@linkcode CloudflareRateLimitStore} uses.
 *
 * @example In the types of a Worker's bindings
 * ```ts
 * import type { RateLimitBindingLike } from "@sluice/rate-limit/cloudflare";
 *
 * interface Env {
 *   LIMITER: RateLimitBindingLike;
 * }
 * ```
 */
export interface RateLimitBindingLike {
  /**
   * Counts a call for a key.
   *
   * @returns Whether it was within the limit
   */
  limit(options: { key: string }): PromiseLike<{ readonly success: boolean }>;
}

/**
 * Options for a {@linkcode CloudflareRateLimitStore}.
 *
 * @example Use a Worker's binding
 * ```ts ignore
 * import { env } from "cloudflare:workers";
 * import { CloudflareRateLimitStore } from "@sluice/rate-limit/cloudflare";
 *
 * const store = new CloudflareRateLimitStore({ binding: env.LIMITER });
 * ```
 */
export interface CloudflareRateLimitStoreOptions {
  /** The binding: an entry in Wrangler's `ratelimits`. */
  binding: RateLimitBindingLike;
}

const NAMES: OptionNames<CloudflareRateLimitStoreOptions> = { binding: true };

/** Periods that a binding may have, in ms. */
const PERIODS_MS: readonly number[] = [10_000, 60_000];

const INSTEAD = "use DurableObjectStore for that";

/** A binding's single limit. */
type Configured = Pick<Policy, "limit" | "windowMs">;

/**
 * A store for Cloudflare's rate limiting binding. Counts are kept per Cloudflare location, on the machine that runs the
 * Worker, without network requests.
 *
 * A binding only reports whether a request passes. So the store supports one `"fixed-window"` limit, at a cost of 1.
 * The remaining quota is unknown, including in headers, and `Retry-After` is the whole period. All other features of a
 * limiter throw a `TypeError`: other algorithms, calendar windows, several limits decided atomically, other costs,
 * `block`, `onDenied`, `maxDebt`, refunds, waiting, peeking, listing, resetting. {@linkcode DurableObjectStore}
 * supports all of them.
 *
 * The limiter's `limit` and `windowMs` must match `limit` and `period` in Wrangler's configuration, which the store
 * cannot read. The binding counts by its configuration, is eventually consistent, and errs on the side of admitting too
 * many: see Cloudflare's documentation on the Rate Limiting binding. Limiters with different names on one binding count
 * separately.
 *
 * @example Limit a Worker
 * ```ts ignore
 * import { env } from "cloudflare:workers";
 * import sluice from "@sluice/sluice";
 * import { rateLimit } from "@sluice/rate-limit";
 * import { CloudflareRateLimitStore } from "@sluice/rate-limit/cloudflare";
 *
 * // "ratelimits": [{ "name": "LIMITER", "namespace_id": "1001", "simple": { "limit": 100, "period": 60 } }]
 * const store = new CloudflareRateLimitStore({ binding: env.LIMITER });
 *
 * const app = sluice();
 * app.use("/api", rateLimit({ limit: 100, windowMs: 60_000, store }));
 * app.get("/api/time", (_req, res) => res.json({ now: Date.now() }));
 *
 * export default app;
 * ```
 */
export class CloudflareRateLimitStore implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities = {
    algorithms: new Set(["fixed-window"] as const),
    atomicBatch: "none",
    // Cloudflare does not document whether refused calls count
    exactDeny: false,
    scope: "region",
    clock: "store",
    outcomeOnly: true,
  };
  readonly #binding: RateLimitBindingLike;
  /** The first limiter's settings; other limiters must have the same. */
  #configured: Configured | null = null;

  /**
   * Creates an instance.
   *
   * @param options The binding
   * @throws {TypeError} If `binding` is invalid, or an option is unknown
   */
  constructor(options: CloudflareRateLimitStoreOptions) {
    checkNames("CloudflareRateLimitStore", options ?? {}, NAMES);
    const { binding } = options ?? {};
    if (typeof binding?.limit !== "function") {
      throw new TypeError(
        "CloudflareRateLimitStore: option binding must be a rate limiting binding, which has limit(), not " +
          `${describe(binding)}; pass one from env, named in ratelimits of Wrangler's configuration`,
      );
    }
    this.#binding = binding;
    noteLocation(this, { home: binding, prefix: "" });
  }

  /**
   * Checks that a binding supports a policy; see {@linkcode Store}.
   *
   * @throws {TypeError} If the policy is more than a number of requests per period, or the binding already serves
   * another limit
   * @throws {RangeError} If the limit is 0, or the window is neither 10 nor 60 seconds
   */
  checkPolicy(policy: Policy): void {
    checkServed(policy);
    const { limit, windowMs } = this.#configured ??= policy;
    if (limit === policy.limit && windowMs === policy.windowMs) return;
    throw new TypeError(
      `CloudflareRateLimitStore: the binding has one limit, ${limit} in ${windowMs} ms, and policy "${policy.name}" ` +
        `wants ${policy.limit} in ${policy.windowMs} ms; give each limit a binding and a store of its own, or use ` +
        "DurableObjectStore",
    );
  }

  /**
   * Decides one take; see {@linkcode Store}. Rejects with an `Error` if the binding replies unexpectedly.
   *
   * @throws {TypeError} For more than one take, or a cost above 1
   */
  async decide(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    const [take] = takes as [Take];
    if (takes.length > 1) {
      throw new TypeError(`store.decide: a rate limiting binding can't decide several takes as one; ${INSTEAD}`);
    }
    const { policy, key, cost } = take;
    this.checkPolicy(policy);
    if (cost > 1) {
      throw new TypeError(`store.decide: a rate limiting binding counts requests, not a cost of ${cost}; ${INSTEAD}`);
    }
    // free takes always pass
    const wanted = cost === 0 ? 0 : times;
    // the length prefix keeps one name from looking like another plus the start of a key
    const counted = `${policy.name.length}:${policy.name}:${key}`;
    const asked = Array.from({ length: wanted }, () => this.#ask(counted));
    const granted = (await Promise.all(asked)).filter(Boolean).length;
    return [verdictOf(policy, granted, granted < wanted)];
  }

  async #ask(key: string): Promise<boolean> {
    const outcome = await this.#binding.limit({ key });
    if (typeof outcome?.success === "boolean") return outcome.success;
    throw new Error(`store.decide: the rate limiting binding replied with ${describe(outcome)}, not { success }`);
  }

  /** Refunds nothing, because a binding cannot; see {@linkcode Store}. */
  give(): false {
    return false;
  }

  /**
   * Not supported by a binding; see {@linkcode Store}.
   *
   * @throws {TypeError} Always
   */
  reset({ policy }: Selector): never {
    throw new TypeError(`store.reset: a rate limiting binding can't forget keys of policy "${policy}"; ${INSTEAD}`);
  }
}

// the configuration sets a period's length but not its start, so all times are the longest possible
function verdictOf({ limit, windowMs }: Policy, granted: number, denied: boolean): Verdict {
  return {
    ...{ granted, denied, limit },
    remaining: denied ? 0 : NaN,
    retryAfterMs: denied ? windowMs : 0,
    nextMs: windowMs,
    resetMs: windowMs,
    blocked: false,
    stamp: 0,
  };
}

function checkServed({ name, algorithm, limit, windowMs, window, align, onDenied, block, maxDebt }: Policy): void {
  let lacking: string | null = null;
  if (algorithm !== "fixed-window") lacking = `algorithm "${algorithm}"`;
  else if (window !== undefined) lacking = "calendar windows (option window)";
  else if (align !== undefined) lacking = `align "${align}"`;
  else if (onDenied !== undefined) lacking = `onDenied "${onDenied}"`;
  else if (block !== undefined) lacking = "block";
  else if (maxDebt !== undefined) lacking = "maxDebt";
  if (lacking !== null) {
    throw new TypeError(
      `CloudflareRateLimitStore: a binding does not support ${lacking}, which policy "${name}" needs; ${INSTEAD}`,
    );
  }
  if (limit < 1) {
    throw new RangeError(
      `CloudflareRateLimitStore: option limit must be the limit of the binding, above 0, not ${limit}; to refuse ` +
        "all requests, use another middleware",
    );
  }
  if (PERIODS_MS.includes(windowMs)) return;
  throw new RangeError(
    "CloudflareRateLimitStore: option windowMs must be the period of the binding, 10000 or 60000, not " +
      `${windowMs}; ${INSTEAD}`,
  );
}
