import type { HeaderSink } from "@sluice/limiting";
import { describe } from "@sluice/shared";
import type { Context, Env, MiddlewareHandler } from "hono";
import type { RateLimitInfo } from "../http/rate_limit_info.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { ContextLimiter, type ContextLimitOptions, type Framework, webRefusal } from "./context_limiter.ts";
import { PLATFORM_TRUST, webAddress } from "./web_address.ts";

/**
 * Options for `rateLimit` for Hono. Functions receive Hono's context.
 *
 * @typeParam E The context's bindings and variables, if the functions use them
 *
 * @example A limit per user, identified by an earlier middleware
 * ```ts ignore
 * import type { HonoLimitOptions } from "@sluice/rate-limit/hono";
 *
 * const options: HonoLimitOptions<{ Variables: { user: string } }> = { limit: 100, keyGenerator: (c) => c.get("user") };
 * ```
 */
export type HonoLimitOptions<E extends Env = Env> = ContextLimitOptions<Context<E>, [], Response>;

/** The limiter's addition to the context: `c.get("rateLimit")`; absent for skipped requests. */
export interface RateLimitVariables {
  /** The remaining quota. */
  rateLimit: RateLimitInfo | undefined;
}

/** The middleware, and the underlying limiter. */
export type HonoLimit = MiddlewareHandler<{ Variables: RateLimitVariables }> & {
  /** The limiter: `check`, `peek`, `counters`, `on`, `close`. */
  readonly limiter: Limiter;
};

const HONO: Framework<Context> = {
  methodOf: ({ req }) => req.method,
  // as its router reads it
  pathsOf: ({ req }) => [req.path],
  // on Bun and Node, the server may be among the bindings
  addressOf: ({ env, req }) => webAddress(req.raw, env?.server ?? env),
  header: ({ req }, name) => req.header(name),
  trustOf: () => PLATFORM_TRUST,
  signalOf: ({ req }) => req.raw.signal,
  remedy: "pass the platform's second argument to app.fetch",
};

/**
 * Rate limits requests, as Hono middleware.
 *
 * @param options Limits, store, headers, responses
 * @returns The middleware
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example 100 requests per minute and client
 * ```ts ignore
 * import { rateLimit } from "@sluice/rate-limit/hono";
 *
 * app.use("/api/*", rateLimit({ limit: 100, windowMs: 60_000 }));
 * ```
 */
export function rateLimit<E extends Env = Env>(options: HonoLimitOptions<E> = {}): HonoLimit {
  // functions in the options get the application's context
  const limit = new ContextLimiter<Context, [], Response>(options as HonoLimitOptions, HONO);
  const middleware: MiddlewareHandler<{ Variables: RateLimitVariables }> = async (c, next) => {
    const decision = await limit.decide(c);
    if (decision === null) return await next();
    const { now } = limit;
    c.set("rateLimit", limit.infoOf(decision));
    let status = 500;
    try {
      if (decision.allowed) await next();
      else c.res = checked(await limit.refuse(c, decision, webRefusal));
      // without a response, Hono fails; reading it makes one
      if (c.finalized) ({ status } = c.res);
      // the response to an upgrade must not be copied
      if (status !== 101) limit.writeHeaders(c, headersOf(c), decision, now);
    } finally {
      await limit.end(c, decision, status);
    }
  };
  return Object.defineProperty(middleware, "limiter", { value: limit.limiter }) as HonoLimit;
}

// Hono would send anything else as an empty response with status 200
function checked(refusal: unknown): Response {
  if (typeof (refusal as Response | null | undefined)?.status === "number") return refusal as Response;
  throw new TypeError(`rateLimit: handler must return a Response, not ${describe(refusal)}`);
}

function headersOf(c: Context): HeaderSink {
  return {
    setHeader: (name, value) => c.header(name, value),
    getHeader: (name) => c.res.headers.get(name) ?? undefined,
  };
}
