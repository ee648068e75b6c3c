/**
 * Sluice on Node. Importing this entry makes `app.listen` work there, with WebSockets, views, static files, `NODE_ENV`
 * and, given a certificate, HTTP/2.
 *
 * Use `toNodeHandler` and `toUpgradeHandler` with your own server, or to migrate from Express one route at a time.
 *
 * WebSockets run over HTTP/1.1, including on a port that also serves HTTP/2. WebSockets over HTTP/2 itself (RFC 8441)
 * are not supported. Messages are not compressed and may be up to 64 MiB; a larger one closes the connection with
 * code 1009. A client that does not respond to pings is disconnected with code 1006: see `pingTimeoutMs` in the
 * `app.ws` handlers.
 *
 * @example A server
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { serve } from "@sluice/sluice/node";
 *
 * const app = sluice();
 * app.get("/", (req, res) => res.send("Hello from Node"));
 * app.ws("/chat", { message: (ws, data) => ws.send(data) });
 * serve(app, { port: 3000 });
 * ```
 *
 * @example Your own server
 * ```ts ignore
 * const server = http.createServer(toNodeHandler(app));
 * server.on("upgrade", toUpgradeHandler(app));
 * server.listen(3000);
 *
 * // later: the application closes its WebSockets, and then the server has nothing to wait for
 * await app.close();
 * server.close();
 * ```
 *
 * @module
 */
// every program imports it, so bundlers keep what the entries share in one module (docs/decisions/0013-start.md)
import "./mod.ts";
import { setUpNode } from "./src/node/set_up_node.ts";

setUpNode();

export { type NodeHandler, toNodeHandler } from "./src/node/node_handler.ts";
export type { NodeInfo, NodeNext } from "./src/node/node_info.ts";
export { serve } from "./src/node/serve.ts";
export { toUpgradeHandler, type UpgradeHandler } from "./src/node/upgrade_handler.ts";
export type { Servable } from "./src/platform/shared/platform.ts";
