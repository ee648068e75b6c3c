import type { OptionNames } from "@sluice/shared";
import { checkLimiterNames, LIMIT_NAMES, LIMITER_NAMES, withLimit } from "../limiter/limiter_option_names.ts";
import type { RateLimitOptions, RequestLimitOptions } from "./http_options.ts";

const REQUEST_LIMIT_NAMES: OptionNames<RequestLimitOptions> = { ...LIMIT_NAMES, ipv6Subnet: true };

/** Option names that `rateLimit` and `fetchLimit` share. */
export const COMMON_NAMES: OptionNames<Omit<RateLimitOptions, "handler" | "requestPropertyName">> = {
  ...LIMITER_NAMES,
  limit: true,
  max: true,
  cost: true,
  costAfter: true,
  keyGenerator: true,
  policy: true,
  rules: true,
  tier: true,
  fields: true,
  policyTtlMs: true,
  skip: true,
  message: true,
  statusCode: true,
  headers: true,
  standardHeaders: true,
  legacyHeaders: true,
  legacyReset: true,
  retryJitter: true,
  random: true,
  delay: true,
  identifier: true,
  onLimitReached: true,
  skipFailedRequests: true,
  skipSuccessfulRequests: true,
  requestWasSuccessful: true,
  passOnStoreError: true,
  validate: true,
  ipv6Subnet: true,
  missingKey: true,
  dryRun: true,
  problemDetails: true,
};

/** Option names from other limiters, or from other functions in this package. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  [
    "requestPropertyName",
    "it is for rateLimit, whose handlers share a req; limit.limiter.peek(key) returns what is left",
  ],
  ["clientAddress", "it is for fetchLimit; set trust proxy in the application, or give a keyGenerator"],
  ["retryAfter", "Retry-After says when the same request may pass; for another time use a handler that sets it"],
  ["logger", "listen to limit.limiter: limited, storeFailure and error"],
  ["delayMs", "use delay: { from, maxMs }"],
  ["delayAfter", "use delay: { from, maxMs }"],
  ["draft_polli_ratelimit_headers", 'use standardHeaders: "draft-6"'],
]);

/**
 * Rejects options that `rateLimit` or `fetchLimit` does not have.
 *
 * @param caller Caller name for error messages
 * @param options The options
 * @param names The valid names
 * @returns The options, with `max` renamed to `limit`
 * @throws {TypeError} If there is an unknown option
 */
export function checkRequestNames<Options extends object>(
  caller: string,
  options: Options,
  names: OptionNames<Options>,
): Options {
  checkLimiterNames(caller, options, names, REQUEST_LIMIT_NAMES, (name) => INSTEAD.get(name));
  return withLimit(caller, options);
}
