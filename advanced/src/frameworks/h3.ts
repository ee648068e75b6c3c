import type { HeaderSink } from "@sluice/limiting";
import type { H3Event, Middleware } from "h3";
import type { RateLimitInfo } from "../http/rate_limit_info.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { pathOf, resolvedPath } from "../rules/path_of.ts";
import { ContextLimiter, type ContextLimitOptions, type Framework, webRefusal } from "./context_limiter.ts";
import { statusOf, thrownStatus } from "./h3_status.ts";
import { PLATFORM_TRUST, webAddress } from "./web_address.ts";

/**
 * Options for `rateLimit` for h3. Functions receive the event.
 *
 * @example A limit per user, identified by an earlier middleware
 * ```ts ignore
 * import type { H3LimitOptions } from "@sluice/rate-limit/h3";
 *
 * const options: H3LimitOptions = { limit: 100, keyGenerator: (event) => String(event.context["user"]) };
 * ```
 */
export type H3LimitOptions = ContextLimitOptions<H3Event>;

/** The middleware, and the underlying limiter. */
export type H3Limit = Middleware & {
  /** The limiter: `check`, `peek`, `counters`, `on`, `close`. */
  readonly limiter: Limiter;
};

const H3: Framework<H3Event> = {
  methodOf: ({ req }) => req.method,
  // the router uses `url`, from which mounts have been stripped
  pathsOf: ({ url, req }) => [url.pathname, resolvedPath(pathOf(req.url))],
  addressOf: ({ req }) => webAddress(req),
  header: ({ req }, name) => req.headers.get(name) ?? undefined,
  trustOf: () => PLATFORM_TRUST,
  signalOf: ({ req }) => req.signal,
  remedy: "start the application with h3's serve",
};

/**
 * Rate limits requests, as h3 middleware.
 *
 * @param options Limits, store, headers, responses
 * @returns The middleware
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example 100 requests per minute and client
 * ```ts ignore
 * import { rateLimit } from "@sluice/rate-limit/h3";
 *
 * app.use("/api/**", rateLimit({ limit: 100, windowMs: 60_000 }));
 * ```
 */
export function rateLimit(options: H3LimitOptions = {}): H3Limit {
  const limit = new ContextLimiter<H3Event>(options, H3);
  const middleware: Middleware = async (event, next) => {
    const decision = await limit.decide(event);
    if (decision === null) return await next();
    event.context["rateLimit"] = limit.infoOf(decision);
    limit.writeHeaders(event, headersOf(event), decision);
    let status = 500;
    try {
      // h3 would go on to the route after a middleware that returns undefined
      const value = decision.allowed ? await next() : await limit.refuse(event, decision, webRefusal) ?? null;
      status = statusOf(value, event.res.status);
      return value;
    } catch (error) {
      status = thrownStatus(error);
      throw error;
    } finally {
      await limit.end(event, decision, status);
    }
  };
  return Object.defineProperty(middleware, "limiter", { value: limit.limiter }) as H3Limit;
}

/**
 * Returns the remaining quota of an event's client; `undefined` if no limiter has counted it.
 *
 * @example Read the remaining quota in a handler
 * ```ts ignore
 * import { rateLimit, rateLimitOf } from "@sluice/rate-limit/h3";
 *
 * app.use(rateLimit({ limit: 100 }));
 * app.get("/", (event) => ({ left: rateLimitOf(event)?.remaining }));
 * ```
 */
export function rateLimitOf({ context }: Pick<H3Event, "context">): RateLimitInfo | undefined {
  return context["rateLimit"] as RateLimitInfo | undefined;
}

// errors have their own headers
function headersOf({ res }: H3Event): HeaderSink {
  const set = (name: string, value: string) => [res.headers, res.errHeaders].forEach((all) => all.set(name, value));
  return { setHeader: set, getHeader: (name) => res.headers.get(name) ?? undefined };
}
