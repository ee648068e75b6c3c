import { detailsOf, type HandlerDetails, shownDetails } from "../util/handler_details.ts";
import type { AnyHandler, Layer, LayerEntry } from "../matching/layer.ts";
import { below, joinPaths, type Listed, listedSource, methodsOf, type RegisteredRoute } from "./route_listing.ts";
import { unlessBroken } from "../matching/capture.ts";
import { Route } from "./route.ts";
import { HANDLER_NAMES, SocketRoute } from "./socket_route.ts";

/** A middleware or one of a route's handlers. */
export interface ListedHandler extends HandlerDetails {
  /** Its declared name or the function's name, empty if it has neither. */
  readonly name: string;
  /** The path for which it was registered, including enclosing mounts; for a route's own handlers, the route's path. */
  readonly path: string;
}

/** A route with everything that runs before its last handler. */
export interface DetailedRoute extends RegisteredRoute {
  /** Everything that runs before the last handler, in order: middleware, earlier routes, the route's handlers. */
  readonly middleware: readonly ListedHandler[];
  /** The last handler's name, empty if it has none; for a WebSocket route, the names of the connection's handlers. */
  readonly handler: string;
  /** The route's own limits: a WebSocket route's options. */
  readonly limits: Readonly<Record<string, string | number>>;
  /** The last handler's details if it declares any, such as one that validates and then handles. */
  readonly details?: HandlerDetails;
  /** Set if the route's path, or one leading to it, is a regular expression. */
  readonly byRegExp?: true;
}

/** A route as one router sees it. */
interface Below {
  /** Its path below that router, without optional parts; `null` if a regular expression leads to it. */
  readonly path: string | null;
  readonly route: DetailedRoute;
}

/**
 * Lists every route in the order they are tried, with everything that runs before its handler.
 *
 * These are the middleware and earlier routes, in any router, that all requests for the route pass through, as far as
 * paths show. A middleware for `/users/7` is not listed for `/users/:id`, because it runs only for some requests. For a
 * path that is a regular expression, only entries for every path are listed.
 *
 * @param router The router
 * @param prefix Prepended to every path
 */
export function detailedRoutes(router: Listed, prefix: string): DetailedRoute[] {
  return routesBelow(router, prefix, []).map(({ path, route }) => path === null ? { ...route, byRegExp: true } : route);
}

function routesBelow(router: Listed, prefix: string, within: readonly Listed[]): Below[] {
  const around = [...within, router];
  return router.stack.flatMap((layer, i) => {
    const before = router.stack.slice(0, i);
    return belowLayer(layer, prefix, around).map(({ path, route }) => {
      const earlier = before.flatMap((one) => applied(one, path, route.method, prefix, around));
      return { path, route: { ...route, middleware: [...earlier, ...route.middleware] } };
    });
  });
}

function belowLayer(layer: Layer, prefix: string, around: readonly Listed[]): Below[] {
  const paths = layer.patterns.map(({ source }) => source);
  return layer.mounted === null
    ? methodsOf(layer).flatMap((method) => paths.map((path) => own(layer, method, path, prefix)))
    : paths.flatMap((path) => mounted(layer, path, prefix, around));
}

function own(layer: Layer, method: string, path: string | RegExp, prefix: string): Below {
  const fullPath = joinPaths(prefix, String(path));
  const { handlers, last, name, limits } = contentOf(layer, method);
  const middleware = handlers.map((fn) => listed(fn, fullPath));
  const details = last === undefined ? {} : shownDetails(detailsOf(last));
  const route = { fullPath, method, path: String(path), middleware, handler: details.name ?? name, limits };
  return { path: shortest(path), route: Object.keys(details).length === 0 ? route : { ...route, details } };
}

function mounted(layer: Layer, path: string | RegExp, prefix: string, around: readonly Listed[]): Below[] {
  const source = listedSource(layer, around);
  if (source === undefined) return [];
  const above = shortest(path);
  return routesBelow(source, joinPaths(prefix, String(path)), around).map(({ path: inside, route }) => {
    return { path: above === null || inside === null ? null : joinPaths(above, inside), route };
  });
}

