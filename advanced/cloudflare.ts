/**
 * A store for Cloudflare's rate limiting binding: one limit per Cloudflare location, without Durable Objects.
 *
 * @example Limit a Worker
 * ```ts ignore
 * import { env } from "cloudflare:workers";
 * import sluice from "@sluice/sluice";
 * import { rateLimit } from "@sluice/rate-limit";
 * import { CloudflareRateLimitStore } from "@sluice/rate-limit/cloudflare";
 *
 * // "ratelimits": [{ "name": "LIMITER", "namespace_id": "1001", "simple": { "limit": 100, "period": 60 } }]
 * const store = new CloudflareRateLimitStore({ binding: env.LIMITER });
 *
 * const app = sluice();
 * app.use("/api", rateLimit({ limit: 100, windowMs: 60_000, store }));
 * app.get("/api/time", (_req, res) => res.json({ now: Date.now() }));
 *
 * export default app;
 * ```
 *
 * @module
 */
export {
  CloudflareRateLimitStore,
  type CloudflareRateLimitStoreOptions,
  type RateLimitBindingLike,
} from "./src/stores/cloudflare_rate_limit_store.ts";
