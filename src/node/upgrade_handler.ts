import type { IncomingMessage } from "node:http";
import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type { FrameworkApp } from "../app/framework_app.ts";
import { assertServable } from "../platform/assert_servable.ts";
import type { Routed, Servable } from "../platform/platform.ts";
import type { ErrorReporter } from "../request/guard.ts";
import { answerVisit } from "./node_handler.ts";
import { HeldSocket } from "./held_socket.ts";
import { UpgradeVisit } from "./upgrade_visit.ts";

/** A listener for the `upgrade` event of Node's servers. */
export type UpgradeHandler = (this: unknown, req: IncomingMessage, socket: Duplex, head: Uint8Array) => void;

const handlers = new WeakSet<(...args: never[]) => void>();
// requests, not sockets: a socket that was given back may carry another request
const taken = new WeakSet<IncomingMessage>();

/** Number of header lines that Node keeps of a request by default. */
const KEPT_HEADERS = 1000;

/** Answer of newer Node versions to a request with more headers. */
const TOO_MANY_HEADERS = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n";

/**
 * Makes a listener for the `upgrade` event of your own Node server from an application's WebSocket routes.
 *
 * Upgrades that lead to no WebSocket route are left to the server's other `upgrade` listeners. If there are none, they
 * are answered as normal requests: those for a WebSocket by this application, all others by the server.
 *
 * @param app The application; it gets the whole path, so if its routes are below a prefix, mount it in another one
 * @returns The listener
 *
 * @example Your own server
 * ```ts ignore
 * const server = http.createServer(toNodeHandler(app));
 * server.on("upgrade", toUpgradeHandler(app));
 * ```
 *
 * @example WebSockets beside an Express application, below `/api`
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

// the last of our handlers must answer: a request that all of them leave to others would wait for ever
function isLast(server: unknown, handler: UpgradeHandler): boolean {
  if (!(server instanceof EventEmitter)) return true;
  const listeners = server.listeners("upgrade") as UpgradeHandler[];
  return listeners.at(-1) === handler && listeners.every((one) => handlers.has(one));
}

/**
 * Answers an `upgrade` event.
 *
 * @param app The application
 * @param req Node's request
 * @param socket Its socket
 * @param head Bytes received after the request
 * @param server Node's server, which gets back upgrades to protocols other than WebSocket
 * @param reporter Reports what goes wrong before the application has the request
 * @param isClosing Tells whether it is too late for new connections
 * @returns The visit, `null` if the request was given back to the server
 */
export function takeUpgrade(
  app: Servable,
  req: IncomingMessage,
  socket: Duplex,
  head: Uint8Array,
  server: unknown,
  reporter: ErrorReporter,
  isClosing: () => boolean = () => false,
): UpgradeVisit | null {
  const failed = (error: unknown): void => {
    reporter.reportError(error, { phase: "server" });
    socket.destroy();
  };
  if (!isHandshake(req) && server instanceof EventEmitter) {
    giveBack(server, req, socket, head).catch(failed);
    return null;
  }
  const visit = new UpgradeVisit(req, socket, head, isClosing);
  visit.turn().then((came) => came && answerVisit(app, visit, visit.prepare())).catch(failed);
  return visit;
}

/**
 * Tells whether an upgrade may lead to a WebSocket route of an application.
 *
 * @param req Node's request
 * @param app The application
 */
export function isForSocket(req: IncomingMessage, app: Routed): boolean {
  return isHandshake(req) && app.router.leadsToSocket(pathOf(req));
}

function isHandshake({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

// RFC 9110 section 7.8: a server may ignore the header. Node does so if nobody listens for upgrades; otherwise it does
// not read the body, which would be lost for clients that offer HTTP/2 with every request. So the request is replayed
// to Node.
async function giveBack(
  server: EventEmitter & { maxHeadersCount?: number | null },
  req: IncomingMessage,
  socket: Duplex,
  head: Uint8Array,
): Promise<void> {
  const held = new HeldSocket(socket);
  const isFree = await held.freed();
  if (!isFree) return void socket.destroy();
  if (!hasAllHeaders(req, server)) return void socket.end(TOO_MANY_HEADERS, () => socket.destroy());
  held.release();
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i]!;
    if (name.toLowerCase() !== "upgrade") lines.push(`${name}: ${req.rawHeaders[i + 1]}`);
  }
  socket.unshift(head);
  socket.unshift(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  server.emit("encrypted" in socket ? "secureConnection" : "connection", socket);
}

// Node drops headers beyond a limit. If it dropped the one that says where the body ends, the body would be parsed as
// another request (request smuggling)
function hasAllHeaders({ rawHeaders }: IncomingMessage, server: { maxHeadersCount?: number | null }): boolean {
  const most = server.maxHeadersCount ?? KEPT_HEADERS;
  return most <= 0 || rawHeaders.length < 2 * most;
}
