/**
 * Whether a process lives, and whether it should get requests: what Kubernetes and load balancers ask.
 *
 * @example Both, and a check of the database
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { health } from "@sluice/middleware/health";
 *
 * const database = { query: (_sql: string, _options: { signal: AbortSignal }) => Promise.resolve() };
 *
 * const app = sluice();
 * // GET /livez and GET /readyz
 * app.use(health({ checks: { database: (signal) => database.query("SELECT 1", { signal }) } }));
 * ```
 *
 * @module
 */
export { type Health, health, type HealthLoad, type HealthOptions } from "./src/health/health.ts";
export type { Check, CheckFunction } from "./src/health/check.ts";
export type { CheckReport, HealthReport, HealthStatus } from "./src/health/health_report.ts";
