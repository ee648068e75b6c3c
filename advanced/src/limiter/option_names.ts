import { limitOf } from "@sluice/limiting";
import { checkNames, type OptionNames, refuseOption } from "@sluice/shared";
import type { LimiterOptions, LimitOptions, LimitsOptions } from "./limiter_options.ts";

/** Names of the options of one limit. */
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

/** Names of what a limiter decides by. */
export const LIMITS_NAMES: OptionNames<LimitsOptions> = { ...LIMIT_NAMES, limits: true, policies: true };

/** Names of the options of a {@linkcode Limiter}. */
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

/** Options that may have the older name of `limit`. */
interface MaxOptions {
  readonly max?: unknown;
  readonly limit?: unknown;
  readonly limits?: unknown;
}

/**
 * Takes `max` for `limit`, also in each of `limits`.
 *
 * @param caller Name of the caller for error messages
 * @param options What was given
 * @returns The options with `limit` alone
 * @throws {TypeError} If both are given, and differ
 */
export function withLimit<Options extends object>(caller: string, options: Options): Options {
  const { max, ...rest }: MaxOptions = options;
  const { limits } = rest;
  const limit = limitOf(caller, options as MaxOptions);
  const own = max === undefined ? options : { ...rest, limit };
  if (!Array.isArray(limits) || !limits.some((one) => one.max !== undefined)) return own as Options;
  return { ...own, limits: limits.map((one, i) => withLimit(`${caller}, limits[${i}]`, one)) } as Options;
}

/** Names that people bring along from rate-limiter-flexible, @nestjs/throttler and express-slow-down. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ["points", "say limit"],
  ["tokensPerInterval", "say limit, the units in windowMs"],
  ["interval", "say windowMs, in ms"],
  ["requests", "say limit"],
  ["inMemoryBlockOnConsumed", "refusals are remembered: option denyCache"],
  ["execEvenly", "waitFor waits"],
  ["storeClient", "say store: new RedisStore({ client })"],
  ["duration", "say windowMs, in ms"],
  ["blockDuration", "say block: { after: 1, forMs }"],
  ["keyPrefix", "say name"],
  ["ttl", "say windowMs, in ms"],
  ["delayMs", "waitFor waits"],
  ["delayAfter", "waitFor waits"],
]);

/**
 * Refuses unknown options of a limiter and of its limits, and options of a single limit beside several.
 *
 * @param caller Name of the caller for error messages
 * @param options What was given
 * @param names The names there are
 * @param limitNames Those of one of several limits
 * @param instead Tells what to do instead of a name
 * @throws {TypeError} If there are any
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
  // a function is a tier, which all of them get; a name tells limiters made inside requests apart
  const lost = Object.keys({ ...LIMIT_NAMES, limit: true })
    .find((name) => name !== "name" && single[name] !== undefined && typeof single[name] !== "function");
  if (lost === undefined) return;
  throw new TypeError(`${caller}: option ${lost} has no meaning beside limits; give it to each of them`);
}
