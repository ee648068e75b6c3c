import {
  checkInteger,
  checkNames,
  HttpError,
  LONGEST_TIMER_MS,
  type OptionNames,
  parseDuration,
  withDetails,
} from "@sluice/shared";
import type { Middleware, Next, Request, Response } from "@sluice/sluice";
import { ignoreLateSends } from "./late_sends.ts";
import { abortableSignal } from "./abortable_signal.ts";

/**
 * When clients should retry.
 *
 * @example When to retry
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { timeout } from "@sluice/middleware/timeout";
 *
 * const app = sluice();
 * app.use(timeout(5000, { retryAfterMs: 2000 }));
 * ```
 */
export interface TimeoutOptions {
  /** When clients should retry, in ms; sent as `Retry-After` in whole seconds. Not sent by default. */
  retryAfterMs?: number;
}

/**
 * Properties added to requests.
 *
 * @example A route without the limit that applies to the others
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { timeout, type TimeoutExtras } from "@sluice/middleware/timeout";
 *
 * declare module "@sluice/sluice" {
 *   interface RequestExtras extends TimeoutExtras {}
 * }
 *
 * const app = sluice();
 * app.use(timeout("5s"));
 * app.post("/report", async (req, res) => {
 *   req.clearTimeout();
 *   res.send(await new Promise((resolve) => setTimeout(resolve, 10, "done")));
 * });
 * ```
 */
export interface TimeoutExtras {
  /** Removes the request's limit, as in connect-timeout. Of nested limits, that is the innermost. */
  clearTimeout(): void;
}

const NAMES: OptionNames<TimeoutOptions> = { retryAfterMs: true };

/**
 * Limits the time until a response begins. When it runs out, error handlers get an `HttpError` with status 503, the
 * name
 *  `TimeoutError`, and `code` and `timeout` as in connect-timeout. Then `req.signal` aborts with the same error,
 * and `req.timedout` is `true`. Anything the handler sends later is ignored. A response that has begun is not cut off,
 * and WebSockets are not limited.
 *
 * If time limits are nested, the shorter one applies. `req.request.signal` belongs to the platform and does not
 * abort.
 *
 * @param time The time in ms, or a string such as `"5s"`, as in connect-timeout
 * @param options When clients should retry
 * @returns The middleware, for an application, a router or a route
 * @throws {TypeError} If an option is unknown or of the wrong type
 * @throws {RangeError} If the time or an option is out of bounds
 *
 * @example A database query that stops with the request
 * ```ts ignore
 * app.get("/orders", timeout(500, { retryAfterMs: 2000 }), async (req, res) => {
 *   res.json(await database.query("SELECT * FROM orders", { signal: req.signal }));
 * });
 * ```
 */
export function timeout(
  time: number | string,
  options: TimeoutOptions = {},
): Middleware<TimeoutExtras> {
  const ms = typeof time === "string" ? parseDuration(time, "timeout") : time;
  checkInteger("timeout", "ms", ms, 1, LONGEST_TIMER_MS);
  checkNames("timeout", options, NAMES, { respond: "the error goes to next, as with respond: true" });
  const { retryAfterMs } = options;
  if (retryAfterMs !== undefined) checkInteger("timeout", "retryAfterMs", retryAfterMs, 1, LONGEST_TIMER_MS);
  const headers = retryAfterMs === undefined ? undefined : { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) };
  function timeout(req: Request, res: Response, next: Next): void {
    const abort = abortableSignal(req);
    req.timedout = false;
    const timer = setTimeout(() => {
      if (res.headersSent || res.destroyed || res.statusCode === 101) return;
      req.timedout = true;
      expire(res, next, timeoutError(ms, headers), abort);
    }, ms);
    const clear = (): void => clearTimeout(timer);
    Object.assign(req, { clearTimeout: clear });
    res.once("close", clear);
    next();
  }
  return withDetails(timeout, { name: "timeout", limits: { ms } });
}

function expire(res: Response, next: Next, error: HttpError, abort: (reason: unknown) => void): void {
  next(error);
  if (res.writableEnded) ignoreLateSends(res);
  // The response comes first, even if a session is still being saved for it: a handler that fails because of the signal
  // would call the next error handler while the first is still waiting. A session that cannot be saved has restored the
  // methods meanwhile.
  res.once("close", () => {
    ignoreLateSends(res);
    abort(error);
  });
}

// Both use one error, because most handlers fail with the signal's reason, and an error is reported once per request.
function timeoutError(ms: number, headers: Record<string, string> | undefined): HttpError {
  const error = new HttpError(503, `No response within ${ms} ms`, {
    code: "ETIMEDOUT",
    timeout: ms,
    ...headers && { headers },
  });
  error.name = "TimeoutError";
  return error;
}
