/**
 * Liveness and readiness probes for Kubernetes and load balancers.
 *
 * @example Both probes, with a database check
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
