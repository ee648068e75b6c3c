import { limitOf } from "@sluice/limiting";
import { checkNames, type OptionNames, refuseOption } from "@sluice/shared";
import type { LimiterOptions, LimitOptions, LimitsOptions } from "./limiter_options.ts";

export const LIMIT_NAMES: OptionNames<LimitOptions> = {
  name: true,
  algorithm: true,
  windowMs: true,
  window: true,
  limit: true,
  max: true,
  burst: true,
  buckets: true,
  align: true,
  onDenied: true,
  block: true,
  maxDebt: true,
  shadow: true,
};

/** Option names for limits. */
export const LIMITS_NAMES: OptionNames<LimitsOptions> = { ...LIMIT_NAMES, limits: true, policies: true };

/** Option names for a {@linkcode Limiter}. */
export const LIMITER_NAMES: OptionNames<LimiterOptions> = {
  ...LIMITS_NAMES,
  store: true,
  maxKeys: true,
  timeoutMs: true,
  onStoreFailure: true,
  processes: true,
  coalesce: true,
  denyCache: true,
  leases: true,
  clock: true,
  timers: true,
  maxWaiting: true,
};

/** Options that may use the older name for `limit`. */
interface MaxOptions {
  readonly max?: unknown;
  readonly limit?: unknown;
  readonly limits?: unknown;
}

/**
 * Renames `max` to `limit`, also in each of `limits`.
 *
 * @param caller Caller name for error messages
 * @param options The options passed
 * @returns The options with `limit` alone
 * @throws {TypeError} If both names are given and their values differ
 */
export function withLimit<Options extends object>(caller: string, options: Options): Options {
  const { max, ...rest }: MaxOptions = options;
  const { limits } = rest;
  const limit = limitOf(caller, options as MaxOptions);
  const own = max === undefined ? options : { ...rest, limit };
  if (!Array.isArray(limits) || !limits.some((one) => one.max !== undefined)) return own as Options;
  return { ...own, limits: limits.map((one, i) => withLimit(`${caller}, limits[${i}]`, one)) } as Options;
}

/** Option names from rate-limiter-flexible, @nestjs/throttler and express-slow-down. */
export const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["points", "use limit"],
  ["tokensPerInterval", "use limit, the units in windowMs"],
  ["interval", "use windowMs, in ms"],
  ["requests", "use limit"],
  ["inMemoryBlockOnConsumed", "refusals are remembered: option denyCache"],
  ["insuranceLimiter", 'use onStoreFailure: "local"'],
  ["execEvenly", "use waitFor"],
  ["storeClient", "use store: new RedisStore({ client })"],
  ["duration", "use windowMs, in ms"],
  ["blockDuration", "use block: { after: 1, forMs }"],
  ["keyPrefix", "use name"],
  ["ttl", "use windowMs, in ms"],
  ["delayMs", "use waitFor"],
  ["delayAfter", "use waitFor"],
]);

/**
 * Rejects unknown options for a limiter and its limits, and single-limit options combined with several limits.
 *
 * @param caller Caller name for error messages
 * @param options The options passed
 * @param names The valid names
 * @param limitNames The valid names for one of several limits
 * @param instead Suggests a replacement for a name
 * @throws {TypeError} If there is one
 */
export function checkLimiterNames<Options, Limit>(
  caller: string,
  options: unknown,
  names: OptionNames<Options>,
  limitNames: OptionNames<Limit>,
  instead?: (name: string) => string | undefined,
): void {
  checkNames(caller, options, names, (name) => instead?.(name) ?? INSTEAD.get(name));
  const { limits, ...single } = options as Record<string, unknown>;
  if (limits === undefined) return;
  if (!Array.isArray(limits) || limits.length === 0) {
    refuseOption(caller, "limits", "a list of at least one limit", limits);
  }
  limits.forEach((limit, i) => checkNames(`${caller}, limits[${i}]`, limit, limitNames, (name) => INSTEAD.get(name)));
  // a function applies to all limits; a name distinguishes limiters created inside requests
  const lost = Object.keys({ ...LIMIT_NAMES, limit: true })
    .find((name) => name !== "name" && single[name] !== undefined && typeof single[name] !== "function");
  if (lost === undefined) return;
  throw new TypeError(`${caller}: option ${lost} cannot be combined with limits; set it on each of them`);
}
