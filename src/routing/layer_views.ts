import { asciiUpperCase } from "../util/ascii.ts";
import type { AnyHandler, Layer } from "../matching/layer.ts";
import type { ErrorHandler, Handler, Path } from "./handler.ts";
import { Route } from "./route.ts";
import type { WebSocketHandlers } from "../websocket/ws_handlers.ts";
import { SocketRoute } from "./socket_route.ts";

/** One method on one registered path. */
export interface RouteDefinition {
  /** Method in capitals, `ALL` for `all`. */
  method: string;
  /** The path as registered. */
  path: string | RegExp;
  /** The path as a regular expression. */
  regex: RegExp;
  /** Names of its parameters. */
  keys: string[];
  /** The handlers, in order. */
  handlers: Handler[];
}

/** One registered WebSocket path. */
export interface WebSocketRouteDefinition {
  /** The path as registered. */
  path: string | RegExp;
  /** The path as a regular expression. */
  regex: RegExp;
  /** Names of its parameters. */
  keys: string[];
  /** The connection's handlers. */
  handlers: WebSocketHandlers;
  /** Middleware that runs before the upgrade. */
  middlewares: Handler[];
}

/** Middleware for paths below a prefix. */
export interface PrefixMiddleware {
  /** The prefix. */
  prefix: string;
  /** The middleware. */
  handlers: Handler[];
}

/** A mounted router or app. */
export interface SubRouter {
  /** The path at which it is mounted. */
  prefix: string;
  /** The router or app. */
  router: AnyHandler;
}

/** Routes in registration order, one entry per path and method. */
export function routesOf(layers: readonly Layer[]): RouteDefinition[] {
  const routes: RouteDefinition[] = [];
  for (const layer of layers) {
    const { route } = layer;
    if (!(route instanceof Route)) continue;
    for (const pattern of layer.patterns) {
      for (const method of Object.keys(route.methods)) {
        const name = method === "_all" ? null : method;
        const handlers = route.stack.filter((entry) => entry.method === name).map((entry) => entry.fn as Handler);
        const { source, regex, keys } = pattern;
        routes.push({
          method: name === null ? "ALL" : asciiUpperCase(name),
          path: source,
          regex,
          keys: [...keys],
          handlers,
        });
      }
    }
  }
  return routes;
}

/** WebSocket routes in registration order. */
export function wsRoutesOf(layers: readonly Layer[]): WebSocketRouteDefinition[] {
  return layers.flatMap(({ route, patterns }) => {
    if (!(route instanceof SocketRoute)) return [];
    const { handlers } = route;
    const middlewares = route.middlewares as Handler[];
    return patterns.map(({ source, regex, keys }) => ({ path: source, regex, keys: [...keys], handlers, middlewares }));
  });
}

/** Middleware for every path. */
export function middlewaresOf(layers: readonly Layer[]): Handler[] {
  return layers.filter((layer) => layer.everywhere).flatMap((layer) => plain(layer, "handler") as Handler[]);
}

/** Middleware for paths below a prefix, one entry per `use` call. */
export function prefixMiddlewaresOf(layers: readonly Layer[]): PrefixMiddleware[] {
  const found: PrefixMiddleware[] = [];
  let before: Layer | undefined;
  for (const layer of layers) {
    const handlers = layer.everywhere ? [] : plain(layer, "handler") as Handler[];
    if (handlers.length > 0 && layer.call === before?.call) found.at(-1)!.handlers.push(...handlers);
    else if (handlers.length > 0) found.push({ prefix: prefixText(layer.path), handlers });
    before = handlers.length > 0 ? layer : undefined;
  }
  return found;
}

/** Error handlers in registration order. */
export function errorHandlersOf(layers: readonly Layer[]): ErrorHandler[] {
  return layers.flatMap((layer) => plain(layer, "error") as ErrorHandler[]);
}

/** Mounted routers and apps. */
export function childrenOf(layers: readonly Layer[]): SubRouter[] {
  return layers.flatMap((layer) =>
    layer.mounted === null ? [] : [{ prefix: prefixText(layer.path), router: layer.entries[0]!.fn }]
  );
}

function plain(layer: Layer, kind: "handler" | "error"): AnyHandler[] {
  if (layer.route !== null || layer.mounted !== null) return [];
  return layer.entries.filter((entry) => entry.kind === kind).map((entry) => entry.fn);
}

/** A path as a string: a list joined by commas, a RegExp between slashes. */
function prefixText(path: Path): string {
  return Array.isArray(path) ? path.map(String).join(",") : String(path);
}
