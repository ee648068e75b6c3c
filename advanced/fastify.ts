/**
 * The rate limiter as a Fastify hook.
 *
 * @example Rate limit an API
 * ```ts ignore
 * import fastify from "fastify";
 * import { rateLimit } from "@sluice/rate-limit/fastify";
 *
 * const app = fastify();
 * app.addHook("onRequest", rateLimit({ limit: 100, windowMs: 60_000 }));
 * app.get("/api/time", () => ({ now: Date.now() }));
 * await app.listen({ port: 3000 });
 * ```
 *
 * @module
 */
export {
  type FastifyLimit,
  type FastifyLimitOptions,
  rateLimit,
  type RateLimitedRequest,
  rateLimitOf,
} from "./src/frameworks/fastify.ts";
export type { ContextLimitOptions } from "./src/frameworks/context_limiter.ts";
