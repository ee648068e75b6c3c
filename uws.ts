/**
 * Sluice on Node, over uWebSockets.js in place of Node's own server. Experimental.
 *
 * The engine is a dependency of the program, which passes it in. It needs less processor time than `node:http`, and does
 * less: what it does not do, and which limits it has, is listed in `docs/uws.md`.
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
// every program has it: what the entries share is then one module of the bundle (docs/decisions/0013-start.md)
import "./mod.ts";
import { setUpNode } from "./src/node/set_up_node.ts";

setUpNode();

export type { Bytes, Engine } from "./src/uws/engine.ts";
export { serve, type UwsOptions } from "./src/uws/serve.ts";
export type { UwsInfo } from "./src/uws/uws_call.ts";
