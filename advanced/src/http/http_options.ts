import { IPV6_SUBNET, type Validate } from "@sluice/limiting";
import { checkInteger, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import type { Decision } from "../limiter/decision.ts";
import type { ConsumeOptions, LimiterKeys } from "../limiter/demand.ts";
import type { LimiterOptions, LimitOptions, LimitsOptions, PolicyChoice } from "../limiter/limiter_options.ts";
import { LIMIT_NAMES, LIMITER_NAMES } from "../limiter/option_names.ts";
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
 * What a `handler` gets besides request and response: what the limiter would have sent, and why.
 *
 * @example A refusal of one's own
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
 * Lets requests wait instead of refusing them: without `from`, a request that a limit would refuse waits until there is
 * room for it, in order of arrival, if that is soon enough, as with Kong; with `from`, those that are within the limit
 * are slowed down, as with nginx. At most `maxWaiting` requests wait; further ones are refused. Who leaves meanwhile
 * takes nothing.
 *
 * @example As with nginx's `rate=10r/s burst=20 delay=8`
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
   * Units used from which requests are slowed down to the rate of the limit: each waits until the units above would have
   * been used at `limit` in `windowMs`. For a single limit, beyond which requests are refused.
   */
  from?: number | undefined;
  /** Longest wait in ms. */
  maxMs: number;
}

/**
 * One of several limits, for requests.
 *
 * @example Networks instead of addresses
 * ```ts
 * import { rateLimit } from "@sluice/rate-limit";
 *
 * const limit = rateLimit({ limits: [{ name: "client", limit: 100 }, { name: "network", limit: 1000, ipv6Subnet: 48 }] });
 * ```
 */
export interface RequestLimitOptions extends LimitOptions {
  /** Bits of an IPv6 address that identify a client for this limit: for a second limit on wider subnets. */
  ipv6Subnet?: number | undefined;
}

