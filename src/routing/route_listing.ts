import { asciiUpperCase } from "../util/ascii.ts";
import type { AnyHandler, Layer, LayerSource } from "../matching/layer.ts";
import type { PathMatch, PathPattern } from "../matching/path_pattern.ts";
import { withHeadFromGet } from "../matching/methods.ts";
import { MAX_MESSAGE_BYTES } from "../websocket/socket_limits.ts";
import { Route } from "./route.ts";
import { SocketRoute } from "./socket_route.ts";

/** One line of the list of routes. */
export interface RegisteredRoute {
  /** Path including the prefixes of all mounts. */
  fullPath: string;
  /** Method in capitals, `ALL` for `all`, `WS` for WebSocket routes. */
  method: string;
  /** Path as it was registered on its router. */
  path: string;
}

/** One path of a router, as listed by Express's `router.listRoutes()`. */
export interface RouteInfo {
  /** The path as it was registered. */
  path: string | RegExp;
  /** Methods of a route in capitals, `*` for `all`; `undefined` for a mounted router. */
  methods: string[] | undefined;
  /** The mounted router, `undefined` for a route. */
  router: AnyHandler | undefined;
}

/** Something whose layers can be listed. */
export interface Listed {
  readonly stack: readonly Layer[];
}

/**
 * Lists every route in the order in which they are tried. Nothing is left out: a route that is registered twice, or is
 * never reached because of an earlier one, is listed where it was registered.
 *
 * @param router The router
 * @param prefix Prepended to every path
 * @param within The routers around it: one that is mounted below itself is listed only once
 * @returns The routes, those of mounted routers included
 */
export function registeredRoutes(router: Listed, prefix: string, within: readonly Listed[] = []): RegisteredRoute[] {
  const around = [...within, router];
  return router.stack.flatMap((layer) => {
    if (layer.mounted !== null) {
      const { source } = layer.mounted;
      if (!isListed(source) || around.includes(source)) return [];
      return pathsOf(layer).flatMap((path) => registeredRoutes(source, joinPaths(prefix, path), around));
    }
    return methodsOf(layer).flatMap((method) =>
      pathsOf(layer).map((path) => ({ fullPath: joinPaths(prefix, path), method, path }))
    );
  });
}

/**
 * The largest `maxMessageBytes` of the WebSocket routes on a router and on those mounted on it, at least the default.
 *
 * @param router The router
 * @param within The routers around it
 */
export function longestMessage(router: Listed, within: readonly Listed[] = []): number {
  const around = [...within, router];
  return router.stack.reduce((longest, { route, mounted }) => {
    if (route instanceof SocketRoute) return Math.max(longest, route.handlers.maxMessageBytes ?? 0);
    const source = mounted?.source;
    if (source === undefined || !isListed(source) || around.includes(source)) return longest;
    return Math.max(longest, longestMessage(source, around));
  }, MAX_MESSAGE_BYTES);
}

/**
 * Lists the routes of one router and what is mounted on it, in the order of registration, without going into the mounts.
 *
 * @param router The router
 * @returns An entry for each path; there is none for middleware, applications and WebSocket routes
 */
export function routeInfos(router: Listed): RouteInfo[] {
  return router.stack.flatMap(({ route, entries, patterns }) => {
    const mounted = route === null ? entries.find(({ fn }) => isStacked(fn))?.fn : undefined;
    if (mounted === undefined && !(route instanceof Route)) return [];
    return patterns.map(({ source }) => ({
      path: source,
      methods: route instanceof Route ? handledMethods(route) : undefined,
      router: mounted,
    }));
  });
}

// finds routers of Sluice and of Express
function isStacked(fn: AnyHandler): boolean {
  return "stack" in fn && Array.isArray(fn.stack);
}

function handledMethods(route: Route): string[] {
  return withHeadFromGet(methodNames(route, "*"));
}

/** Whether a mount leads to layers that can be listed. */
export function isListed(source: LayerSource): source is LayerSource & Listed {
  return "stack" in source;
}

/**
 * Methods of a route in capitals, `ALL` for `all`, `WS` for a WebSocket route; none of a layer that is not a route.
 *
 * @param layer The layer
 */
export function methodsOf({ route }: Layer): string[] {
  if (route instanceof SocketRoute) return ["WS"];
  return route instanceof Route ? methodNames(route, "ALL") : [];
}

function methodNames({ methods }: Route, all: string): string[] {
  return Object.keys(methods).map((method) => method === "_all" ? all : asciiUpperCase(method));
}

function pathsOf(layer: Layer): string[] {
  return layer.patterns.map((pattern) => String(pattern.source));
}

/**
 * Joins the path of a mount and one below it.
 *
 * @param prefix The path of the mount
 * @param path The path below it; `/` is the mount itself
 */
export function joinPaths(prefix: string, path: string): string {
  if (path === "/" && prefix !== "") return prefix;
  return prefix.endsWith("/") && path.startsWith("/") ? prefix + path.slice(1) : prefix + path;
}

/**
 * Matches a path that may be none: of a request with a broken percent escape, for which the client has got 400, or one
 * as it was registered.
 *
 * @param pattern The pattern
 * @param path The path
 */
export function matchOf(pattern: PathPattern, path: string): PathMatch | null {
  try {
    return pattern.match(path);
  } catch {
    return null;
  }
}

/**
 * What a router sees of a path that leads to it.
 *
 * @param path The path
 * @param match Its match with the path of the mount
 */
export function below(path: string, { length }: PathMatch): string {
  const rest = path.slice(length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}
