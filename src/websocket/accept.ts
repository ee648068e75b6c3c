import type { Any } from "../util/any.ts";
import { asciiLowerCase } from "../util/ascii.ts";
import { isEmptyParams } from "../util/empty_params.ts";
import { describe } from "../util/error_text.ts";
import { HttpError } from "../http/http_error.ts";
import { splitList } from "../http/header_values.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { assertOrigin } from "./check_origin.ts";
import type { Connections } from "./connections.ts";
import { serveConnection } from "./serve_connection.ts";
import { MAX_MESSAGE_BYTES, type ServerEnd } from "./socket_limits.ts";
import type { WebSocketConnection } from "./ws_connection.ts";
import type { WebSocketHandlers } from "./ws_handlers.ts";

/** Turns requests into WebSockets; implemented by platforms. */
export interface Upgrader {
  /** Whether an `Upgrade` header alone is enough for a handshake. */
  readonly bareUpgrades?: boolean;
  /** Returns whether the request no longer waits for a handshake; if it does, the upgrade must follow on the same tick. */
  hasDisconnected?(request: Request): Promise<boolean>;
  /** Accepts a WebSocket. */
  upgrade(
    request: Request,
    info: unknown,
    options: {
      protocol?: string | undefined;
      headers?: Headers | undefined;
      pingTimeoutMs: number;
      maxMessageBytes: number;
      context?: unknown;
    },
  ): {
    readonly socket: ServerEnd;
    readonly response: Response;
    keep?(connection: WebSocketConnection, handlers: WebSocketHandlers): void;
  };
}

/** Key of a request's own upgrader in the platform's second argument. */
export const upgraderKey: unique symbol = Symbol.for("sluice.upgrader");

/**
 * Returns what upgrades an exchange's request.
 *
 * @param exchange The exchange
 * @param platform The platform, for requests without an upgrader of their own
 */
export function upgraderOf({ info }: Exchange, platform: Upgrader): Upgrader {
  return (info as { [upgraderKey]?: Upgrader } | null | undefined)?.[upgraderKey] ?? platform;
}

/** Everything needed to accept a WebSocket. */
export interface AcceptOptions {
  /** The request. */
  readonly req: FrameworkRequest;
  /** The response; headers set on it go into the handshake. */
  readonly res: FrameworkResponse;
  /** The route's path as registered. */
  readonly routePath: string;
  /** The connection's handlers. */
  readonly handlers: WebSocketHandlers;
  /** The platform. */
  readonly platform: Upgrader;
  /** The exchange; the program may have replaced properties on `req`. */
  readonly exchange: Exchange;
  /** The application's connections. */
  readonly connections: Connections;
}

/** Default for `pingTimeoutMs`. */
const PING_TIMEOUT_MS = 120_000;

/**
 * Headers that the handshake sets itself (RFC 6455 section 4.2.2) or that a 101 must not have (RFC 9110 section 8.6).
 */
const OWN_HEADERS = /^(?:connection|upgrade|sec-websocket-.*|content-length|transfer-encoding)$/;

/**
 * Accepts a WebSocket (RFC 6455 section 4.2) and runs its handlers.
 *
 * @param options The request and the connection's settings
 * @returns The platform's own response, which must be passed to the platform unchanged
 * @throws {HttpError} 400 if the handshake is malformed; 403 if the sending page is not allowed; 426 if the version is
 * not 13; 501 without WebSocket support; 503 if the application is closing
 */
export function acceptWebSocket(options: AcceptOptions): Response {
  const { req, res, routePath, handlers, platform, exchange, connections } = options;
  assertHandshake(req, platform);
  assertOrigin(req, handlers.origins);
  if (exchange.sequence <= connections.refused) throw new HttpError(503, "The server is closing");
  const protocol = chooseProtocol(req, handlers);
  const headers = handshakeHeaders(res);
  // read now, because some runtimes do not provide them after the upgrade
  const { target, info, context } = exchange;
  void req.headers;
  void exchange.peer;
  const { pingTimeoutMs = PING_TIMEOUT_MS, maxMessageBytes = MAX_MESSAGE_BYTES } = handlers;
  const data = { routePath, params: paramsOf(req, target), req };
  const upgrade = upgraderOf(exchange, platform).upgrade(target.request, info, {
    protocol,
    headers,
    pingTimeoutMs,
    maxMessageBytes,
    context,
  });
  // after this only `handled` may throw, where connections survive hibernation: the platform expects this very response
  const { socket, response } = upgrade;
  const handled = upgrade.keep && ((ws: WebSocketConnection) => upgrade.keep?.(ws, handlers));
  const ws = serveConnection({
    socket,
    protocol: protocol ?? "",
    data,
    handlers,
    connections,
    app: exchange.app,
    handled,
    exchange,
  });
  handled?.(ws);
  return response;
}

// a route without parameters need not create the empty `req.params`, which would live as long as the connection
function paramsOf(req: FrameworkRequest, { params }: Exchange["target"]): Record<string, Any> {
  const isReplaced = Object.hasOwn(req, "params");
  return isEmptyParams(params) && !isReplaced ? {} : { ...req.params };
}

function assertHandshake(req: FrameworkRequest, { bareUpgrades }: Upgrader): void {
  if (req.method !== "GET") throw new HttpError(400, "A WebSocket handshake is a GET request");
  // RFC 6455 section 4.1; an HTTP/1.0 proxy would not pass the frames on
  if (req.httpVersionMajor === 1 && req.httpVersionMinor === 0) {
    throw new HttpError(400, "A WebSocket handshake needs HTTP/1.1");
  }
  if (bareUpgrades && !req.get("sec-websocket-version") && !req.get("sec-websocket-key")) return;
  if (!splitList(req.get("connection") ?? "").some((token) => asciiLowerCase(token) === "upgrade")) {
    throw new HttpError(400, 'A WebSocket handshake needs the header "Connection: Upgrade"');
  }
  if (req.get("sec-websocket-version") !== "13") {
    throw new HttpError(426, "Only version 13 of the WebSocket protocol is supported", {
      headers: { "Sec-WebSocket-Version": "13", "Upgrade": "websocket" },
    });
  }
  // sixteen bytes in base64
  if (!/^[A-Za-z0-9+/]{22}==$/.test(req.get("sec-websocket-key") ?? "")) {
    throw new HttpError(400, 'A WebSocket handshake needs a valid "Sec-WebSocket-Key"');
  }
}

function chooseProtocol(req: FrameworkRequest, { protocols }: WebSocketHandlers): string | undefined {
  const offered = splitList(req.get("sec-websocket-protocol") ?? "");
  if (offered.length === 0) return undefined;
  if (protocols === undefined) return offered[0];
  if (typeof protocols === "function") {
    const chosen: unknown = protocols(offered, req);
    if (chosen !== undefined && chosen !== null && typeof chosen !== "string") {
      throw new TypeError(`app.ws: "protocols" must return a name synchronously, not ${describe(chosen)}`);
    }
    return offered.find((one) => one === chosen);
  }
  return protocols.find((protocol) => offered.includes(protocol));
}

function handshakeHeaders(res: FrameworkResponse): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(res.getHeaders())) {
    if (OWN_HEADERS.test(asciiLowerCase(name))) continue;
    for (const one of [value].flat()) headers.append(name, String(one));
  }
  return headers;
}
