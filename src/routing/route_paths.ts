import type { Layer, LayerSource } from "../matching/layer.ts";
import type { PathPattern } from "../matching/path_pattern.ts";
import { registrationEpoch } from "../matching/registrations.ts";
import { joinPaths } from "./route_listing.ts";

/** One way to a route: through mounts, each at one of its paths. */
interface Way {
  /** The whole path, as it was registered. */
  readonly fullPath: string;
  /** The paths of the mounts, and last that of the route. */
  readonly patterns: readonly PathPattern[];
}

/** A router. */
interface Routed {
  readonly stack: readonly Layer[];
}

/**
 * The whole paths of routes, those of their mounts included. They are collected when somebody asks, and again when
 * something has been registered since: a request that nobody asks about pays nothing.
 */
export class RoutePaths {
  readonly #router: () => Routed;
  #epoch = -1;
  #ways = new Map<object, Way[]>();

  /** @param router Finds the outermost router */
  constructor(router: () => Routed) {
    this.#router = router;
  }

  /**
   * Finds the path of a route.
   *
   * @param route The route
   * @param path The path of the request, which tells apart the paths of a route that has several
   */
  of(route: object, path: string): string | undefined {
    if (this.#epoch !== registrationEpoch) this.#collect();
    const ways = this.#ways.get(route);
    if (ways === undefined || ways.length === 1) return ways?.[0]!.fullPath;
    return (ways.find(({ patterns }) => leadsAlong(patterns, path)) ?? ways[0]!).fullPath;
  }

  #collect(): void {
    this.#epoch = registrationEpoch;
    this.#ways = new Map();
    this.#collectFrom(this.#router(), { fullPath: "", patterns: [] }, []);
  }

  // a router that is mounted below itself is entered once
  #collectFrom(router: Routed, way: Way, within: readonly Routed[]): void {
    const around = [...within, router];
    for (const { route, mounted, patterns } of router.stack) {
      for (const pattern of patterns) {
        const further: Way = {
          fullPath: joinPaths(way.fullPath, String(pattern.source)),
          patterns: [...way.patterns, pattern],
        };
        if (mounted !== null) {
          if (isRouted(mounted.source) && !around.includes(mounted.source)) {
            this.#collectFrom(mounted.source, further, around);
          }
        } else if (route !== null) {
          const known = this.#ways.get(route);
          if (known === undefined) this.#ways.set(route, [further]);
          else known.push(further);
        }
      }
    }
  }
}

function isRouted(source: LayerSource): source is LayerSource & Routed {
  return "stack" in source;
}

function leadsAlong(patterns: readonly PathPattern[], path: string): boolean {
  let rest = path;
  return patterns.every((pattern) => {
    const match = pattern.match(rest);
    if (match !== null) rest = rest.slice(match.length) || "/";
    return match !== null;
  });
}
