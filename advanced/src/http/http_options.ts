import { IPV6_SUBNET, type Validate } from "@sluice/limiting";
import { checkInteger, checkObject, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import type { Decision } from "../limiter/decision.ts";
import type { ConsumeOptions, LimiterKeys } from "../limiter/demand.ts";
import type { LimiterOptions, LimitOptions, LimitsOptions, PolicyChoice } from "../limiter/limiter_options.ts";
import { LIMIT_NAMES, LIMITER_NAMES } from "../limiter/limiter_option_names.ts";
import { assertDoesMore, isOutcomeOnly } from "../limiter/outcome_only.ts";
import { fromCounter } from "../stores/counter_store.ts";
import {
  type AnyCounter,
  type CallbackCounterLike,
  type CounterLike,
  isCallbackCounter,
} from "../stores/counter_like.ts";
import { isRedisClient } from "../stores/redis/is_redis_client.ts";
import type { RuleSet } from "../rules/rule_set.ts";
import type { PolicyRules } from "../rules/policy_rules.ts";
import { checkName, MAX_LIMIT } from "../policy/check_policy.ts";
import type { Awaitable, Store } from "../policy/store.ts";
import type { AnyRequest, ResponseOf } from "./request_like.ts";
import { counterInitOf } from "./counter_init.ts";
import type { HeaderOptions, StandardHeaders } from "./rate_limit_headers.ts";

/**
 * The last argument of a `handler`: the limiter's own response, and the reason.
 *
 * @example Send your own response
 * ```ts
 * import { rateLimit } from "@sluice/rate-limit";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(rateLimit({
 *   limit: 100,
 *   handler: (_req, res, _next, { statusCode, decision }) => {
 *     res.statusCode = statusCode;
 *     res.end(`Wait for ${decision.retryAfterMs} ms`);
 *   },
 * }));
 * ```
 */
export interface HandlerOptions {
  /** The status. */
  readonly statusCode: number;
  /** The `message` option, or the default body. */
  // deno-lint-ignore no-explicit-any -- accepted by any way to answer, and typed so in express-rate-limit
  readonly message: any;
  /** The decision. */
  readonly decision: Decision;
}

/**
 * Makes requests wait instead of refusing them. Without `from`, a request that a limit would refuse waits in order of
 * arrival until it fits, if that is soon enough, as in Kong. With `from`, requests within the limit are slowed down, as
 * in nginx. At most `maxWaiting` requests wait; further requests are refused. A client that disconnects while waiting
 * consumes nothing.
 *
 * @example Equivalent to nginx's `rate=10r/s burst=20 delay=8`
 * ```ts ignore
 * app.use(rateLimit({
 *   algorithm: "token-bucket",
 *   limit: 10,
 *   windowMs: 1000,
 *   burst: 21,
 *   delay: { from: 9, maxMs: 1200 },
 * }));
 * ```
 */
export interface DelayOptions {
  /**
   * Used units above which requests are slowed down to the limit's rate. Each waits until the excess would have been
   * used at `limit` per `windowMs`. For a single limit; requests beyond the limit are refused.
   */
  from?: number | undefined;
  /** Maximum wait in ms. */
  maxMs: number;
}

/**
 * One of several limits.
 *
 * @example Limit networks as well as addresses
 * ```ts
 * import { rateLimit } from "@sluice/rate-limit";
 *
 * const limit = rateLimit({ limits: [{ name: "client", limit: 100 }, { name: "network", limit: 1000, ipv6Subnet: 48 }] });
 * ```
 */
export interface RequestLimitOptions extends LimitOptions {
  /** Bits of an IPv6 address that identify a client for this limit, such as a limit on wider subnets. */
  ipv6Subnet?: number | undefined;
}

/**
 * Options for `rateLimit`.
 *
 * @typeParam Req The request passed to functions in the options: Sluice's, Express's, or a web `Request`
 * @typeParam Rest The arguments after it: the response, if there is one
 * @typeParam Res The response to it
 *
 * @example Two limits, decided atomically
 * ```ts
 * import { rateLimit } from "@sluice/rate-limit";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(rateLimit({
 *   limits: [{ name: "minute", limit: 100, windowMs: 60_000 }, { name: "day", limit: 5000, windowMs: 86_400_000 }],
 *   keyGenerator: (req, res) => res.locals.account, // whom a middleware in front has found
 * }));
 * ```
 */
export interface RateLimitOptions<
  Req = AnyRequest,
  Rest extends unknown[] = [res: ResponseOf<Req>],
  Res = ResponseOf<Req>,
> extends Omit<LimiterOptions, "limit" | "limits" | "max" | "store"> {
  /** Several limits decided atomically: either all limits grant, or no limit is charged. Replaces the single limit. */
  limits?: readonly RequestLimitOptions[] | undefined;
  /**
   * Units per window, 100 by default. A function can return a different limit per customer: a number for all limits, or
   * an object of numbers by limit name.
   */
  limit?: number | ((req: Req, ...rest: Rest) => Awaitable<NonNullable<ConsumeOptions["limit"]>>) | undefined;
  /** The older name for `limit` in express-rate-limit. Set only one of them. */
  max?: number | ((req: Req, ...rest: Rest) => Awaitable<NonNullable<ConsumeOptions["limit"]>>) | undefined;
  /**
   * The policy for a request's key, from a table or a database: a name in `policies`, or an object with the settings
   * that differ. Cannot be combined with a function for `limit`. Called once the key is known; asynchronous results are
   * cached for `policyTtlMs`.
   */
  policy?: ((req: Req, ...rest: Rest) => Awaitable<PolicyChoice>) | undefined;
  /**
   * Limits from a document (`PolicyRules` from `@sluice/rate-limit/rules`): which requests they apply to, and what they
   * count by. Replaces the corresponding options here.
   */
  rules?: PolicyRules | undefined;
  /** With `rules`: the client's tier, by its name in the document; `undefined` or `null` if it has none. */
  tier?: ((req: Req, ...rest: Rest) => Awaitable<string | null | undefined>) | undefined;
  /** With `rules`: values to count by for `{ "field": name }`; `undefined` or `null` if a request has none. */
  fields?:
    | Readonly<Record<string, (req: Req, ...rest: Rest) => Awaitable<string | number | null | undefined>>>
    | undefined;
  /** How long an asynchronous result of `policy` is cached, in ms; 10 000 by default, 0 to disable. */
  policyTtlMs?: number | undefined;
  /** Where counters are kept. Stores for express-rate-limit also work. */
  store?: Store | CounterLike | CallbackCounterLike | undefined;
  /**
   * Units a request costs, 1 by default. A cost of 0 is free and always passes. A function may return an object of
   * numbers by limit name, such as `{ requests: 1, bytes: 2048 }`.
   */
  cost?: number | ((req: Req, ...rest: Rest) => Awaitable<NonNullable<ConsumeOptions["cost"]>>) | undefined;
  /**
   * The actual cost of a request, called once its handler has ended the response. It replaces the estimate in `cost`;
   * return `undefined` to keep the estimate. If the client disconnects first, it is called then and again at the end.
   * Nothing is refunded in between, because the handler may still be running. For limits with `maxDebt`; other limits
   * keep what they counted. Not called for refused requests, or for requests refunded by `skipFailedRequests` or
   * `skipSuccessfulRequests`.
   */
  costAfter?: ((req: Req, res: Res) => Awaitable<number | undefined>) | undefined;
  /**
   * The key, or several limits' keys by name; `null` for limits that do not apply to the request. The client's address
   * by default. For keys that contain the address and more, use {@linkcode clientKey}: `` `${clientKey(req)}:${user}`
   * ``.
   */
  keyGenerator?: ((req: Req, ...rest: Rest) => Awaitable<LimiterKeys | undefined>) | undefined;
  /** Return `true` to neither count nor refuse a request. */
  skip?: ((req: Req, ...rest: Rest) => Awaitable<boolean>) | undefined;
  /** Refusal body: a string, an object sent as JSON, or a function that returns either. */
  message?: string | object | ((req: Req, ...rest: Rest) => Awaitable<string | object>) | undefined;
  /** Refusal status, 429 by default. */
  statusCode?: number | undefined;
  /** Whether to send rate limit headers and `Retry-After`; on by default. */
  headers?: boolean | undefined;
  /** The IETF headers: a draft, or `true` for draft-6; off by default. */
  standardHeaders?: boolean | StandardHeaders | undefined;
  /** Whether to send `X-RateLimit-*`, on by default. `Retry-After` is sent with it or with `standardHeaders`. */
  legacyHeaders?: boolean | undefined;
  /** `X-RateLimit-Reset` in seconds from now (default), or since 1970. */
  legacyReset?: "delta" | "epoch" | undefined;
  /**
   * Maximum random delay in ms added to the `Retry-After` of each refusal, so that clients refused together do not all
   * retry at once; 0 by default.
   */
  retryJitter?: number | undefined;
  /** Returns 0 to 1 for `retryJitter`; `Math.random` by default. For tests. */
  random?: (() => number) | undefined;
  /** Makes requests wait instead of refusing them; see {@linkcode DelayOptions}. */
  delay?: DelayOptions | undefined;
  /** express-rate-limit's name for `name`, which headers show. */
  identifier?: string | undefined;
  /** Responds to refused requests instead of the limiter. */
  handler?:
    | ((req: Req, res: Res, next: (error?: unknown) => void, options: HandlerOptions) => unknown)
    | undefined;
  /** Called for every refused request, before the response is sent. */
  onLimitReached?: ((req: Req, ...rest: Rest) => unknown) | undefined;
  /** Request property set to `{ limit, used, remaining, resetTime, key }`, `"rateLimit"` by default. */
  requestPropertyName?: string | undefined;
  /**
   * Refunds requests with a status of 400 or above. With an express-rate-limit store, which counts refusals, it also
   * refunds refused requests.
   */
  skipFailedRequests?: boolean | undefined;
  /** Refunds requests with a status below 400. */
  skipSuccessfulRequests?: boolean | undefined;
  /** Decides which requests succeeded, for the two options above. */
  requestWasSuccessful?: ((req: Req, res: Res) => Awaitable<boolean>) | undefined;
  /** express-rate-limit's names: `true` is `onStoreFailure: "open"`, and `false` is `"closed"`. */
  passOnStoreError?: boolean | undefined;
  /**
   * Mistakes to warn about, each once per process; all by default. `false` turns all warnings off; an object turns off
   * single ones, by express-rate-limit's names `trustProxy`, `xForwardedForHeader`, `forwardedHeader`,
   * `keyGeneratorIpFallback`, `singleCount`. Options are always checked.
   */
  validate?: Validate | undefined;
  /** Bits of an IPv6 address that identify a client, 64 by default. */
  ipv6Subnet?: number | undefined;
  /** What to do if the client is unknown: count such requests together (default), or fail. */
  missingKey?: "share" | "error" | undefined;
  /** Decides, counts and reports, but never refuses. */
  dryRun?: boolean | undefined;
  /** Whether the default refusal body is a problem document (RFC 9457). */
  problemDetails?: boolean | undefined;
}

/** The limiter's own options, under its own names. */
export function limiterOptionsOf<Req>(options: RateLimitOptions<Req>, caller: string): LimiterOptions {
  const { limit, store, identifier, name, passOnStoreError, onStoreFailure, dryRun, limits, rules, ...rest } = options;
  checkType(caller, "passOnStoreError", passOnStoreError, "boolean");
  const shadow = dryRun ? { shadow: true } : {};
  const several = rules === undefined
    ? limits && { limits: limits.map((one) => ({ ...pick(one, LIMIT_NAMES), ...shadow })) }
    : limitsByRules(rules.rules, dryRun);
  return {
    ...pick(rest, LIMITER_NAMES),
    ...(typeof limit === "function" || limit === undefined ? {} : { limit }),
    ...(several ?? shadow),
    name: name === undefined ? identifier : name,
    store: store === undefined ? undefined : storeOf(store, options),
    // only if written: express-rate-limit's default, false, is not ours
    onStoreFailure: onStoreFailure === undefined && passOnStoreError !== undefined
      ? passOnStoreError ? "open" : "closed"
      : onStoreFailure,
  };
}

/** The limiter's options for a set of rules. */
export function limitsByRules({ limits }: RuleSet, dryRun: boolean | undefined): LimitsOptions {
  if (!dryRun) return limits;
  return { ...limits, limits: limits.limits!.map((limit) => ({ ...limit, shadow: true })) };
}

function pick<Options>(options: object, names: OptionNames<Options>): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(names, name))) as Partial<Options>;
}

