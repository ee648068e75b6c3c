import type { SeenRoute } from "../exchange/app_like.ts";
import { editsBetween } from "../util/nearest_name.ts";

/** Routes of one page. */
const MOST = 5;

/** How far a path is from a route: they differ by a typo, or by a whole segment. */
const TYPO = 1;
const SEGMENT = 2;

/**
 * Whether a route handles a method.
 *
 * @param route The route
 * @param method The method in capitals
 */
export function handles(route: SeenRoute, method: string): boolean {
  return route.method === method || route.method === "ALL" || (method === "HEAD" && route.method === "GET");
}

/**
 * The routes that a client probably meant: their path differs from the asked one by a typo, or by one segment that is
 * missing, too many, or another one.
 *
 * @param routes All routes
 * @param path The path that was asked for, not decoded
 * @returns At most five, the nearest first
 */
export function nearRoutes(routes: readonly SeenRoute[], path: string): SeenRoute[] {
  const asked = segmentsOf(path);
  const near = routes.filter(({ params }) => params === null)
    .map((route) => ({ route, apart: distance(asked, segmentsOf(route.fullPath)) }))
    .filter(({ apart }) => apart <= SEGMENT);
  return near.sort((one, other) => one.apart - other.apart).slice(0, MOST).map(({ route }) => route);
}

function segmentsOf(path: string): string[] {
  return path.toLowerCase().split("/").filter((segment) => segment !== "");
}

function distance(asked: readonly string[], known: readonly string[]): number {
  const isOpen = known.at(-1)?.startsWith("*") && asked.length > known.length;
  return lengthened(isOpen ? asked.slice(0, known.length) : asked, known);
}

function lengthened(asked: readonly string[], known: readonly string[]): number {
  // a route of nothing but parameters is near to everything
  const isAlike = asked.some((segment) => known.some((other) => !isOpenTo(other) && isNear(segment, other)));
  if (!isAlike) return Infinity;
  const length = Math.max(asked.length, known.length);
  let same = 0;
  while (same < length && fits(asked[same], known[same])) same++;
  if (same === length) return 0;
  const apart = asked.length - known.length;
  const rest = (segments: readonly string[], skipped: number) => segments.slice(same + skipped);
  if (apart === 0 && fitAll(rest(asked, 1), rest(known, 1))) return isNear(asked[same]!, known[same]!) ? TYPO : SEGMENT;
  if (apart === 1 && fitAll(rest(asked, 1), rest(known, 0))) return SEGMENT;
  return apart === -1 && fitAll(rest(asked, 0), rest(known, 1)) ? SEGMENT : Infinity;
}

function fitAll(asked: readonly string[], known: readonly string[]): boolean {
  return asked.length === known.length && asked.every((segment, i) => fits(segment, known[i]));
}

function fits(asked: string | undefined, known: string | undefined): boolean {
  return asked !== undefined && known !== undefined && (isOpenTo(known) || asked === known);
}

function isOpenTo(known: string): boolean {
  return known.startsWith(":") || known.startsWith("*");
}

function isNear(asked: string, known: string): boolean {
  const length = Math.max(asked.length, known.length);
  const most = length < 3 ? 0 : length < 8 ? 1 : 2;
  // a stranger's segment may be as long as a URL
  return Math.abs(asked.length - known.length) <= most && editsBetween(asked, known) <= most;
}
