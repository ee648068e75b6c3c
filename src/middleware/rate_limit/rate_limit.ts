import { isExempt } from "../../util/exempt_pages.ts";
import { withDetails } from "../../util/handler_details.ts";
import { isThenable } from "../../util/is_thenable.ts";
import { nextSequence } from "../../util/sequence.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import { sharedTable } from "./shared_table.ts";
import { LimiterKey } from "./limiter_key.ts";
import { LEGACY, seconds, writeLimit, writeRetryAfter } from "../../../limiting/limit_headers.ts";
import { isMadeInRequest } from "../../../limiting/made_in_request.ts";
import { FixedWindowTable, type Hit } from "./fixed_window_table.ts";
import { DEFAULT_MESSAGE, failureOf } from "../../../limiting/refusal_error.ts";
import { type CheckedRateLimit, checkRateLimit, type RateLimitOptions } from "./options.ts";
import { exhaustedFor, noteExhausted } from "../../../limiting/exhausted_limits.ts";

/** Continues with the next layer, or with the error handlers. */
type NextStep = (error?: unknown) => void;

/** A limiter: middleware with a few controls. */
export interface RateLimitMiddleware {
  /** Counts a request, and admits or refuses it. */
  (req: FrameworkRequest, res: FrameworkResponse, next: (error?: unknown) => void): void | Promise<void>;
  /** Resets all keys. */
  reset(): void;
  /** Resets one key: a generated one, or a client's address. */
  resetKey(key: string): void;
  /** Number of keys with an open window. Reading it visits all keys. */
  readonly size: number;
}

/**
 * Limits how often a client may send requests: at most `limit` per key in each `windowMs` window.
 *
 * Request number `limit` is admitted, and the next one is refused. The counters live in this process's memory.
 *
 * @param options How to count and how to refuse
 * @returns The middleware; mount it with `app.use(limiter)` or `app.use("/prefix", limiter)`
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example Limit an API
 * ```ts
 * import sluice, { rateLimit } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use("/api", rateLimit({ windowMs: 60_000, limit: 100 }));
 * app.get("/api/time", (_req, res) => res.json({ now: Date.now() }));
 * ```
 */
export function rateLimit(options?: RateLimitOptions): RateLimitMiddleware {
  const checked = checkRateLimit(options ?? {});
  const sequence = nextSequence();
  const keys = new LimiterKey(checked);
  let table: FixedWindowTable | null = null;

  function count(req: FrameworkRequest, key: string): Hit {
    table ??= isMadeInRequest(sequence, req)
      ? sharedTable(checked, req)
      : new FixedWindowTable(checked.windowMs, checked.maxKeys);
    return table.hit(key, checked.clock());
  }

  // errors thrown through next() belong to later layers, so next() is never called inside a try
  function limiter(req: FrameworkRequest, res: FrameworkResponse, next: NextStep): void | Promise<void> {
    if (isExempt(req)) return next();
    let hit: Hit | null = null;
    try {
      const skipped = checked.skip?.(req, res) ?? false;
      if (isThenable(skipped)) return limitLater(req, res, next, skipped);
      if (!skipped) {
        const key = keys.of(req, res);
        if (typeof key !== "string") return limitLater(req, res, next, false, key);
        hit = count(req, key);
      }
    } catch (error) {
      return next(failureOf(error));
    }
    return hit === null ? next() : decide(checked, hit, req, res, next);
  }

  // counts after the last await, so no other code runs between a count and its consequences
  async function limitLater(
    req: FrameworkRequest,
    res: FrameworkResponse,
    next: NextStep,
    skipped: boolean | Promise<boolean>,
    laterKey?: Promise<string>,
  ): Promise<void> {
    let hit: Hit | null = null;
    try {
      if (!await skipped) hit = count(req, await (laterKey ?? keys.of(req, res)));
    } catch (error) {
      return next(failureOf(error));
    }
    return hit === null ? next() : decide(checked, hit, req, res, next);
  }

  withDetails(limiter, { name: "rateLimit", limits: { limit: checked.limit, window: `${checked.windowMs} ms` } });
  return Object.defineProperties(limiter, {
    reset: { value: () => table?.clear() },
    resetKey: { value: (key: string) => keys.named(key).forEach((one) => table?.delete(one)) },
    size: { get: () => table?.liveCount(checked.clock()) ?? 0 },
  }) as RateLimitMiddleware;
}

function decide(
  options: CheckedRateLimit,
  hit: Hit,
  req: FrameworkRequest,
  res: FrameworkResponse,
  next: NextStep,
): void | Promise<void> {
  const limited = hit.count > options.limit;
  if (options.headers && !res.headersSent) setHeaders(req, res, options.limit, hit);
  if (!limited) {
    if (hit.count === options.limit) noteExhausted(req, hit.resetMs);
    return next();
  }
  try {
    const result = options.onLimitReached?.(req, res);
    if (isThenable(result)) return refuseLater(res, options, result, next);
    refuse(res, options);
  } catch (error) {
    next(failureOf(error));
  }
}

async function refuseLater(
  res: FrameworkResponse,
  options: CheckedRateLimit,
  result: PromiseLike<unknown>,
  next: NextStep,
): Promise<void> {
  try {
    await result;
    refuse(res, options);
  } catch (error) {
    next(failureOf(error));
  }
}

function setHeaders(
  req: FrameworkRequest,
  res: FrameworkResponse,
  limit: number,
  { count, resetMs }: Hit,
): void {
  writeLimit(res, LEGACY, { limit, remaining: Math.max(0, limit - count) }, seconds(resetMs));
  // a limit of 0 never admits a request, however long its client waits
  if (count > limit && limit > 0) writeRetryAfter(res, Math.max(resetMs, exhaustedFor(req)));
}

function refuse(res: FrameworkResponse, { statusCode, message = DEFAULT_MESSAGE }: CheckedRateLimit): void {
  // other middleware, such as a timeout, may have responded by now
  if (res.writableEnded) return;
  res.status(statusCode);
  if (typeof message === "string") res.send(message);
  else res.json(message);
}
