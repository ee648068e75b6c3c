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

/** The arrays in which routers and applications show their layers, by property. */
export const LAYER_VIEWS = {
  /** Routes in registration order, one entry per path and method. */
  routes(layers: readonly Layer[]): RouteDefinition[] {
    return layers.flatMap(({ route, patterns }) =>
      route instanceof Route ? patterns.flatMap((pattern) => definitionsOf(route, pattern)) : []
    );
  },

  /** WebSocket routes in registration order. */
  wsRoutes(layers: readonly Layer[]): WebSocketRouteDefinition[] {
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

  /** Middleware for every path. */
  middlewares(layers: readonly Layer[]): Handler[] {
    return layers.filter((layer) => layer.everywhere).flatMap((layer) => plain(layer, "handler") as Handler[]);
  },

  /** Middleware for paths below a prefix, one entry per `use` call. */
  prefixMiddlewares(layers: readonly Layer[]): PrefixMiddleware[] {
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

  /** Error handlers in registration order. */
  errorHandlers(layers: readonly Layer[]): ErrorHandler[] {
    return layers.flatMap((layer) => plain(layer, "error") as ErrorHandler[]);
  },

  /** Mounted routers and apps. */
  children(layers: readonly Layer[]): SubRouter[] {
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
export function defineViews<T>(prototype: T, viewOf: (object: T, name: keyof typeof LAYER_VIEWS) => unknown): void {
  for (const name of Object.keys(LAYER_VIEWS) as (keyof typeof LAYER_VIEWS)[]) {
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