function storeOf<Req>(store: Store | AnyCounter, options: RateLimitOptions<Req>): Store {
  // a value that is not an object, such as a Redis URL, is rejected when the limiter is created
  const counter = Object(store) as AnyCounter;
  const isCounter = "increment" in counter && typeof counter.increment === "function" || isCallbackCounter(counter);
  // Redis clients have a method `incr` too
  return isCounter && !isRedisClient(store) ? fromCounter(counter, { init: counterInitOf(options) }) : store as Store;
}

/** Maximum that `retryJitter` may add to a wait, in ms: one hour. */
const LONGEST_JITTER_MS = 3_600_000;

/** Resolves the header options. */
export function headerOptionsOf<Req>(options: RateLimitOptions<Req>, caller: string): HeaderOptions | null {
  const { headers = true, legacyHeaders = true, standardHeaders = false, legacyReset = "delta" } = options;
  checkType(caller, "headers", headers, "boolean");
  checkType(caller, "legacyHeaders", legacyHeaders, "boolean");
  const drafts = ["draft-6", "draft-7", "draft-8", "draft-10", "draft-11"];
  const { retryJitter = 0, random = Math.random } = options;
  checkInteger(caller, "retryJitter", retryJitter, 0, LONGEST_JITTER_MS);
  if (typeof standardHeaders !== "boolean" && !drafts.includes(standardHeaders)) {
    refuseOption(caller, "standardHeaders", `true, false or one of ${drafts.join(", ")}`, standardHeaders);
  }
  if (legacyReset !== "delta" && legacyReset !== "epoch") {
    refuseOption(caller, "legacyReset", '"delta" or "epoch"', legacyReset);
  }
  const standard = standardHeaders === true ? "draft-6" : standardHeaders === false ? null : standardHeaders;
  if (!headers || (!legacyHeaders && standard === null)) return null;
  return { legacy: legacyHeaders, legacyReset, standard, retryJitterMs: retryJitter, random };
}

