import { Hono, type MiddlewareHandler } from "hono";
import { etag } from "hono/etag";
import { found, itemOf, pageOf, placed, RESOURCES, userOf } from "../service/content.ts";
import type { Application } from "../service/scenarios.ts";
import type { FetchHandler } from "./handlers.ts";

/** Creates the static file middleware: each runtime has its own. */
export type ServeStatic = (
  options: { root: string; rewriteRequestPath: (path: string) => string },
) => MiddlewareHandler;

type Variables = { Variables: { user: string } };

/**
 * An application on Hono.
 *
 * @param application The application
 * @param tags `etag` adds its ETag middleware
 * @param serveStatic Serves files
 * @param folder The static files' folder
 */
export function honoHandler(
  application: Application,
  tags: "etag" | "none",
  serveStatic: ServeStatic,
  folder: string,
): FetchHandler {
  const app = new Hono<Variables>();
  if (tags === "etag") app.use(etag());
  switch (application) {
    case "service":
      service(app, serveStatic, folder);
      break;
    case "routes":
      for (const resource of RESOURCES) {
        app.get(`/api/${resource}/:id`, (c) => c.json({ resource, id: c.req.param("id") }));
      }
      break;
    case "middleware":
      for (let i = 0; i < 10; i++) app.use((_c, next) => next());
      app.get("/items/:id", (c) => c.json(itemOf(c.req.param("id"))));
  }
  return app.fetch as FetchHandler;
}

function service(app: Hono<Variables>, serveStatic: ServeStatic, folder: string): void {
  app.get("/hello/:name", (c) => c.text(`Hello, ${c.req.param("name")}!`));
  app.get("/items/:id", (c) => c.json(itemOf(c.req.param("id"))));
  app.get("/pages/:page", (c) => c.json(pageOf(c.req.param("page"))));
  app.get("/search", (c) => c.json(found(c.req.query("q")!, c.req.query("sort")!, c.req.query("page")!)));
  app.post("/orders", async (c) => c.json(placed(await c.req.json()), 201));
  app.use("/account/*", async (c, next) => {
    const user = await userOf(c.req.header("Authorization"));
    c.set("user", user);
    c.header("X-User", user);
    await next();
  });
  app.get("/account/orders/:id", (c) => c.json({ id: c.req.param("id"), user: c.get("user") }));
  const team = new Hono();
  team.get("/members/:member", (c) => c.json({ team: c.req.param("team" as "member"), member: c.req.param("member") }));
  app.route("/teams/:team", team);
  app.get("/assets/*", serveStatic({ root: folder, rewriteRequestPath: (path) => path.slice("/assets".length) }));
}
