/**
 * Sluice on Fastly Compute.
 *
 * `req.ip` is the client's address. `req.info` is the event, with the client's location in `client.geo`.
 * `req.waitUntil` calls the event's own. There are no files or WebSockets.
 *
 * @example A service
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { type FastlyInfo, serveFastly } from "@sluice/sluice/fastly";
 *
 * const app = sluice();
 * app.get("/", (req, res) => res.json({ ip: req.ip, city: (req.info as FastlyInfo).client.geo?.["city"] }));
 * serveFastly(app);
 * ```
 *
 * @module
 */
// every program imports it, so bundlers keep what the entries share in one module (docs/decisions/0013-start.md)
import "./mod.ts";
export type { FastlyEnvironment, FastlyInfo } from "./src/fastly/fastly_platform.ts";
export { type FastlyOptions, serveFastly } from "./src/fastly/serve_fastly.ts";
export type { Servable } from "./src/platform/shared/platform.ts";
