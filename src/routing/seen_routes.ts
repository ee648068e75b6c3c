import type { SeenRoute } from "../exchange/app_like.ts";
import { below, joinPaths, type Listed, listedSource, methodsOf } from "./route_listing.ts";
import { unlessBroken } from "../matching/capture.ts";

/** The path left below a mount, and the parameters so far; `null` if the path does not lead there. */
interface Seen {
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Lists every route in the order they are tried, and whether a given path leads to it. It slowly matches layers one by
 * one, for the developer error page.
 *
 * @param router The router
 * @param path The path, not decoded
 */
export function routesSeenFrom(router: Listed, path: string): SeenRoute[] {
  return seenIn(router, "", { path, params: {} }, []);
}

function seenIn(router: Listed, prefix: string, seen: Seen | null, within: readonly Listed[]): SeenRoute[] {
  const around = [...within, router];
  return router.stack.flatMap((layer): SeenRoute[] =>
    layer.patterns.flatMap((pattern) => {
      const fullPath = joinPaths(prefix, String(pattern.source));
      const match = seen === null ? null : unlessBroken(() => pattern.match(seen.path));
      const params = match === null ? null : { ...seen!.params, ...match.params as object };
      if (layer.mounted === null) {
        return methodsOf(layer).map((method) => ({ method, fullPath, route: layer.route, params }));
      }
      const source = listedSource(layer, around);
      if (source === undefined) return [];
      const enters = match !== null && layer.enters(match, seen!.path);
      return seenIn(source, fullPath, enters ? { path: below(seen!.path, match), params: params! } : null, around);
    })
  );
}
