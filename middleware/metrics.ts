/**
 * Metrics: requests by route, method and status, their duration, how many are in flight, and counters for sockets,
 * limiters and `shedLoad`. For OpenTelemetry, and as a page for Prometheus.
 *
 * @example A page that Prometheus scrapes
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { metrics } from "@sluice/middleware/metrics";
 *
 * const app = sluice();
 * const measured = metrics();
 * app.use(measured);
 * app.get("/metrics", measured.page);
 * app.get("/users/:id", (req, res) => res.json({ id: req.params.id }));
 *
 * await app.inject("/users/7");
 * console.log(await (await app.inject("/metrics")).text());
 * ```
 *
 * @module
 */
export { type Metrics, metrics, type MetricsOptions } from "./src/metrics/metrics.ts";
export type { MetricsRegister } from "./src/metrics/register.ts";
export type { CountedLimiter, CountedLoad } from "./src/metrics/figures.ts";