/**
 * Options of `rateLimit`.
 *
 * @typeParam Req The request that functions in the options get: Sluice's, Express's, or a web `Request`
 * @typeParam Rest What they get after it: the response, if there is one already
 * @typeParam Res The response that belongs to it
 *
 * @example Two limits, decided as one
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
  /** Several limits decided as one: either all of them grant, or none is charged. Replaces the single one. */
  limits?: readonly RequestLimitOptions[] | undefined;
  /**
   * Units per window, 100 by default; or a function that returns them, for customers' tiers: a number for all limits,
   * or an object of numbers by the names of limits.
   */
  limit?: number | ((req: Req, ...rest: Rest) => Awaitable<NonNullable<ConsumeOptions["limit"]>>) | undefined;
  /** The older name of `limit` in express-rate-limit; one of them is enough. */
  max?: number | ((req: Req, ...rest: Rest) => Awaitable<NonNullable<ConsumeOptions["limit"]>>) | undefined;
  /**
   * The policy of a request's key, from a table or a database: a name in `policies`, or what of the limit is not as usual.
   * Not with functions for `limit`. It is asked once the key is known; what had to be waited for is remembered for
   * `policyTtlMs`.
   */
  policy?: ((req: Req, ...rest: Rest) => Awaitable<PolicyChoice>) | undefined;
  /**
   * Limits from a document, for `PolicyRules` of `@sluice/rate-limit/rules`: for which requests they hold, and what counts.
   * In place of all options that say so here.
   */
  rules?: PolicyRules | undefined;
  /** With `rules`: the tier of a request's client, by its name in the document; nothing for those without. */
  tier?: ((req: Req, ...rest: Rest) => Awaitable<string | null | undefined>) | undefined;
  /** With `rules`: what the document counts by as `{ "field": name }`; nothing where a request has none. */
  fields?:
    | Readonly<Record<string, (req: Req, ...rest: Rest) => Awaitable<string | number | null | undefined>>>
    | undefined;
  /** How long a key's policy that had to be waited for is remembered, in ms; 10 000 by default, 0 for not at all. */
  policyTtlMs?: number | undefined;
  /** Where counters are kept; stores for express-rate-limit work, too. */
  store?: Store | CounterLike | CallbackCounterLike | undefined;
  /**
   * Units a request costs, 1 by default; one that costs 0 is free, and always passes. A function may return an object of
   * numbers by the names of limits, such as `{ requests: 1, bytes: 2048 }`.
   */
  cost?: number | ((req: Req, ...rest: Rest) => Awaitable<NonNullable<ConsumeOptions["cost"]>>) | undefined;
  /**
   * What a request has really cost, once its handler has ended the response: it replaces `cost`, which was an estimate,
   * and stays if this returns `undefined`, as nobody knows. If the client leaves before, it is asked at once and again at
   * the end, and until then nothing is given back: the handler may go on. For limits with `maxDebt`; others keep what they
   * counted. Not for refused requests, nor for those that `skipFailedRequests` or `skipSuccessfulRequests` give back.
   */
  costAfter?: ((req: Req, res: Res) => Awaitable<number | undefined>) | undefined;
  /**
   * The key, or the keys of several limits by their names, `null` for those that have nothing to do with the request; the
   * client's address by default. With the address and more in
   * it, use {@linkcode clientKey}: `` `${clientKey(req)}:${user}` ``.
   */
  keyGenerator?: ((req: Req, ...rest: Rest) => Awaitable<LimiterKeys | undefined>) | undefined;
  /** Requests for which it returns `true` are neither counted nor refused. */
  skip?: ((req: Req, ...rest: Rest) => Awaitable<boolean>) | undefined;
  /** Body of a rejection: text, an object sent as JSON, or a function that returns one of these. */
  message?: string | object | ((req: Req, ...rest: Rest) => Awaitable<string | object>) | undefined;
  /** Status of a rejection, 429 by default. */
  statusCode?: number | undefined;
  /** Whether headers about the limits, and `Retry-After`, are sent; on by default. */
  headers?: boolean | undefined;
  /** The IETF's headers: a draft, or `true` for draft-6; off by default. */
  standardHeaders?: boolean | StandardHeaders | undefined;
  /** Whether `X-RateLimit-*` is sent, on by default. `Retry-After` is sent with it or with `standardHeaders`. */
  legacyHeaders?: boolean | undefined;
  /** `X-RateLimit-Reset` in seconds from now (default), or since 1970. */
  legacyReset?: "delta" | "epoch" | undefined;
  /**
   * Most ms that are added by chance to the `Retry-After` of each refusal, so that clients that were refused together
   * don't come back together; 0 by default.
   */
  retryJitter?: number | undefined;
  /** Chance from 0 to 1, for `retryJitter`; `Math.random` by default. For tests. */
  random?: (() => number) | undefined;
  /** Lets requests wait instead of refusing them; see {@linkcode DelayOptions}. */
  delay?: DelayOptions | undefined;
  /** express-rate-limit's name for `name`: the limit in headers. */
  identifier?: string | undefined;
  /** Responds to refused requests instead of the limiter. */
  handler?:
    | ((req: Req, res: Res, next: (error?: unknown) => void, options: HandlerOptions) => unknown)
    | undefined;
  /** Called for every refused request, before it gets its response. */
  onLimitReached?: ((req: Req, ...rest: Rest) => unknown) | undefined;
  /** Property of the request that is set to `{ limit, used, remaining, resetTime, key }`, `"rateLimit"` by default. */
  requestPropertyName?: string | undefined;
  /**
   * Gives back what a request took if its status is 400 or more; with a store for express-rate-limit, which counts
   * refusals, what a refused one took, too.
   */
  skipFailedRequests?: boolean | undefined;
  /** Gives back what a request took if its status is below 400. */
  skipSuccessfulRequests?: boolean | undefined;
  /** Decides which requests succeeded, for the two options above. */
  requestWasSuccessful?: ((req: Req, res: Res) => Awaitable<boolean>) | undefined;
  /** express-rate-limit's name for `onStoreFailure: "open"`. */
  passOnStoreError?: boolean | undefined;
  /**
   * Which mistakes are looked for, with one warning for each in a process: all by default, `false` for none, or an object
   * with express-rate-limit's names `trustProxy`, `xForwardedForHeader`, `forwardedHeader`, `keyGeneratorIpFallback`,
   * `singleCount`. Options are always checked.
   */
  validate?: Validate | undefined;
  /** Bits of an IPv6 address that identify a client, 64 by default. */
  ipv6Subnet?: number | undefined;
  /** What to do with requests whose client is unknown: count them together (default), or fail. */
  missingKey?: "share" | "error" | undefined;
  /** Decides, counts and reports, but refuses no request. */
  dryRun?: boolean | undefined;
  /** Whether the default body of a rejection is a problem document (RFC 9457). */
  problemDetails?: boolean | undefined;
}

