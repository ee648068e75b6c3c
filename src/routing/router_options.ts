import type { PathHandler } from "./handler.ts";

/**
 * How a router matches paths.
 *
 * @example Parameters of the path it is mounted at
 * ```ts
 * import sluice, { Router } from "@sluice/sluice";
 *
 * const comments = Router({ mergeParams: true });
 * comments.get("/:number", (req, res) => res.json(req.params));
 *
 * const app = sluice();
 * app.use("/notes/:note/comments", comments);
 * console.log(await (await app.inject("/notes/7/comments/1")).json()); // { note: "7", number: "1" }
 * ```
 */
export interface RouterOptions {
  /** Treats `/Foo` and `/foo` as different paths; off by default. */
  caseSensitive?: boolean | undefined;
  /** Also gives handlers the mount path's parameters; off by default. */
  mergeParams?: boolean | undefined;
  /** Treats `/foo` and `/foo/` as different paths; off by default. */
  strict?: boolean | undefined;
}

/**
 * Options for a route group: a router's options, plus middleware that runs before it.
 *
 * @example Routes that need a key
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const keys = new Set(["key-of-ann"]);
 * const app = sluice();
 * app.group("/admin", {
 *   middleware: [(req, res, next) => keys.has(req.get("x-api-key") ?? "") ? next() : res.sendStatus(401)],
 * }, (admin) => {
 *   admin.get("/users", (_req, res) => res.json([]));
 * });
 * console.log((await app.inject("/admin/users")).status); // 401
 * ```
 */
export interface GroupOptions extends RouterOptions {
  /** Runs for every request under the prefix. */
  middleware?: PathHandler | readonly PathHandler[] | undefined;
}

/**
 * How routes are printed.
 *
 * @example Routes with the middleware in front of them
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/users/:id", function show(_req, res) {
 *   res.send("a user");
 * });
 * app.printRoutes("", { details: true });
 * ```
 */
export interface PrintRoutesOptions {
  /** Colors the methods; off by default. */
  color?: boolean;
  /** Prints, below each route, the middleware in front of its handler, its limits and its validation. */
  details?: boolean;
}

/**
 * Which details to list for routes.
 *
 * @example The middleware of a route
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(sluice.json());
 * app.post("/notes", (req, res) => res.json(req.body));
 * const [route] = app.getRegisteredRoutes("", { details: true });
 * console.log(route?.path); // /notes
 * ```
 */
export interface ListRoutesOptions {
  /** Whether to include the middleware in front of each handler, with its limits and validation; off by default. */
  details?: boolean;
}
