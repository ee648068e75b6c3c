import { asciiLowerCase } from "../util/ascii.ts";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Routed, Servable } from "../platform/shared/platform.ts";
import type { ErrorReporter } from "../exchange/call_guarded.ts";
import { handleCall } from "./handle_call.ts";
import { DetachedSocket } from "./detached_socket.ts";
import { UpgradeCall } from "./upgrade_call.ts";

/** Header lines that Node keeps per request by default. */
const KEPT_HEADERS = 1000;

/** Newer Node versions' response to a request with more headers. */
const TOO_MANY_HEADERS = "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n";

/**
 * Responds to an `upgrade` event.
 *
 * @param app The application
 * @param req Node's request
 * @param socket Its socket
 * @param head Bytes received after the request
 * @param server Node's server, which gets back upgrades to protocols other than WebSocket
 * @param reporter Reports errors that occur before the application has the request
 * @param isClosing Returns whether it is too late for new connections
 * @returns The call, `null` if the request was given back to the server
 */
export function takeUpgrade(
  app: Servable,
  req: IncomingMessage,
  socket: Duplex,
  head: Uint8Array,
  server: unknown,
  reporter: ErrorReporter,
  isClosing: () => boolean = () => false,
): UpgradeCall | null {
  const failed = (error: unknown): void => {
    reporter.reportError(error, { phase: "server" });
    socket.destroy();
  };
  if (!isHandshake(req) && server instanceof EventEmitter) {
    giveBack(server, req, socket, head).catch(failed);
    return null;
  }
  const call = new UpgradeCall(req, socket, head, isClosing);
  call.turn().then((came) => came && handleCall(app, call, call.prepare())).catch(failed);
  return call;
}

/**
 * Returns whether an upgrade may match an application's WebSocket route.
 *
 * @param req Node's request
 * @param app The application
 */
export function isForSocket(req: IncomingMessage, app: Routed): boolean {
  return isHandshake(req) && app.fastMatcher.leadsToSocket(pathOf(req));
}

function isHandshake({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && asciiLowerCase(headers.upgrade ?? "") === "websocket";
}

function pathOf({ url = "/" }: IncomingMessage): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

// RFC 9110 section 7.8: a server may ignore the header. Node does so without `upgrade` listeners. With a listener, it
// does not read the body, which would be lost for clients that offer HTTP/2 with every request, so the request is
// replayed to Node.
async function giveBack(
  server: EventEmitter & { maxHeadersCount?: number | null },
  req: IncomingMessage,
  socket: Duplex,
  head: Uint8Array,
): Promise<void> {
  const held = new DetachedSocket(socket);
  const isFree = await held.freed();
  if (!isFree) return void socket.destroy();
  if (!hasAllHeaders(req, server)) return void socket.end(TOO_MANY_HEADERS, () => socket.destroy());
  held.release();
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let i = 0; i < req.rawHeaders.length; i += 2) {
    const name = req.rawHeaders[i]!;
    if (!/^upgrade$/i.test(name)) lines.push(`${name}: ${req.rawHeaders[i + 1]}`);
  }
  socket.unshift(head);
  socket.unshift(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
  server.emit("encrypted" in socket ? "secureConnection" : "connection", socket);
}

// Node drops headers beyond a limit. If it dropped the one that delimits the body, the body would be parsed as another
// request (request smuggling)
function hasAllHeaders({ rawHeaders }: IncomingMessage, server: { maxHeadersCount?: number | null }): boolean {
  const most = server.maxHeadersCount ?? KEPT_HEADERS;
  return most <= 0 || rawHeaders.length < 2 * most;
}
