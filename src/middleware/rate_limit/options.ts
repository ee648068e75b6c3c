import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import { IPV6_SUBNET } from "../../../limiting/client_key.ts";
import { limitOf } from "../../../limiting/limit_option.ts";
import type { Validate } from "../../../limiting/mistakes.ts";
import { checkInteger, checkNames, checkType, type OptionNames, refuseOption } from "../../util/check_option.ts";

/**
 * Options of the built-in limiter; all are optional.
 *
 * @example A limit for each customer, and for each client that has no key
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
  /** Length of the window in ms, 60 000 by default. It begins with a key's first request. */
  windowMs?: number | undefined;
  /** Most requests for each key and window, 100 by default; 0 refuses all. */
  limit?: number | undefined;
  /** The older name of `limit` in express-rate-limit; one of them is enough. */
  max?: number | undefined;
  /** Body of a limited response: text, or an object sent as JSON. */
  message?: string | object | undefined;
  /** Status of a limited response, 429 by default. */
  statusCode?: number | undefined;
  /** Whether `X-RateLimit-*` and `Retry-After` are sent; on by default. */
  headers?: boolean | undefined;
  /** Computes the key whose requests are counted; the client's address by default. May be asynchronous. */
  keyGenerator?:
    | ((req: FrameworkRequest, res: FrameworkResponse) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** Requests for which it returns `true` are neither counted nor limited. May be asynchronous. */
  skip?: ((req: FrameworkRequest, res: FrameworkResponse) => boolean | Promise<boolean>) | undefined;
  /** Called once for every limited request, before it is answered; a promise it returns is awaited. */
  onLimitReached?: ((req: FrameworkRequest, res: FrameworkResponse) => unknown) | undefined;
  /** Most keys with a counter of their own, 100 000 by default; further keys share counters. */
  maxKeys?: number | undefined;
  /** Bits of an IPv6 address that identify a client, 64 by default. */
  ipv6Subnet?: number | undefined;
  /** What to do with requests whose client is unknown: count them together, or fail. `"share"` by default. */
  missingKey?: "share" | "error" | undefined;
  /**
   * Which mistakes are looked for, with one warning for each in a process: all by default, `false` for none, or an object
   * with express-rate-limit's names `trustProxy`, `xForwardedForHeader`, `forwardedHeader`, `keyGeneratorIpFallback`.
   */
  validate?: Validate | undefined;
  /** Name for limiters that are made inside requests: those of one name count together. */
  name?: string | undefined;
  /** The present time in ms; for tests. */
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

/** What the limiter of `@sluice/rate-limit` has. */
const OF_THE_OTHER = "rateLimit of @sluice/rate-limit has it";

/** Options of express-rate-limit. */
const INSTEAD = {
  handler: "rateLimit of @sluice/rate-limit has it; here it is message, statusCode and onLimitReached",
  standardHeaders: OF_THE_OTHER,
  legacyHeaders: "say headers, or take rateLimit of @sluice/rate-limit",
  store: OF_THE_OTHER,
  skipSuccessfulRequests: OF_THE_OTHER,
  skipFailedRequests: OF_THE_OTHER,
  limits: OF_THE_OTHER,
};

/** Options that have no default. */
type Optional = "max" | "message" | "keyGenerator" | "skip" | "onLimitReached" | "name";

/** The options, complete. */
export type CheckedRateLimit =
  & { [Name in Exclude<keyof RateLimitOptions, Optional>]-?: Exclude<RateLimitOptions[Name], undefined> }
  & Pick<RateLimitOptions, Optional>;

/**
 * Checks the options and fills in the defaults.
 *
 * @param options The user's options
 * @returns Complete options
 * @throws {TypeError} If an option has the wrong type, or is unknown
 * @throws {RangeError} If a number is out of range
 */
export function checkRateLimit(options: RateLimitOptions): CheckedRateLimit {
  checkNames("rateLimit", options, NAMES, INSTEAD);
  const { windowMs = 60_000, statusCode = 429, headers = true, maxKeys = 100_000 } = options;
  const { limit = 100 } = { limit: limitOf("rateLimit", options) };
  const { ipv6Subnet = IPV6_SUBNET, missingKey = "share" } = options;
  // not the system's clock, which may be set; read each time, so that fake time applies to limiters made before
  const { clock = () => performance.now() } = options;
  checkInteger("rateLimit", "windowMs", windowMs, 1, Number.MAX_SAFE_INTEGER);
  if (typeof limit === "function") {
    refuseOption("rateLimit", "limit", "a number; the one of @sluice/rate-limit takes a function", limit);
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
  if (typeof validate !== "object" || validate === null) checkType("rateLimit", "validate", validate, "boolean");
  if (message !== undefined && typeof message !== "string" && (typeof message !== "object" || message === null)) {
    refuseOption("rateLimit", "message", "a string or an object", message);
  }
  if (missingKey !== "share" && missingKey !== "error") {
    refuseOption("rateLimit", "missingKey", '"share" or "error"', missingKey);
  }
  return { ...options, windowMs, limit, statusCode, headers, maxKeys, ipv6Subnet, missingKey, validate, clock };
}
