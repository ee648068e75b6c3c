import type { IncomingMessage, ServerResponse } from "node:http";
import { assertServable } from "../platform/shared/assert_servable.ts";
import type { Servable } from "../platform/shared/platform.ts";
import { receive } from "./handle_call.ts";
import { HostedCall } from "./hosted_call.ts";
import type { NodeNext } from "./node_info.ts";

/** A request handler for Node's servers, and middleware for Express. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse, next?: NodeNext) => void;

/**
 * Turns an application into a handler for your own Node server, or middleware for Express.
 *
 * Mounted in Express, the application gets the path below the mount, the body already read by Express's parsers,
 * `res.locals`, the headers set so far, and properties that other middleware added to the request, such as `user` and
 * `session`. If no layer responds, or an error is not handled, it calls `next` if there is one.
 *
 * If the client is known to have disconnected while the server awaited something before calling the handler, the
 * request is dropped: no layer runs.
 *
 * @param app The application
 * @returns The handler
 * @throws {TypeError} If it is not an application
 *
 * @example Your own server
 * ```ts ignore
 * http.createServer(toNodeHandler(app)).listen(3000);
 * ```
 *
 * @example Part of an Express application
 * ```ts ignore
 * expressApp.use("/api", toNodeHandler(app));
 * ```
 */
export function toNodeHandler(app: Servable): NodeHandler {
  assertServable("toNodeHandler", app);
  return (req, res, next) => receive(app, new HostedCall(req, res, next));
}
