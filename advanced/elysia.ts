/**
 * The rate limiter as an Elysia plugin.
 *
 * @example Rate limit an API
 * ```ts
 * import { Elysia } from "elysia";
 * import { rateLimit } from "@sluice/rate-limit/elysia";
 *
 * const app = new Elysia()
 *   .use(rateLimit({ limit: 100, windowMs: 60_000 }))
 *   .get("/api/time", () => ({ now: Date.now() }));
 * export default { fetch: app.fetch };
 * ```
 *
 * @module
 */
export {
  type ElysiaLimit,
  type ElysiaLimited,
  type ElysiaLimitOptions,
  rateLimit,
  type RateLimitDerived,
} from "./src/frameworks/elysia.ts";
export type { ContextLimitOptions } from "./src/frameworks/context_limiter.ts";
