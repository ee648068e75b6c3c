import type { PathHandler } from "./handler.ts";

/** How a router matches. */
export interface RouterOptions {
  /** Tells `/Foo` from `/foo`; off by default. */
  caseSensitive?: boolean | undefined;
  /** Shows handlers the parameters of the mount path too; off by default. */
  mergeParams?: boolean | undefined;
  /** Tells `/foo` from `/foo/`; off by default. */
  strict?: boolean | undefined;
}

/** Options of a route group: the router's, and middleware that runs before it. */
export interface GroupOptions extends RouterOptions {
  /** Runs for every request under the prefix. */
  middleware?: PathHandler | readonly PathHandler[] | undefined;
}

/** How routes are printed. */
export interface PrintRoutesOptions {
  /** Colours the methods; off by default. */
  colour?: boolean;
}