/** The options of the limiter itself, under its own names. */
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
    onStoreFailure: onStoreFailure === undefined && passOnStoreError ? "open" : onStoreFailure,
  };
}

/** What a limiter decides by that has rules. */
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
  // a client of Redis has a method incr, too
  return isCounter && !isRedisClient(store) ? fromCounter(counter, { init: counterInitOf(options) }) : store as Store;
}

/** Longest time that chance may add to a wait, in ms: an hour. */
const LONGEST_JITTER_MS = 3_600_000;

/** Which headers are sent, by the options. */
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

/** Longest time for which the policy of a key may be remembered, in ms: a day. */
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
      `${caller}: options policy and limit exclude each other as functions; let policy return { limit }`,
    );
  }
  if (limit !== undefined && typeof limit !== "function") checkInteger(caller, "limit", limit, 0, MAX_LIMIT);
  if (identifier !== undefined) checkName(identifier, "identifier", caller);
  if (typeof validate !== "object" || validate === null) checkType(caller, "validate", validate, "boolean");
  if (message !== undefined && (message === null || !["string", "object", "function"].includes(typeof message))) {
    refuseOption(caller, "message", "a string, an object or a function", message);
  }
  if (typeof cost !== "function") checkCost(options, cost, caller);
  if (isOutcomeOnly(options.store)) checkOutcomeOnly(options, caller);
}

// what a store cannot do that only tells whether a request passes
function checkOutcomeOnly<Req>(options: RateLimitOptions<Req>, caller: string): void {
  const { store, limit, cost } = options;
  for (const name of ["skipFailedRequests", "skipSuccessfulRequests", "delay", "policy"] as const) {
    if (options[name] !== undefined && options[name] !== false) assertDoesMore(store, caller, `option ${name}`);
  }
  if (typeof limit === "function") assertDoesMore(store, caller, "option limit as a function");
  if (typeof cost === "number" && cost > 1) assertDoesMore(store, caller, `option cost of ${cost}`);
}

// what else is wrong beside rules, they say themselves
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
  // a key may have a higher limit of its own
  if (options.policy !== undefined || options.rules !== undefined) return;
  const { limit: told } = options;
  for (const { limit = 100, burst, algorithm, shadow } of options.limits ?? [options as LimitOptions]) {
    // a function may return a higher limit, for the list of limits, too; but it does not change a burst
    const units = typeof told === "function" ? Infinity : limit;
    const most = algorithm === "token-bucket" ? burst ?? units : units;
    // invalid limits are reported when the limiter is made; shadow limits refuse nobody
    if (!Number.isInteger(most) || most <= 0 || cost <= most || shadow || options.dryRun) continue;
    throw new RangeError(
      `${caller}: option cost (${cost}) is above the limit (${most}), so no request would ever pass`,
    );
  }
}
