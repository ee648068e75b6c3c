import { asciiLowerCase } from "@sluice/shared";
import type { HeaderSink } from "@sluice/limiting";
import type { AnyElysia, Context, Elysia } from "elysia";
import type { RateLimitInfo } from "../http/rate_limit_info.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { pathOf } from "../rules/path_of.ts";
import { ContextLimiter, type ContextLimitOptions, type Framework, webRefusal } from "./context_limiter.ts";
import { PLATFORM_TRUST, webAddress } from "./web_address.ts";

/**
 * Options for `rateLimit` for Elysia. Functions receive Elysia's context.
 *
 * @example A limit per customer, and a shared one for requests without a key
 * ```ts ignore
 * import type { ElysiaLimitOptions } from "@sluice/rate-limit/elysia";
 *
 * const customers = new Map([["key-of-ann", "ann"]]);
 * const options: ElysiaLimitOptions = {
 *   limit: 100,
 *   keyGenerator: ({ headers }) => customers.get(headers["x-api-key"] ?? "") ?? "nobody",
 * };
 * ```
 */
export type ElysiaLimitOptions = ContextLimitOptions<Context>;

/** The limiter's additions to the context; absent for skipped requests. */
export type RateLimitDerived = {
  /** The remaining quota. */
  readonly rateLimit: RateLimitInfo | undefined;
};

/** The resulting application type: a plugin that resolves a value. */
// deno-lint-ignore ban-types -- as Elysia has them
export type ElysiaLimited = Elysia<"", { decorator: {}; store: {}; derive: {}; resolve: RateLimitDerived }>;

/** The plugin, and the underlying limiter. */
export interface ElysiaLimit {
  /** Puts the limiter in front of the routes that come after it. */
  (app: AnyElysia): ElysiaLimited;
  /** The limiter: `check`, `peek`, `counters`, `on`, `close`. */
  readonly limiter: Limiter;
}

const ELYSIA: Framework<Context> = {
  methodOf: ({ request }) => request.method,
  // as its router reads it, where a short Host, such as "h", hides the first segment; Bun's router reads the URL
  pathsOf: ({ path, request }) => [path, pathOf(request.url)],
  addressOf: ({ request, server }) => webAddress(request, server),
  header: ({ request }, name) => request.headers.get(name) ?? undefined,
  trustOf: () => PLATFORM_TRUST,
  signalOf: ({ request }) => request.signal,
  remedy: "outside of Bun and Workers, Elysia does not pass it on",
};

/**
 * Rate limits requests, as an Elysia plugin. Routes registered after it are limited; paths without a route are not.
 *
 * @param options Limits, store, headers, responses
 * @returns The plugin
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example 100 requests per minute and client
 * ```ts ignore
 * import { rateLimit } from "@sluice/rate-limit/elysia";
 *
 * new Elysia().use(rateLimit({ limit: 100, windowMs: 60_000 })).get("/", ({ rateLimit }) => rateLimit?.remaining);
 * ```
 */
export function rateLimit(options: ElysiaLimitOptions = {}): ElysiaLimit {
  const limit = new ContextLimiter<Context>(options, ELYSIA);
  // any application's context has at least these properties
  const plugin = (app: Elysia) =>
    app.resolve(async (context) => {
      const decision = await limit.decide(context);
      if (decision === null) return { rateLimit: undefined };
      limit.writeHeaders(context, headersOf(context), decision);
      return { rateLimit: limit.infoOf(decision) };
    }).onBeforeHandle(async (context) => {
      const decision = limit.decisionOf(context);
      // Elysia would go on to the route after a hook that returns nothing
      if (decision?.allowed === false) return await limit.refuse(context, decision, webRefusal) ?? "";
    }).onAfterResponse(async (context) => {
      await limit.end(context, limit.decisionOf(context), statusOf(context));
    });
  return Object.defineProperty(plugin, "limiter", { value: limit.limiter }) as unknown as ElysiaLimit;
}

function statusOf({ responseValue, set }: Context & { responseValue?: unknown }): number {
  if (responseValue instanceof Response) return responseValue.status;
  const status = Number(set.status) || 200;
  // an error that a handler returns
  return responseValue instanceof Error && status === 200 ? 500 : status;
}

function headersOf({ set }: Context): HeaderSink {
  return {
    setHeader: (name, value) => set.headers[asciiLowerCase(name)] = value,
    getHeader: (name) => set.headers[asciiLowerCase(name)]?.toString(),
  };
}