/** Maximum time to cache a key's policy, in ms: one day. */
const LONGEST_POLICY_MS = 86_400_000;

/** Checks the options that only concern HTTP. */
export function checkHttpOptions<Req>(options: RateLimitOptions<Req>, caller: string): void {
  const { statusCode = 429, ipv6Subnet = IPV6_SUBNET, missingKey = "share", requestPropertyName = "rateLimit" } =
    options;
  checkInteger(caller, "statusCode", statusCode, 200, 599);
  checkInteger(caller, "ipv6Subnet", ipv6Subnet, 1, 128);
  for (const limit of options.limits ?? []) {
    if (limit.ipv6Subnet !== undefined) checkInteger(caller, "limits.ipv6Subnet", limit.ipv6Subnet, 1, 128);
  }
  if (missingKey !== "share" && missingKey !== "error") {
    refuseOption(caller, "missingKey", '"share" or "error"', missingKey);
  }
  checkType(caller, "requestPropertyName", requestPropertyName, "string");
  checkRules(options, caller);
  for (
    const name of [
      "keyGenerator",
      "tier",
      "policy",
      "skip",
      "handler",
      "onLimitReached",
      "requestWasSuccessful",
      "costAfter",
      "random",
    ] as const
  ) {
    checkType(caller, name, options[name], "function");
  }
  for (const name of ["skipFailedRequests", "skipSuccessfulRequests", "dryRun", "problemDetails"] as const) {
    checkType(caller, name, options[name], "boolean");
  }
  const { message, cost = 1, limit, identifier, validate, policyTtlMs = 0 } = options;
  checkInteger(caller, "policyTtlMs", policyTtlMs, 0, LONGEST_POLICY_MS);
  if (options.policy !== undefined && typeof limit === "function") {
    throw new TypeError(
      `${caller}: options policy and limit cannot both be functions; let policy return { limit }`,
    );
  }
  if (limit !== undefined && typeof limit !== "function") checkInteger(caller, "limit", limit, 0, MAX_LIMIT);
  if (identifier !== undefined) checkName(identifier, "identifier", caller);
  if (typeof validate !== "boolean") checkObject(caller, "validate", validate, "true, false or an object");
  if (message !== undefined && (message === null || !["string", "object", "function"].includes(typeof message))) {
    refuseOption(caller, "message", "a string, an object or a function", message);
  }
  if (typeof cost !== "function") checkCost(options, cost, caller);
  if (isOutcomeOnly(options.store)) checkOutcomeOnly(options, caller);
}

