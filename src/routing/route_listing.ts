import { asciiUpperCase } from "../util/ascii.ts";
import type { AnyHandler, Layer, LayerSource } from "../matching/layer.ts";
import type { PathMatch } from "../matching/path_pattern.ts";
import { withHeadFromGet } from "../matching/methods.ts";
import { rooted } from "../exchange/target.ts";
import { MAX_MESSAGE_BYTES } from "../websocket/socket_limits.ts";
import { Route } from "./route.ts";
import { SocketRoute } from "./socket_route.ts";

/** One line in the route list. */
export interface RegisteredRoute {
  /** Path including all mounts' prefixes. */
  fullPath: string;
  /** Method in capitals, `ALL` for `all`, `WS` for WebSocket routes. */
  method: string;
  /** Path as registered on its router. */
  path: string;
}

/** One path on a router, as listed by Express's `router.listRoutes()`. */
export interface RouteInfo {
  /** The path as registered. */
  path: string | RegExp;
  /** A route's methods in capitals, `*` for `all`; `undefined` for a mounted router. */
  methods: string[] | undefined;
  /** The mounted router, or `undefined` if it is a route. */
  router: AnyHandler | undefined;
}

/** An object with layers that can be listed. */
export interface Listed {
  readonly stack: readonly Layer[];
}

/**
 * Lists every route in the order they are tried. It includes duplicate routes, and routes that an earlier one makes
 * unreachable, where they were registered.
 *
 * @param router The router
 * @param prefix Prepended to every path
 * @param within The enclosing routers: a router mounted below itself is listed only once
 * @returns The routes, including mounted routers' routes
 */
export function registeredRoutes(router: Listed, prefix: string, within: readonly Listed[] = []): RegisteredRoute[] {
  const around = [...within, router];
  return router.stack.flatMap((layer) => {
    if (layer.mounted !== null) {
      const source = listedSource(layer, around);
      if (source === undefined) return [];
      return pathsOf(layer).flatMap((path) => registeredRoutes(source, joinPaths(prefix, path), around));
    }
    return methodsOf(layer).flatMap((method) =>
      pathsOf(layer).map((path) => ({ fullPath: joinPaths(prefix, path), method, path }))
    );
  });
}

/**
 * The largest `maxMessageBytes` on any WebSocket route of a router and its mounts; at least the default.
 *
 * @param router The router
 * @param within The enclosing routers
 */
export function longestMessage(router: Listed, within: readonly Listed[] = []): number {
  const around = [...within, router];
  return router.stack.reduce((longest, layer) => {
    const { route } = layer;
    if (route instanceof SocketRoute) return Math.max(longest, route.handlers.maxMessageBytes ?? 0);
    const source = listedSource(layer, around);
    return source === undefined ? longest : Math.max(longest, longestMessage(source, around));
  }, MAX_MESSAGE_BYTES);
}

/**
 * Lists one router's routes and mounts, in registration order, without descending into the mounts.
 *
 * @param router The router
 * @returns An entry per path; none for middleware, applications and WebSocket routes
 */
export function routeInfos(router: Listed): RouteInfo[] {
  return router.stack.flatMap(({ route, entries, patterns }) => {
    const mounted = route === null ? entries.find(({ fn }) => isStacked(fn))?.fn : undefined;
    if (mounted === undefined && !(route instanceof Route)) return [];
    return patterns.map(({ source }) => ({
      path: source,
      methods: route instanceof Route ? withHeadFromGet(methodNames(route, "*")) : undefined,
      router: mounted,
    }));
  });
}

// finds both Sluice's and Express's routers
function isStacked(fn: AnyHandler): boolean {
  return "stack" in fn && Array.isArray(fn.stack);
}

/**
 * Returns the router that a layer mounts; `undefined` if there is none, or its layers cannot be listed.
 *
 * @param layer The layer
 * @param around The routers being listed: a router may be mounted below itself
 */
export function listedSource({ mounted }: Layer, around: readonly Listed[]): Listed | undefined {
  const source = mounted?.source;
  return source !== undefined && isListed(source) && !around.includes(source) ? source : undefined;
}

function isListed(source: LayerSource): source is LayerSource & Listed {
  return "stack" in source;
}

/**
 * A route's methods in capitals, `ALL` for `all`, `WS` for a WebSocket route; none for a layer that is not a route.
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
 * Joins a mount's path and a path below it.
 *
 * @param prefix The mount's path
 * @param path The path below it; `/` is the mount itself
 */
export function joinPaths(prefix: string, path: string): string {
  if (path === "/" && prefix !== "") return prefix;
  return prefix.endsWith("/") && path.startsWith("/") ? prefix + path.slice(1) : prefix + path;
}

/**
 * The path as seen by a mounted router.
 *
 * @param path The path
 * @param match Its match with the mount's path
 */
export function below(path: string, { length }: PathMatch): string {
  return rooted(path.slice(length));
}
