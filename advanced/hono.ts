/**
 * The rate limiter as Hono middleware.
 *
 * @example Rate limit an API
 * ```ts
 * import { Hono } from "hono";
 * import { rateLimit } from "@sluice/rate-limit/hono";
 *
 * const app = new Hono();
 * app.use("/api/*", rateLimit({ limit: 100, windowMs: 60_000 }));
 * app.get("/api/time", (c) => c.json({ now: Date.now() }));
 * export default app;
 * ```
 *
 * @module
 */
export { type HonoLimit, type HonoLimitOptions, rateLimit, type RateLimitVariables } from "./src/frameworks/hono.ts";
export type { ContextLimitOptions } from "./src/frameworks/context_limiter.ts";