// rejects options for which a store's allow-or-refuse result is not enough
function checkOutcomeOnly<Req>(options: RateLimitOptions<Req>, caller: string): void {
  const { store, limit, cost } = options;
  for (const name of ["skipFailedRequests", "skipSuccessfulRequests", "delay", "policy"] as const) {
    if (options[name] !== undefined && options[name] !== false) assertDoesMore(store, caller, `option ${name}`);
  }
  if (typeof limit === "function") assertDoesMore(store, caller, "option limit as a function");
  if (typeof cost === "number" && cost > 1) assertDoesMore(store, caller, `option cost of ${cost}`);
}

// the rules themselves check other options
function checkRules<Req>(options: RateLimitOptions<Req>, caller: string): void {
  const { rules } = options;
  if (rules === undefined) {
    const lost = (["tier", "fields"] as const).find((name) => options[name] !== undefined);
    if (lost === undefined) return;
    throw new TypeError(`${caller}: option ${lost} is for rules; give rules: new PolicyRules(document)`);
  }
  if (typeof rules?.askerFor === "function") return;
  refuseOption(caller, "rules", "rules of a document: new PolicyRules(document)", rules);
}

function checkCost<Req>(options: RateLimitOptions<Req>, cost: number, caller: string): void {
  checkInteger(caller, "cost", cost, 0, MAX_LIMIT);
  // a key may have its own, higher limit
  if (options.policy !== undefined || options.rules !== undefined) return;
  const { limit: told } = options;
  for (const { limit = 100, burst, algorithm, shadow } of options.limits ?? [options as LimitOptions]) {
    // a function may return a higher limit, even with a list of limits, but it does not change a burst
    const units = typeof told === "function" ? Infinity : limit;
    const most = algorithm === "token-bucket" ? burst ?? units : units;
    // invalid limits are reported when the limiter is created; shadow limits never refuse
    if (!Number.isInteger(most) || most <= 0 || cost <= most || shadow || options.dryRun) continue;
    throw new RangeError(
      `${caller}: option cost (${cost}) is above the limit (${most}), so no request would ever pass`,
    );
  }
}
