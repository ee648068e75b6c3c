/** Where response headers are set: a response, or a web `Headers` with these methods. */
export interface HeaderSink {
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Reads a header. */
  getHeader(name: string): number | string | string[] | undefined;
}

/** Names of the headers that describe one limit. */
export interface LimitNames {
  /** The units per window. */
  readonly limit: string;
  /** The remaining units. */
  readonly remaining: string;
  /** Seconds until all units are available again. */
  readonly reset: string;
}

/** The names popularized by express-rate-limit. */
export const LEGACY: LimitNames = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
};

/**
 * Rounds up, so clients do not return too early.
 *
 * @param ms Milliseconds
 */
export function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/**
 * Describes a limit, unless the headers already describe one with a smaller remaining share.
 *
 * @param headers The headers
 * @param names Their names
 * @param limit The limit and its remaining units
 * @param reset Seconds until all units are available again
 */
export function writeLimit(
  headers: HeaderSink,
  names: LimitNames,
  { limit, remaining }: { readonly limit: number; readonly remaining: number },
  reset: number,
): void {
  const earlier = headers.getHeader(names.remaining);
  // headers written by other code may not be numbers; such headers are replaced
  if (earlier !== undefined && remaining * Number(headers.getHeader(names.limit)) > Number(earlier) * limit) return;
  headers.setHeader(names.limit, limitInText(limit));
  headers.setHeader(names.remaining, String(remaining));
  headers.setHeader(names.reset, resetInText(reset));
}

// cached, because limits and reset times in seconds rarely change between requests
let lastLimit = -1;
let limitText = "";
let lastReset = -1;
let resetText = "";

function limitInText(limit: number): string {
  if (limit !== lastLimit) limitText = String(lastLimit = limit);
  return limitText;
}

function resetInText(reset: number): string {
  if (reset !== lastReset) resetText = String(lastReset = reset);
  return resetText;
}

/**
 * Sets when to retry (RFC 9110, section 10.2.3), in whole seconds, rounded up. If several limits refuse, the latest
 * time counts. A limit that will never grant the request sets no header.
 *
 * @param headers The headers
 * @param retryAfterMs Time until the same request is granted, in ms
 */
export function writeRetryAfter(headers: HeaderSink, retryAfterMs: number): void {
  if (retryAfterMs === Infinity) return;
  const earlier = Number(headers.getHeader("Retry-After") ?? 0);
  headers.setHeader("Retry-After", String(Math.max(seconds(retryAfterMs), Number.isNaN(earlier) ? 0 : earlier)));
}
