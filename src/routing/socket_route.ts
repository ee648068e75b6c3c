import { checkNames, type OptionNames } from "../util/check_option.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { LONGEST_TIMER_MS } from "../util/units.ts";
import { describe } from "../util/error_text.ts";
import { type AnyHandler, type LayerEntry, layerEntry, type RoutedEntries } from "../matching/layer.ts";
import { exchangeKey } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { assertOrigins } from "../websocket/check_origin.ts";
import type { WebSocketHandlers } from "../websocket/ws_handlers.ts";
import type { Path } from "./handler.ts";
import { acceptSocketKey } from "../exchange/app_like.ts";

/** Names of a connection's handlers. */
export const HANDLER_NAMES: readonly string[] = ["open", "message", "close", "drain", "error"];

const NAMES: OptionNames<WebSocketHandlers> = {
  open: true,
  message: true,
  close: true,
  drain: true,
  error: true,
  protocols: true,
  pingTimeoutMs: true,
  maxMessageBytes: true,
  maxBufferedBytes: true,
  origins: true,
};

/** A WebSocket path: middleware that runs before the upgrade, and handlers for the connection. */
export class SocketRoute implements RoutedEntries {
  /** The path as registered. */
  readonly path: Path;
  /** The connection's handlers. */
  readonly handlers: WebSocketHandlers;
  /** Middleware that runs before the upgrade. */
  readonly middlewares: readonly AnyHandler[];
  /** Empty, because it responds to no method; programs that list routes, such as express-list-endpoints, read it. */
  readonly methods: Readonly<Record<string, boolean>> = {};
  readonly #entries: readonly LayerEntry[];

  /**
   * @param caller Name of the caller for error messages
   * @param path The path
   * @param args Middleware, with the connection's handlers last
   * @throws {TypeError} If the handlers are missing, or a handler, middleware or option has the wrong type
   * @throws {RangeError} If the ping timeout is negative or exceeds a timer's maximum, or a limit is not a whole number
   * of bytes
   */
  constructor(caller: string, path: Path, args: readonly unknown[]) {
    const flat = args.flat(Infinity);
    const handlers = flat.at(-1);
    assertHandlers(caller, handlers);
    const middlewares = flat.slice(0, -1);
    for (const fn of middlewares) {
      if (typeof fn !== "function") {
        throw new TypeError(`${caller}: middleware must be a function, not ${describe(fn)}`);
      }
    }
    this.path = path;
    this.handlers = handlers;
    this.middlewares = middlewares as AnyHandler[];
    const accept = (req: FrameworkRequest, res: unknown): Promise<void> =>
      req[exchangeKey].app[acceptSocketKey](req, res, { path: String(path), handlers });
    this.#entries = [...this.middlewares, accept].map(layerEntry);
  }

  /** The middleware and the upgrade itself; for upgrade requests only. */
  entriesFor(method: string): readonly LayerEntry[] {
    return method === "WS" ? this.#entries : [];
  }

  /** A WebSocket route adds nothing to `Allow`. */
  allowedMethods(): string[] {
    return [];
  }
}

function assertHandlers(caller: string, handlers: unknown): asserts handlers is WebSocketHandlers {
  if (typeof handlers === "function") {
    throw new TypeError(
      `${caller} expects an object with the connection's handlers, not a function (ws, req): ` +
        "remove expressWs(app), and write { open(ws) {}, message(ws, data) {}, close(ws) {} }; the request is " +
        "ws.data.req",
    );
  }
  if (typeof handlers !== "object" || handlers === null) {
    throw new TypeError(
      `${caller} needs the connection's handlers last, such as { message(ws, data) {} }, not ${describe(handlers)}`,
    );
  }
  // an instance of a class may have other properties
  if (isPlainObject(handlers)) checkNames(caller, handlers, NAMES);
  const given = HANDLER_NAMES.filter((name) => (handlers as Record<string, unknown>)[name] !== undefined);
  if (given.length === 0) {
    throw new TypeError(`${caller} needs at least one of the handlers ${HANDLER_NAMES.join(", ")}`);
  }
  for (const name of given) {
    const handler = (handlers as Record<string, unknown>)[name];
    if (typeof handler !== "function") {
      throw new TypeError(`${caller}: the handler "${name}" must be a function, not ${describe(handler)}`);
    }
  }
  assertOptions(caller, handlers);
}

function assertOptions(caller: string, handlers: WebSocketHandlers): void {
  const { protocols, pingTimeoutMs, maxMessageBytes, maxBufferedBytes, origins } = handlers;
  assertBytes(caller, "maxMessageBytes", maxMessageBytes);
  assertBytes(caller, "maxBufferedBytes", maxBufferedBytes);
  assertOrigins(caller, origins);
  const isList = Array.isArray(protocols) && protocols.every((one) => typeof one === "string");
  if (protocols !== undefined && typeof protocols !== "function" && !isList) {
    throw new TypeError(`${caller}: "protocols" must be a list of names or a function, not ${describe(protocols)}`);
  }
  if (pingTimeoutMs === undefined) return;
  if (typeof pingTimeoutMs !== "number") {
    throw new TypeError(`${caller}: "pingTimeoutMs" must be a number of ms, not ${describe(pingTimeoutMs)}`);
  }
  if (pingTimeoutMs >= 0 && pingTimeoutMs <= LONGEST_TIMER_MS) return;
  throw new RangeError(
    `${caller}: "pingTimeoutMs" must be from 0, which means never, to ${LONGEST_TIMER_MS}, not ${pingTimeoutMs}`,
  );
}

function assertBytes(caller: string, name: string, bytes: unknown): void {
  if (bytes === undefined) return;
  if (typeof bytes !== "number") {
    throw new TypeError(`${caller}: "${name}" must be a number of bytes, not ${describe(bytes)}`);
  }
  if (bytes === Infinity || Number.isInteger(bytes) && bytes > 0) return;
  throw new RangeError(`${caller}: "${name}" must be a whole number of bytes, or Infinity for no limit, not ${bytes}`);
}
