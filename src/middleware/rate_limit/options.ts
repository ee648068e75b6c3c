import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import { IPV6_SUBNET } from "../../../limiting/client_key.ts";
import { limitOf } from "../../../limiting/limit_option.ts";
import type { Validate } from "../../../limiting/mistakes.ts";
import {
  checkInteger,
  checkNames,
  checkObject,
  checkType,
  type OptionNames,
  refuseOption,
} from "../../util/check_option.ts";

/**
 * Options for the built-in limiter; all are optional.
 *
 * @example A limit per customer, and per client for requests without a key
 * ```ts
 * import sluice, { clientKey, rateLimit } from "@sluice/sluice";
 *
 * const customers = new Map([["key-of-ann", "ann"]]);
 * const app = sluice();
 * app.use(rateLimit({
 *   windowMs: 60_000,
 *   limit: 30,
 *   // not the header itself: every key that somebody makes up would have a limit of its own
 *   keyGenerator: (req) => customers.get(req.get("x-api-key") ?? "") ?? clientKey(req),
 *   skip: (req) => req.path === "/health",
 *   message: { error: "Too many requests" },
 * }));
 * ```
 */
export interface RateLimitOptions {
  /** Window length in ms, 60 000 by default. A window begins with a key's first request. */
  windowMs?: number | undefined;
  /** Maximum number of requests per key and window, 100 by default; 0 refuses all requests. */
  limit?: number | undefined;
  /** The older name of `limit` in express-rate-limit; set only one of them. */
  max?: number | undefined;
  /** Body for limited responses: a string, or an object sent as JSON. */
  message?: string | object | undefined;
  /** Status for limited responses, 429 by default. */
  statusCode?: number | undefined;
  /** Whether `X-RateLimit-*` and `Retry-After` are sent; on by default. */
  headers?: boolean | undefined;
  /** Computes the key whose requests are counted; by default the client's address. May be asynchronous. */
  keyGenerator?:
    | ((req: FrameworkRequest, res: FrameworkResponse) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** Requests for which it returns `true` are neither counted nor limited. May be asynchronous. */
  skip?: ((req: FrameworkRequest, res: FrameworkResponse) => boolean | Promise<boolean>) | undefined;
  /** Called once for every limited request, before the response is sent; a returned promise is awaited. */
  onLimitReached?: ((req: FrameworkRequest, res: FrameworkResponse) => unknown) | undefined;
  /** Maximum number of keys with their own counter, 100 000 by default; further keys share counters. */
  maxKeys?: number | undefined;
  /** Prefix length in bits that identifies an IPv6 client, 64 by default. */
  ipv6Subnet?: number | undefined;
  /** How to handle requests from unknown clients: count them together, or fail. `"share"` by default. */
  missingKey?: "share" | "error" | undefined;
  /**
   * Mistakes to warn about, each once per process; all by default. `false` turns all warnings off; an object turns off
   * single ones, by express-rate-limit's names `trustProxy`, `xForwardedForHeader`, `forwardedHeader`,
   * `keyGeneratorIpFallback`.
   */
  validate?: Validate | undefined;
  /** Name for limiters created inside requests; those with the same name count together. */
  name?: string | undefined;
  /** Returns the current time in ms; for tests. */
  clock?: (() => number) | undefined;
}

const NAMES: OptionNames<RateLimitOptions> = {
  windowMs: true,
  limit: true,
  max: true,
  message: true,
  statusCode: true,
  headers: true,
  keyGenerator: true,
  skip: true,
  onLimitReached: true,
  maxKeys: true,
  ipv6Subnet: true,
  missingKey: true,
  validate: true,
  name: true,
  clock: true,
};

/** Options that `@sluice/rate-limit`'s limiter has. */
const OF_THE_OTHER = "rateLimit of @sluice/rate-limit has it";

/** Options from express-rate-limit. */
const INSTEAD = {
  handler: "rateLimit of @sluice/rate-limit has it; use message, statusCode and onLimitReached here",
  standardHeaders: OF_THE_OTHER,
  legacyHeaders: "use headers, or rateLimit of @sluice/rate-limit",
  store: OF_THE_OTHER,
  skipSuccessfulRequests: OF_THE_OTHER,
  skipFailedRequests: OF_THE_OTHER,
  limits: OF_THE_OTHER,
};

/** Options without a default. */
type Optional = "max" | "message" | "keyGenerator" | "skip" | "onLimitReached" | "name";

/** The options with defaults filled in. */
export type CheckedRateLimit =
  & { [Name in Exclude<keyof RateLimitOptions, Optional>]-?: Exclude<RateLimitOptions[Name], undefined> }
  & Pick<RateLimitOptions, Optional>;

/**
 * Checks the options and fills in the defaults.
 *
 * @param options The user's options
 * @returns The complete options
 * @throws {TypeError} If an option has the wrong type, or is unknown
 * @throws {RangeError} If a number is out of range
 */
export function checkRateLimit(options: RateLimitOptions): CheckedRateLimit {
  checkNames("rateLimit", options, NAMES, INSTEAD);
  const { windowMs = 60_000, statusCode = 429, headers = true, maxKeys = 100_000 } = options;
  const { limit = 100 } = { limit: limitOf("rateLimit", options) };
  const { ipv6Subnet = IPV6_SUBNET, missingKey = "share" } = options;
  // not the system clock, which may be set; read on each call, so fake time applies to existing limiters
  const { clock = () => performance.now() } = options;
  checkInteger("rateLimit", "windowMs", windowMs, 1, Number.MAX_SAFE_INTEGER);
  if (typeof limit === "function") {
    refuseOption("rateLimit", "limit", "a number; rateLimit of @sluice/rate-limit accepts a function", limit);
  }
  checkInteger("rateLimit", "limit", limit, 0, Number.MAX_SAFE_INTEGER);
  checkInteger("rateLimit", "statusCode", statusCode, 200, 599);
  checkInteger("rateLimit", "maxKeys", maxKeys, 1, 2 ** 24);
  checkInteger("rateLimit", "ipv6Subnet", ipv6Subnet, 1, 128);
  checkType("rateLimit", "headers", headers, "boolean");
  for (const name of ["keyGenerator", "skip", "onLimitReached", "clock"] as const) {
    checkType("rateLimit", name, options[name], "function");
  }
  checkType("rateLimit", "name", options.name, "string");
  const { message, validate = true } = options;
  if (typeof validate !== "boolean") checkObject("rateLimit", "validate", validate, "true, false or an object");
  if (message !== undefined && typeof message !== "string" && (typeof message !== "object" || message === null)) {
    refuseOption("rateLimit", "message", "a string or an object", message);
  }
  if (missingKey !== "share" && missingKey !== "error") {
    refuseOption("rateLimit", "missingKey", '"share" or "error"', missingKey);
  }
  return { ...options, windowMs, limit, statusCode, headers, maxKeys, ipv6Subnet, missingKey, validate, clock };
}
