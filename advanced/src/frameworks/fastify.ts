import { asciiLowerCase } from "@sluice/shared";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimitInfo } from "../http/rate_limit_info.ts";
import { signalOf } from "../http/signal_of.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { pathOf } from "../rules/path_of.ts";
import { ContextLimiter, type ContextLimitOptions, type Framework } from "./context_limiter.ts";
import { endWith } from "./end_with.ts";

/**
 * Options for `rateLimit` for Fastify. Functions receive request and reply.
 *
 * @example A limit per customer, and a shared one for requests without a key
 * ```ts ignore
 * import type { FastifyLimitOptions } from "@sluice/rate-limit/fastify";
 *
 * const customers = new Map([["key-of-ann", "ann"]]);
 * const options: FastifyLimitOptions = {
 *   limit: 100,
 *   keyGenerator: (request) => customers.get(String(request.headers["x-api-key"])) ?? "nobody",
 * };
 * ```
 */
export type FastifyLimitOptions = ContextLimitOptions<FastifyRequest, [reply: FastifyReply]>;

/** The limiter's additions to requests; absent on skipped requests. */
export interface RateLimitedRequest {
  /** The remaining quota. */
  rateLimit?: RateLimitInfo;
}

/** The hook, and the underlying limiter. */
export interface FastifyLimit {
  /** Counts a request, and admits or refuses it. */
  (request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** The limiter: `check`, `peek`, `counters`, `on`, `close`. */
  readonly limiter: Limiter;
}

/** Where Fastify configures semicolons: among its other options in version 4, in `routerOptions` in version 5. */
interface SemicolonConfig {
  readonly useSemicolonDelimiter?: boolean | undefined;
  readonly routerOptions?: { readonly useSemicolonDelimiter?: boolean | undefined } | undefined;
}

const FASTIFY: Framework<FastifyRequest, [reply: FastifyReply]> = {
  methodOf: ({ method }) => method,
  pathsOf({ originalUrl, url, routeOptions, server }) {
    const paths = [routedPath(url, server)];
    // `url` is the result of `rewriteUrl`, or the part left after the enclosing server's mount
    if (url !== originalUrl) paths.push(routedPath(originalUrl, server));
    // the route itself is a spelling too: a final parameter also matches nothing
    const route = routeOptions?.url;
    if (route !== undefined) paths.push(route, originalUrl.slice(0, -url.length) + route);
    return paths;
  },
  addressOf: ({ ip }) => ip,
  header: ({ headers }, name) => headers[asciiLowerCase(name)]?.toString(),
  // with trustProxy, the proxies' addresses are available
  trustOf: ({ ips }) => ips === undefined ? { value: false, remedy: "set trustProxy" } : null,
  signalOf: (_request, reply) => signalOf(reply.raw),
  remedy: "the connection has been closed",
};

// the path as its router reads it; unless configured otherwise, Fastify 4 ends it at a semicolon
function routedPath(target: string, { initialConfig }: FastifyRequest["server"]): string {
  const { routerOptions, useSemicolonDelimiter = true } = initialConfig as SemicolonConfig;
  const endsAtSemicolon = routerOptions?.useSemicolonDelimiter ?? useSemicolonDelimiter;
  return endsAtSemicolon ? pathOf(target).split(";", 1)[0]! : pathOf(target);
}

/**
 * Rate limits requests, as a Fastify hook: `onRequest`, or a later one if functions in the options need the body.
 * Clients are identified by `request.ip`, so behind a proxy set `trustProxy`.
 *
 * @param options Limits, store, headers, responses
 * @returns The hook
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example 100 requests per minute and client, and 5 logins
 * ```ts ignore
 * import { rateLimit } from "@sluice/rate-limit/fastify";
 *
 * app.addHook("onRequest", rateLimit({ limit: 100, windowMs: 60_000 }));
 * app.post("/login", { onRequest: rateLimit({ limit: 5, windowMs: 60_000 }) }, login);
 * ```
 */
export function rateLimit(options: FastifyLimitOptions = {}): FastifyLimit {
  const limit = new ContextLimiter<FastifyRequest, [reply: FastifyReply]>(options, FASTIFY);
  async function hook(request: FastifyRequest & RateLimitedRequest, reply: FastifyReply): Promise<unknown> {
    const decision = await limit.decide(request, reply);
    if (decision === null) return;
    request.rateLimit = limit.infoOf(decision);
    const getHeader = (name: string) => reply.getHeader(name);
    limit.writeHeaders(request, { setHeader: (name, value) => reply.header(name, value), getHeader }, decision);
    endWith(limit, request, decision, reply.raw);
    if (decision.allowed) return;
    const result = await limit.refuse(request, decision, ({ status, body, type }) => {
      return reply.code(status).type(type).send(body ?? undefined);
    }, reply);
    // the return value ends the request; a handler may have sent a response, or return its body
    return reply.sent || result === undefined || result === reply ? reply : reply.send(result);
  }
  return Object.defineProperty(hook, "limiter", { value: limit.limiter }) as unknown as FastifyLimit;
}

/**
 * Returns the remaining quota of a request's client; `undefined` if no limiter has counted it.
 *
 * @example Read the remaining quota in a handler
 * ```ts ignore
 * import { rateLimit, rateLimitOf } from "@sluice/rate-limit/fastify";
 *
 * app.addHook("onRequest", rateLimit({ limit: 100 }));
 * app.get("/", (request) => ({ left: rateLimitOf(request)?.remaining }));
 * ```
 */
export function rateLimitOf(request: FastifyRequest & RateLimitedRequest): RateLimitInfo | undefined {
  return request.rateLimit;
}
