/**
 * A time limit for starting a response: when it runs out, the client gets a 503, and `req.signal` aborts so that the
 * handler's pending work stops.
 *
 * @example A limit for all routes, and a longer one for some
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { timeout } from "@sluice/middleware/timeout";
 *
 * const app = sluice();
 * app.get("/report", timeout(30_000), async (req, res) => {
 *   const report = await fetch("https://reports.internal/", { signal: req.signal });
 *   res.json(await report.json());
 * });
 * app.use(timeout(2000));
 * app.get("/", (req, res) => res.send("in time"));
 * ```
 *
 * @module
 */
export { timeout, type TimeoutExtras, type TimeoutOptions } from "./src/timeout/timeout.ts";
