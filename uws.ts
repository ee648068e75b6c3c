/**
 * Sluice on Node, running on uWebSockets.js instead of Node's own server. Experimental.
 *
 * Install the engine yourself and pass it in. It uses less CPU time than `node:http` and supports less: `docs/uws.md`
 * lists its limits and missing features.
 *
 * @example A server
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { serve } from "@sluice/sluice/uws";
 * import uWS from "uWebSockets.js";
 *
 * const app = sluice();
 * app.get("/", (_req, res) => res.send("Hello from uWebSockets.js"));
 * serve(app, { uWS, port: 3000 });
 * ```
 *
 * @module
 */
// every program imports it, so bundlers keep what the entries share in one module (docs/decisions/0013-start.md)
import "./mod.ts";
import { setUpNode } from "./src/node/set_up_node.ts";

setUpNode();

export type { Bytes, Engine } from "./src/uws/engine.ts";
export { serve, type UwsOptions } from "./src/uws/serve.ts";
export type { UwsInfo } from "./src/uws/uws_call.ts";
