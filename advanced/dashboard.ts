/**
 * Shows which keys each policy limits, their rates and the store's health, and resets keys.
 *
 * @example A dashboard for administrators
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { rateLimit } from "@sluice/rate-limit";
 * import { dashboard } from "@sluice/rate-limit/dashboard";
 *
 * const api = rateLimit({ name: "api", limit: 100, windowMs: 60_000 });
 *
 * const app = sluice();
 * app.use("/api", api);
 * // the secret from the environment, in a program of your own; browsers ask for it as a password
 * app.use("/limits", dashboard({ limiters: { api }, secret: "tUb4KZzYkJvC1G8n3aXw0QmPq5RrS7eL" }));
 * ```
 *
 * @module
 */
export { dashboard, type DashboardMiddleware } from "./src/dashboard/dashboard.ts";
export type { DashboardLimiter, DashboardOptions } from "./src/dashboard/dashboard_options.ts";
export { type FetchDashboard, fetchDashboard } from "./src/dashboard/fetch_dashboard.ts";
