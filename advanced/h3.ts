/**
 * The rate limiter as h3 middleware, which also works in Nitro.
 *
 * @example Rate limit an API
 * ```ts ignore
 * import { H3, serve } from "h3";
 * import { rateLimit } from "@sluice/rate-limit/h3";
 *
 * const app = new H3();
 * app.use("/api/**", rateLimit({ limit: 100, windowMs: 60_000 }));
 * app.get("/api/time", () => ({ now: Date.now() }));
 * serve(app);
 * ```
 *
 * @module
 */
export { type H3Limit, type H3LimitOptions, rateLimit, rateLimitOf } from "./src/frameworks/h3.ts";
export type { ContextLimitOptions } from "./src/frameworks/context_limiter.ts";
