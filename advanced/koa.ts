/**
 * The rate limiter as Koa middleware.
 *
 * @example Rate limit an API
 * ```ts ignore
 * import Koa from "koa";
 * import { rateLimit } from "@sluice/rate-limit/koa";
 *
 * const app = new Koa();
 * app.use(rateLimit({ limit: 100, windowMs: 60_000 }));
 * app.use((ctx) => void (ctx.body = { now: Date.now() }));
 * app.listen(3000);
 * ```
 *
 * @module
 */
export { type KoaLimit, type KoaLimitOptions, rateLimit, type RateLimitState } from "./src/frameworks/koa.ts";
export type { ContextLimitOptions } from "./src/frameworks/context_limiter.ts";
