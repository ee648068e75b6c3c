import type { PathPattern } from "../matching/path_pattern.ts";
import { registrationEpoch } from "../matching/registrations.ts";
import { joinPaths, type Listed, listedSource } from "./route_listing.ts";
import { unlessBroken } from "../matching/capture.ts";

/** A way to a route: through mounts, each at one of its paths. */
interface Way {
  /** The whole path as registered. */
  readonly fullPath: string;
  /** The mounts' paths, followed by the route's. */
  readonly patterns: readonly PathPattern[];
}

/** The ways to all of a router's routes, at a given number of registrations. */
interface Ways {
  readonly epoch: number;
  readonly byRoute: ReadonlyMap<object, readonly Way[]>;
}

// Not a field on the application: one more field would turn it into a hash table in V8.
const known = new WeakMap<Listed, Ways>();

/**
 * A route's whole path, including its mounts' paths. It collects paths on the first call, and again after further
 * registrations; requests that never need their path cost nothing.
 *
 * @param router The outermost router
 * @param route The route
 * @param path The request's path; it selects among the paths if a route has several
 */
export function routePathOf(router: Listed, route: object, path: string): string | undefined {
  const ways = waysOf(router).get(route) ?? [];
  const taken = ways.length > 1 ? ways.find(({ patterns }) => leadsAlong(patterns, path)) : undefined;
  return (taken ?? ways[0])?.fullPath;
}

function waysOf(router: Listed): Ways["byRoute"] {
  const before = known.get(router);
  if (before?.epoch === registrationEpoch) return before.byRoute;
  const byRoute = new Map<object, Way[]>();
  collect(router, { fullPath: "", patterns: [] }, [], byRoute);
  known.set(router, { epoch: registrationEpoch, byRoute });
  return byRoute;
}

function collect(router: Listed, way: Way, within: readonly Listed[], byRoute: Map<object, Way[]>): void {
  const around = [...within, router];
  for (const layer of router.stack) {
    const { route } = layer;
    const source = listedSource(layer, around);
    for (const pattern of layer.patterns) {
      const fullPath = joinPaths(way.fullPath, String(pattern.source));
      const further: Way = { fullPath, patterns: [...way.patterns, pattern] };
      if (source !== undefined) collect(source, further, around, byRoute);
      else if (route !== null) byRoute.set(route, [...byRoute.get(route) ?? [], further]);
    }
  }
}

function leadsAlong(patterns: readonly PathPattern[], path: string): boolean {
  let rest = path;
  return patterns.every((pattern) => {
    const match = unlessBroken(() => pattern.match(rest));
    if (match !== null) rest = rest.slice(match.length) || "/";
    return match !== null;
  });
}
