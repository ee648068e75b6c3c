/** Headers of a response, wherever they are kept: a response, or a web `Headers` with these methods. */
export interface HeaderSink {
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Reads a header. */
  getHeader(name: string): number | string | string[] | undefined;
}

/** Names of headers that describe one limit. */
export interface LimitNames {
  /** The units of a window. */
  readonly limit: string;
  /** What is left of them. */
  readonly remaining: string;
  /** When there are as many as at first, in seconds. */
  readonly reset: string;
}

/** The names that express-rate-limit made common. */
export const LEGACY: LimitNames = {
  limit: "X-RateLimit-Limit",
  remaining: "X-RateLimit-Remaining",
  reset: "X-RateLimit-Reset",
};

/**
 * Rounds up, so that nobody comes back too early.
 *
 * @param ms Milliseconds
 */
export function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/**
 * Describes a limit, unless the headers already describe one of which a smaller part is left.
 *
 * @param headers The headers
 * @param names Their names
 * @param limit The limit, and what is left of it
 * @param reset When it is as at first, in seconds
 */
export function writeLimit(
  headers: HeaderSink,
  names: LimitNames,
  { limit, remaining }: { readonly limit: number; readonly remaining: number },
  reset: number,
): void {
  const earlier = headers.getHeader(names.remaining);
  // headers written by others may not be numbers; those are replaced
  if (earlier !== undefined && remaining * Number(headers.getHeader(names.limit)) > Number(earlier) * limit) return;
  headers.setHeader(names.limit, limitInText(limit));
  headers.setHeader(names.remaining, String(remaining));
  headers.setHeader(names.reset, resetInText(reset));
}

// cached, because limits are mostly the same from request to request, and so are reset times in seconds
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
 * Says when to come back (RFC 9110, section 10.2.3): in whole seconds, rounded up. With several limits that refuse, the
 * latest time counts; with one that will never grant, there is none.
 *
 * @param headers The headers
 * @param retryAfterMs ms until the same request is granted
 */
export function writeRetryAfter(headers: HeaderSink, retryAfterMs: number): void {
  if (retryAfterMs === Infinity) return;
  const earlier = Number(headers.getHeader("Retry-After") ?? 0);
  headers.setHeader("Retry-After", String(Math.max(seconds(retryAfterMs), Number.isNaN(earlier) ? 0 : earlier)));
}