/** A layer's entries that run for requests with a given path and method if all those requests reach the layer. */
function applied(
  layer: Layer,
  path: string | null,
  method: string,
  prefix: string,
  around: readonly Listed[],
): ListedHandler[] {
  const found = entered(layer, path);
  if (found === null) return [];
  const fullPath = joinPaths(prefix, found.path);
  if (layer.mounted !== null) {
    const source = listedSource(layer, around);
    const within = source === undefined ? around : [...around, source];
    return source?.stack.flatMap((one) => applied(one, found.rest, method, fullPath, within)) ?? [];
  }
  return functionsOf(layer, method).map((fn) => listed(fn, fullPath));
}

/** The layer's path that all requests with a given path match, and the rest of that path below a mount. */
function entered(layer: Layer, path: string | null): { path: string; rest: string | null } | null {
  if (layer.everywhere) return { path: String(layer.patterns[0]!.source), rest: path };
  if (path === null) return null;
  for (const pattern of layer.patterns) {
    const match = unlessBroken(() => pattern.match(path));
    if (match === null || (layer.route === null && !layer.enters(match, path))) continue;
    return { path: String(pattern.source), rest: below(path, match) };
  }
  return null;
}

/** A path without its optional parts and without constraints on its parameters. */
function shortest(path: string | RegExp): string | null {
  if (path instanceof RegExp) return null;
  const short = path.replace(/\{[^{}]*\}|\/:\w+(?:\([^()]*\))?[?*]/g, "");
  return short === path ? path.replace(/\([^()]*\)|[+\\]/g, "") || "/" : shortest(short);
}

function listed(fn: AnyHandler, path: string): ListedHandler {
  const { name = fn.name, ...details } = shownDetails(detailsOf(fn));
  return { name, path, ...details };
}

function functionsOf({ route, entries }: Layer, method: string): AnyHandler[] {
  if (route instanceof SocketRoute) return method === "WS" ? [...route.middlewares] : [];
  const own = route instanceof Route ? entriesOf(route, method) : entries;
  return own.filter(({ kind }) => kind === "handler").map(({ fn }) => fn);
}

function entriesOf(route: Route, method: string): readonly LayerEntry[] {
  return method === "ALL" ? route.stack.filter((entry) => entry.method === null) : route.entriesFor(method);
}

function contentOf(layer: Layer, method: string): {
  handlers: readonly AnyHandler[];
  last?: AnyHandler | undefined;
  name: string;
  limits: Readonly<Record<string, number>>;
} {
  const functions = functionsOf(layer, method);
  const { route } = layer;
  if (route instanceof SocketRoute) {
    const { maxMessageBytes, maxBufferedBytes, pingTimeoutMs } = route.handlers;
    const given = Object.entries({ maxMessageBytes, maxBufferedBytes, pingTimeoutMs });
    const limits = Object.fromEntries(given.filter((one): one is [string, number] => one[1] !== undefined));
    const events = Object.keys(route.handlers).filter((name) => HANDLER_NAMES.includes(name));
    return { handlers: functions, name: events.join(", "), limits };
  }
  const last = functions.at(-1);
  return { handlers: functions.slice(0, -1), last, name: last?.name ?? "", limits: {} };
}

/**
 * Formats a route with its details as output lines.
 *
 * @param route The route
 * @param method Its method, colored or not
 */
export function detailedLines(route: DetailedRoute, method: string): string[] {
  const { fullPath, middleware, handler, limits, details = {} } = route;
  const said = saidOf(details);
  const lines = [`${method} ${fullPath}${handler === "" ? "" : ` (${handler})`}`];
  if (Object.keys(limits).length > 0) lines.push(`    limits: ${pairs(limits)}`);
  for (const { name, path, ...said } of middleware) {
    const where = path !== fullPath && path !== "/" && path !== "" ? [`on ${path}`] : [];
    lines.push([`    ${name || "(anonymous)"}`, ...where, ...saidOf(said)].join("  "));
  }
  if (said.length > 0) lines.push(`    itself  ${said.join("  ")}`);
  return lines;
}

function saidOf({ limits = {}, validates = {}, responds = {}, operation = {} }: HandlerDetails): string[] {
  const parts: string[] = [];
  if (Object.keys(limits).length > 0) parts.push(`limits ${pairs(limits)}`);
  if (Object.keys(validates).length > 0) parts.push(`validates ${Object.keys(validates).join(", ")}`);
  if (Object.keys(responds).length > 0) parts.push(`responds ${Object.keys(responds).join(", ")}`);
  if (typeof operation["summary"] === "string") parts.push(JSON.stringify(operation["summary"]));
  return parts;
}

function pairs(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values).map(([name, value]) => `${name} ${value}`).join(", ");
}
