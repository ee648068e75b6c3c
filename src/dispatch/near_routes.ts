import type { SeenRoute } from "../exchange/app_like.ts";
import { editsBetween } from "../util/nearest_name.ts";

/** Maximum number of routes on one page. */
const MOST = 5;

/** Distance from a path to a route: a typo, or a whole segment. */
const TYPO = 1;
const SEGMENT = 2;

/**
 * Returns whether a route handles a method.
 *
 * @param route The route
 * @param method The uppercase method
 */
export function handles(route: SeenRoute, method: string): boolean {
  return route.method === method || route.method === "ALL" || (method === "HEAD" && route.method === "GET");
}

/** Returns a route's display name: `GET /users/:id`. */
export function nameOf({ method, fullPath }: SeenRoute): string {
  return `${method} ${fullPath}`;
}

/**
 * Returns the routes that a client probably meant: their path differs from the requested one by a typo, or by one
 * segment that is missing, extra, or different.
 *
 * @param routes All routes
 * @param path The requested path, not decoded
 * @returns The nearest routes' names, at most five
 */
export function nearRoutes(routes: readonly SeenRoute[], path: string): string[] {
  const asked = segmentsOf(path);
  const others = routes.filter(({ params }) => params === null)
    .map((route) => ({ route, apart: distance(asked, segmentsOf(route.fullPath)) }));
  // below /api, a different segment makes every route near, so such routes help only if no route is a misspelling away
  const nearest = Math.min(SEGMENT, ...others.map(({ apart }) => apart));
  const names = others.filter(({ apart }) => apart === nearest).map(({ route }) => nameOf(route));
  // a route may be registered several times
  return [...new Set(names)].slice(0, MOST);
}

function segmentsOf(path: string): string[] {
  return path.toLowerCase().split("/").filter((segment) => segment !== "");
}

function distance(path: readonly string[], known: readonly string[]): number {
  // a wildcard matches the rest
  const asked = known.at(-1)?.startsWith("*") ? path.slice(0, known.length) : path;
  // a route with only parameters is near everything
  const isAlike = asked.some((segment) => known.some((other) => !isOpen(other) && isNear(segment, other)));
  if (!isAlike) return Infinity;
  let same = 0;
  while (same < asked.length && fits(asked[same]!, known[same])) same++;
  const [segment, ...rest] = asked.slice(same);
  const [other, ...others] = known.slice(same);
  // the paths differ only in case or slashes
  if (segment === undefined && other === undefined) return TYPO;
  const isMissing = other !== undefined && fitAll(asked.slice(same), others);
  const isTooMany = segment !== undefined && fitAll(rest, known.slice(same));
  if (isMissing || isTooMany) return SEGMENT;
  if (segment === undefined || other === undefined || !fitAll(rest, others)) return Infinity;
  return isNear(segment, other) ? TYPO : SEGMENT;
}

function fitAll(asked: readonly string[], known: readonly string[]): boolean {
  return asked.length === known.length && asked.every((segment, i) => fits(segment, known[i]));
}

function fits(asked: string, known: string | undefined): boolean {
  return known !== undefined && (isOpen(known) || asked === known);
}

function isOpen(known: string): boolean {
  return known.startsWith(":") || known.startsWith("*");
}

function isNear(asked: string, known: string): boolean {
  const length = Math.max(asked.length, known.length);
  const most = length < 3 ? 0 : length < 8 ? 1 : 2;
  // a requested segment may be as long as a URL
  return Math.abs(asked.length - known.length) <= most && editsBetween(asked, known) <= most;
}
