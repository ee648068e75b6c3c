import type { IncomingMessage } from "node:http";
import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type { FrameworkApp } from "../app/framework_app.ts";
import { assertServable } from "../platform/shared/assert_servable.ts";
import { isForSocket, takeUpgrade } from "./take_upgrade.ts";

/** A listener for the `upgrade` event on Node's servers. */
export type UpgradeHandler = (this: unknown, req: IncomingMessage, socket: Duplex, head: Uint8Array) => void;

const handlers = new WeakSet<(...args: never[]) => void>();
// requests, not sockets, because a socket that was given back may carry another request
const taken = new WeakSet<IncomingMessage>();

/**
 * Creates a listener for your own Node server's `upgrade` event from an application's WebSocket routes.
 *
 * Upgrades that match no WebSocket route are left to the server's other `upgrade` listeners. If there are none, they
 * are handled as normal requests: WebSocket upgrades by this application, all other upgrades by the server.
 *
 * @param app The application; it gets the whole path, so if its routes are below a prefix, mount it in an outer app
 * @returns The listener
 *
 * @example Your own server
 * ```ts ignore
 * const server = http.createServer(toNodeHandler(app));
 * server.on("upgrade", toUpgradeHandler(app));
 * ```
 *
 * @example WebSockets next to an Express application, below `/api`
 * ```ts ignore
 * const server = expressApp.use("/api", toNodeHandler(app)).listen(3000);
 * server.on("upgrade", toUpgradeHandler(sluice().use("/api", app)));
 * ```
 */
export function toUpgradeHandler(app: FrameworkApp): UpgradeHandler {
  assertServable("toUpgradeHandler", app);
  const handler: UpgradeHandler = function (req, socket, head): void {
    if (taken.has(req)) return;
    if (!isForSocket(req, app) && !isLast(this, handler)) return;
    taken.add(req);
    takeUpgrade(app, req, socket, head, this, app);
  };
  handlers.add(handler);
  return handler;
}

// the last of our handlers must respond, because a request that they all pass on would wait forever
function isLast(server: unknown, handler: UpgradeHandler): boolean {
  if (!(server instanceof EventEmitter)) return true;
  const listeners = server.listeners("upgrade") as UpgradeHandler[];
  return listeners.at(-1) === handler && listeners.every((one) => handlers.has(one));
}
