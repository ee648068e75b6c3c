import type { PathHandler } from "./handler.ts";

/** How a router matches paths. */
export interface RouterOptions {
  /** Treats `/Foo` and `/foo` as different paths; off by default. */
  caseSensitive?: boolean | undefined;
  /** Gives handlers the parameters of the mount path, too; off by default. */
  mergeParams?: boolean | undefined;
  /** Treats `/foo` and `/foo/` as different paths; off by default. */
  strict?: boolean | undefined;
}

/** Options of a route group: the router's, and middleware that runs before it. */
export interface GroupOptions extends RouterOptions {
  /** Runs for every request under the prefix. */
  middleware?: PathHandler | readonly PathHandler[] | undefined;
}

/** How routes are printed. */
export interface PrintRoutesOptions {
  /** Colors the methods; off by default. */
  color?: boolean;
  /** Prints, below each route, what a request passes before its handler, and what that limits and checks. */
  details?: boolean;
}

/** What is listed of routes. */
export interface ListRoutesOptions {
  /** Whether each has what a request passes before its handler; off by default. */
  details?: boolean;
}
