/**
 * Sluice on Node: importing this entry makes `app.listen` work there, with views, static files and `NODE_ENV`.
 *
 * `toNodeHandler` is for those who own the server, and for moving from Express one route at a time.
 *
 * @example A server
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { serve } from "@sluice/sluice/node";
 *
 * const app = sluice();
 * app.get("/", (req, res) => res.send("Hello from Node"));
 * serve(app, { port: 3000 });
 * ```
 *
 * @module
 */
import { nodePlatform } from "./src/node/node_platform.ts";
import { registerPlatform } from "./src/platform/detect.ts";

registerPlatform(nodePlatform);

export { type NodeHandler, toNodeHandler } from "./src/node/node_handler.ts";
export type { NodeInfo, NodeNext } from "./src/node/node_visit.ts";
export { serve } from "./src/node/serve.ts";
export { toUpgradeHandler, type UpgradeHandler } from "./src/node/upgrade_handler.ts";
export type { Servable } from "./src/platform/platform.ts";
