import type { HeaderSink } from "@sluice/limiting";
import { asciiLowerCase } from "@sluice/shared";
// @ts-types="@types/koa"
import type { Middleware, ParameterizedContext } from "koa";
import type { RateLimitInfo } from "../http/rate_limit_info.ts";
import { signalOf } from "../http/signal_of.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { pathOf } from "../rules/path_of.ts";
import { ContextLimiter, type ContextLimitOptions, type Framework } from "./context_limiter.ts";
import { endWith } from "./end_with.ts";

/**
 * Options for `rateLimit` for Koa. Functions receive Koa's context.
 *
 * @example A limit per user, identified by an earlier middleware
 * ```ts ignore
 * import type { KoaLimitOptions } from "@sluice/rate-limit/koa";
 *
 * const options: KoaLimitOptions = { limit: 100, keyGenerator: (ctx) => ctx.state.user };
 * ```
 */
export type KoaLimitOptions = ContextLimitOptions<ParameterizedContext>;

/** The limiter's additions to `ctx.state`; absent for skipped requests. */
export interface RateLimitState {
  /** The remaining quota. */
  rateLimit?: RateLimitInfo;
}

/** The middleware, and the underlying limiter. */
export type KoaLimit = Middleware<RateLimitState> & {
  /** The limiter: `check`, `peek`, `counters`, `on`, `close`. */
  readonly limiter: Limiter;
};

const KOA: Framework<ParameterizedContext> = {
  methodOf: ({ method }) => method,
  // as routers read it; if it differs from the sent one, middleware has rewritten it, or a mount has stripped its part
  pathsOf: ({ originalUrl, url, path }) => url === originalUrl ? [path] : [path, pathOf(originalUrl.trim())],
  addressOf: ({ ip }) => ip,
  header: (ctx, name) => ctx.get(name) || undefined,
  trustOf: ({ app }) => app.proxy ? null : { value: false, remedy: "set app.proxy to true, and app.maxIpsCount" },
  signalOf: ({ res }) => signalOf(res),
  remedy: "the connection has been closed",
};

/**
 * Rate limits requests, as Koa middleware. Clients are identified by `ctx.ip`, so behind a proxy set `app.proxy` and
 * `app.maxIpsCount`.
 *
 * @param options Limits, store, headers, responses
 * @returns The middleware
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example 100 requests per minute and client
 * ```ts ignore
 * import { rateLimit } from "@sluice/rate-limit/koa";
 *
 * app.use(rateLimit({ limit: 100, windowMs: 60_000 }));
 * ```
 */
export function rateLimit(options: KoaLimitOptions = {}): KoaLimit {
  const limit = new ContextLimiter<ParameterizedContext>(options, KOA);
  const middleware: Middleware<RateLimitState> = async (ctx, next) => {
    const decision = await limit.decide(ctx);
    if (decision === null) return await next();
    ctx.state.rateLimit = limit.infoOf(decision);
    const written: string[] = [];
    const headers: HeaderSink = {
      setHeader(name, value) {
        written.push(asciiLowerCase(name));
        ctx.set(name, value);
      },
      getHeader: (name) => ctx.response.get(name) || undefined,
    };
    limit.writeHeaders(ctx, headers, decision);
    keepOnError(ctx, written);
    const watched = endWith(limit, ctx, decision, ctx.res);
    try {
      if (decision.allowed) return await next();
      await limit.refuse(ctx, decision, ({ status, body, type }) => {
        ctx.status = status;
        if (body !== null) Object.assign(ctx, { type, body });
      });
    } finally {
      watched?.handled();
    }
  };
  return Object.defineProperty(middleware, "limiter", { value: limit.limiter }) as KoaLimit;
}

// For an error response, Koa removes all headers and sets the error's own. The error stays as it is: it may be of any
// kind, and be thrown for several requests.
function keepOnError(ctx: ParameterizedContext, names: readonly string[]): void {
  const { onerror, res } = ctx;
  ctx.onerror = (error) => {
    const { removeHeader } = res;
    res.removeHeader = (name) => void (names.includes(name) || removeHeader.call(res, name));
    try {
      onerror.call(ctx, error);
    } finally {
      res.removeHeader = removeHeader;
    }
  };
}
