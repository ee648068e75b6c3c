/** The service written for Express's API: the same code serves Sluice and Express. */
import { found, itemOf, pageOf, placed, RESOURCES, userOf } from "../service/content.ts";
import type { Application } from "../service/scenarios.ts";

// deno-lint-ignore no-explicit-any -- two libraries with one API but separate types
type Any = any;

/**
 * Registers an application.
 *
 * @param framework The module: Sluice or Express
 * @param app One of its applications
 * @param application The application to register
 * @param folder The static files' folder
 */
export function register(framework: Any, app: Any, application: Application, folder: string): void {
  switch (application) {
    case "service":
      return service(framework, app, folder);
    case "routes":
      for (const resource of RESOURCES) {
        app.get(`/api/${resource}/:id`, (req: Any, res: Any) => res.json({ resource, id: req.params.id }));
      }
      return;
    case "middleware":
      for (let i = 0; i < 10; i++) app.use((_req: Any, _res: Any, next: Any) => next());
      app.get("/items/:id", (req: Any, res: Any) => res.json(itemOf(req.params.id)));
  }
}

function service(framework: Any, app: Any, folder: string): void {
  app.get("/hello/:name", (req: Any, res: Any) => res.send(`Hello, ${req.params.name}!`));
  app.get("/items/:id", (req: Any, res: Any) => res.json(itemOf(req.params.id)));
  app.get("/pages/:page", (req: Any, res: Any) => res.json(pageOf(req.params.page)));
  app.get("/search", (req: Any, res: Any) => res.json(found(req.query.q, req.query.sort, req.query.page)));
  app.post("/orders", framework.json(), (req: Any, res: Any) => res.status(201).json(placed(req.body)));
  app.use("/account", async (req: Any, res: Any, next: Any) => {
    req.user = await userOf(req.get("Authorization"));
    res.set("X-User", req.user);
    next();
  });
  app.get("/account/orders/:id", (req: Any, res: Any) => res.json({ id: req.params.id, user: req.user }));
  const team = framework.Router({ mergeParams: true });
  team.get("/members/:member", (req: Any, res: Any) => {
    const { team, member } = req.params;
    res.json({ team, member });
  });
  app.use("/teams/:team", team);
  app.use("/assets", framework.static(folder));
}
