import { asciiUpperCase } from "../util/ascii.ts";
import type { AnyHandler, Layer } from "../matching/layer.ts";
import type { ErrorHandler, Handler, Path } from "./handler.ts";
import type { PathPattern } from "../matching/path_pattern.ts";
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

/** The arrays in which routers and applications show their layers. */
export interface LayerViews {
  /** Routes in registration order, one entry per path and method. */
  readonly routes: RouteDefinition[];
  /** WebSocket routes in registration order. */
  readonly wsRoutes: WebSocketRouteDefinition[];
  /** Middleware for every path. */
  readonly middlewares: Handler[];
  /** Middleware for paths below a prefix, one entry per `use` call. */
  readonly prefixMiddlewares: PrefixMiddleware[];
  /** Error handlers in registration order. */
  readonly errorHandlers: ErrorHandler[];
  /** Mounted routers and apps. */
  readonly children: SubRouter[];
}

/** How each view is derived. */
export const LAYER_VIEWS: { [Name in keyof LayerViews]: (layers: readonly Layer[]) => LayerViews[Name] } = {
  routes(layers) {
    return layers.flatMap(({ route, patterns }) =>
      route instanceof Route ? patterns.flatMap((pattern) => definitionsOf(route, pattern)) : []
    );
  },

  wsRoutes(layers) {
    return layers.flatMap(({ route, patterns }) => {
      if (!(route instanceof SocketRoute)) return [];
      const { handlers } = route;
      const middlewares = route.middlewares as Handler[];
      return patterns.map(({ source, regex, keys }) => ({
        path: source,
        regex,
        keys: [...keys],
        handlers,
        middlewares,
      }));
    });
  },

  middlewares(layers) {
    return layers.filter((layer) => layer.everywhere).flatMap((layer) => plain(layer, "handler") as Handler[]);
  },

  prefixMiddlewares(layers) {
    const found: PrefixMiddleware[] = [];
    let before: Layer | undefined;
    for (const layer of layers) {
      const handlers = layer.everywhere ? [] : plain(layer, "handler") as Handler[];
      if (handlers.length > 0 && layer.call === before?.call) found.at(-1)!.handlers.push(...handlers);
      else if (handlers.length > 0) found.push({ prefix: prefixText(layer.path), handlers });
      before = handlers.length > 0 ? layer : undefined;
    }
    return found;
  },

  errorHandlers(layers) {
    return layers.flatMap((layer) => plain(layer, "error") as ErrorHandler[]);
  },

  children(layers) {
    return layers.flatMap((layer) =>
      layer.mounted === null ? [] : [{ prefix: prefixText(layer.path), router: layer.entries[0]!.fn }]
    );
  },
};

/**
 * Gives a class an accessor for each of the views.
 *
 * @param prototype The class's prototype
 * @param viewOf Returns one of an object's views
 */
export function defineViews<T>(prototype: T, viewOf: (object: T, name: keyof LayerViews) => unknown): void {
  for (const name of Object.keys(LAYER_VIEWS) as (keyof LayerViews)[]) {
    Object.defineProperty(prototype, name, {
      get(this: T) {
        return viewOf(this, name);
      },
      configurable: true,
    });
  }
}

function definitionsOf(route: Route, { source: path, regex, keys }: PathPattern): RouteDefinition[] {
  return Object.keys(route.methods).map((method) => {
    const name = method === "_all" ? null : method;
    const handlers = route.stack.filter((entry) => entry.method === name).map((entry) => entry.fn as Handler);
    return { method: name === null ? "ALL" : asciiUpperCase(name), path, regex, keys: [...keys], handlers };
  });
}

function plain(layer: Layer, kind: "handler" | "error"): AnyHandler[] {
  if (layer.route !== null || layer.mounted !== null) return [];
  return layer.entries.filter((entry) => entry.kind === kind).map((entry) => entry.fn);
}

/** A path as a string: a list joined by commas, a RegExp between slashes. */
function prefixText(path: Path): string {
  return Array.isArray(path) ? path.map(String).join(",") : String(path);
}
