import { asciiLowerCase } from "@sluice/shared";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RateLimitInfo } from "../http/rate_limit_info.ts";
import { signalOf } from "../http/signal_of.ts";
import type { Limiter } from "../limiter/limiter.ts";
import { pathOf } from "../rules/path_of.ts";
import { ContextLimiter, type ContextLimitOptions, type Framework } from "./context_limiter.ts";
import { endWith } from "./end_with.ts";

/**
 * Options of `rateLimit` for Fastify: those of the limiter, whose functions get request and reply.
 *
 * @example A limit for each customer, and one for all without a key
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

/** What the limiter adds to requests: nothing to those that it skipped. */
export interface RateLimitedRequest {
  /** What is left. */
  rateLimit?: RateLimitInfo;
}

/** The hook, and the limiter behind it. */
export interface FastifyLimit {
  /** Counts a request, and admits or refuses it. */
  (request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** The limiter: `check`, `peek`, `counters`, `on`, `close`. */
  readonly limiter: Limiter;
}

/** Where Fastify says what a semicolon is: beside its other options in version 4, below `routerOptions` in version 5. */
interface SemicolonConfig {
  readonly useSemicolonDelimiter?: boolean | undefined;
  readonly routerOptions?: { readonly useSemicolonDelimiter?: boolean | undefined } | undefined;
}

const FASTIFY: Framework<FastifyRequest, [reply: FastifyReply]> = {
  methodOf: ({ method }) => method,
  pathsOf({ originalUrl, url, routeOptions, server }) {
    const paths = [routedPath(url, server)];
    // `url` is what `rewriteUrl` returned, or what is left of it behind a mount of the server around it
    if (url !== originalUrl) paths.push(routedPath(originalUrl, server));
    // the route itself is a spelling, too: a name at its end stands for nothing as well
    const route = routeOptions?.url;
    if (route !== undefined) paths.push(route, originalUrl.slice(0, -url.length) + route);
    return paths;
  },
  addressOf: ({ ip }) => ip,
  header: ({ headers }, name) => headers[asciiLowerCase(name)]?.toString(),
  // with trustProxy, there are the addresses of the proxies
  trustOf: ({ ips }) => ips === undefined ? { value: false, remedy: "say so by trustProxy" } : null,
  signalOf: (_request, reply) => signalOf(reply.raw),
  remedy: "the connection has been closed",
};

// what its router takes for the path; Fastify 4 ends it at a semicolon unless it is told not to
function routedPath(target: string, { initialConfig }: FastifyRequest["server"]): string {
  const { routerOptions, useSemicolonDelimiter = true } = initialConfig as SemicolonConfig;
  const endsAtSemicolon = routerOptions?.useSemicolonDelimiter ?? useSemicolonDelimiter;
  return endsAtSemicolon ? pathOf(target).split(";", 1)[0]! : pathOf(target);
}

/**
 * Limits requests, as a hook of Fastify: `onRequest`, or a later one if functions in the options need the body. A client
 * is `request.ip`, so behind a proxy set `trustProxy`.
 *
 * @param options Limits, store, headers, responses
 * @returns The hook
 * @throws {TypeError} If an option has the wrong type
 * @throws {RangeError} If a number is out of range
 *
 * @example 100 requests a minute from each client, and 5 logins
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
    // what is returned ends the request; a handler may have sent a response, or return its body
    return reply.sent || result === undefined || result === reply ? reply : reply.send(result);
  }
  return Object.defineProperty(hook, "limiter", { value: limit.limiter }) as unknown as FastifyLimit;
}

/**
 * What is left for the client of a request; `undefined` if no limiter has counted it.
 *
 * @example What is left, in a handler
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
