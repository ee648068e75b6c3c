import { detailsOf, type HandlerDetails } from "../util/handler_details.ts";
import { type AnyHandler, entersMount, type Layer } from "../matching/layer.ts";
import { isListed, joinPaths, type Listed, matchOf, methodsOf, type RegisteredRoute } from "./route_listing.ts";
import { Route } from "./route.ts";
import { SocketRoute } from "./socket_route.ts";

/** A middleware, or one of a route's handlers. */
export interface ListedHandler extends HandlerDetails {
  /** Name of the function, empty if it has none. */
  readonly name: string;
  /** The path it was registered for, with those of the mounts around it; of a route's own handlers, the route's. */
  readonly path: string;
}

/** A route with all that a request passes before its last handler. */
export interface DetailedRoute extends RegisteredRoute {
  /** What runs before the last handler, in its order: middleware, and the route's own handlers. */
  readonly middleware: readonly ListedHandler[];
  /** Name of the last handler, empty if it has none; of a WebSocket route, of the connection's handlers there are. */
  readonly handler: string;
  /** What the route itself limits: the options of a WebSocket route. */
  readonly limits: Readonly<Record<string, string | number>>;
}

/** A route as one router sees it. */
interface Below {
  /** Its path below that router. */
  readonly path: string;
  readonly route: DetailedRoute;
}

/**
 * Lists every route in the order in which they are tried, with all that runs before its handler.
 *
 * A middleware counts for a route if its path matches the route's as it was registered: one for `/users/7` does not for
 * `/users/:id`, which it runs for now and then.
 *
 * @param router The router
 * @param prefix Prepended to every path
 */
export function detailedRoutes(router: Listed, prefix: string): DetailedRoute[] {
  return routesBelow(router, prefix, []).map(({ route }) => route);
}

function routesBelow(router: Listed, prefix: string, within: readonly Listed[]): Below[] {
  const around = [...within, router];
  const before: Layer[] = [];
  const found: Below[] = [];
  for (const layer of router.stack) {
    if (layer.route === null && layer.mounted === null) before.push(layer);
    for (const pattern of layer.patterns) {
      const path = String(pattern.source);
      for (const below of [...own(layer, path, prefix), ...mounted(layer, path, prefix, around)]) {
        const middleware = [...before.flatMap((one) => applied(one, below.path, prefix)), ...below.route.middleware];
        found.push({ path: below.path, route: { ...below.route, middleware } });
      }
    }
  }
  return found;
}

function own(layer: Layer, path: string, prefix: string): Below[] {
  const fullPath = joinPaths(prefix, path);
  return methodsOf(layer).map((method) => {
    const { handlers, name, limits } = contentOf(layer.route, method);
    const middleware = handlers.map((fn) => listed(fn, fullPath));
    return { path, route: { fullPath, method, path, middleware, handler: name, limits } };
  });
}

function mounted(layer: Layer, path: string, prefix: string, around: readonly Listed[]): Below[] {
  const source = layer.mounted?.source;
  if (source === undefined || !isListed(source) || around.includes(source)) return [];
  return routesBelow(source, joinPaths(prefix, path), around).map(({ path: below, route }) => {
    return { path: joinPaths(path, below), route };
  });
}

function applied(layer: Layer, path: string, prefix: string): ListedHandler[] {
  const pattern = layer.everywhere ? layer.patterns[0] : layer.patterns.find((one) => {
    const match = matchOf(one, path);
    return match !== null && entersMount(match, path);
  });
  if (pattern === undefined) return [];
  return layer.entries.filter(({ kind }) => kind === "handler")
    .map(({ fn }) => listed(fn, joinPaths(prefix, String(pattern.source))));
}

function listed(fn: AnyHandler, path: string): ListedHandler {
  return { name: fn.name, path, ...detailsOf(fn) };
}

function contentOf(route: Layer["route"], method: string): {
  handlers: readonly AnyHandler[];
  name: string;
  limits: Readonly<Record<string, number>>;
} {
  if (route instanceof SocketRoute) {
    const { maxMessageBytes, maxBufferedBytes, pingTimeoutMs } = route.handlers;
    const given = Object.entries({ maxMessageBytes, maxBufferedBytes, pingTimeoutMs });
    const limits = Object.fromEntries(given.filter((one): one is [string, number] => one[1] !== undefined));
    const events = Object.keys(route.handlers).filter((name) => EVENTS.includes(name));
    return { handlers: route.middlewares, name: events.join(", "), limits };
  }
  const entries = route instanceof Route
    ? route.stack.filter((entry) => entry.method === null || entry.method === method.toLowerCase())
    : [];
  const functions = entries.filter(({ kind }) => kind === "handler").map(({ fn }) => fn);
  return { handlers: functions.slice(0, -1), name: functions.at(-1)?.name ?? "", limits: {} };
}

const EVENTS: readonly string[] = ["open", "message", "close", "drain", "error"];

/**
 * A route with its details as lines of text.
 *
 * @param route The route
 * @param method Its method, coloured or not
 */
export function detailedLines({ fullPath, middleware, handler, limits }: DetailedRoute, method: string): string[] {
  const lines = [`${method} ${fullPath}${handler === "" ? "" : ` (${handler})`}`];
  if (Object.keys(limits).length > 0) lines.push(`    limits: ${pairs(limits)}`);
  for (const { name, path, limits: kept = {}, validates = {} } of middleware) {
    const parts = [`    ${name || "(anonymous)"}`];
    if (path !== fullPath && path !== "/" && path !== "") parts.push(`on ${path}`);
    if (Object.keys(kept).length > 0) parts.push(`limits ${pairs(kept)}`);
    if (Object.keys(validates).length > 0) parts.push(`validates ${Object.keys(validates).join(", ")}`);
    lines.push(parts.join("  "));
  }
  return lines;
}

function pairs(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values).map(([name, value]) => `${name} ${value}`).join(", ");
}
