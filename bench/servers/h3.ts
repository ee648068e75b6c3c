import { join } from "node:path";
import { getQuery, H3, serveStatic } from "h3";
import { found, itemOf, type Order, pageOf, placed, RESOURCES, userOf } from "../service/content.ts";
import type { Application } from "../service/scenarios.ts";
import { fileBody, fileStat } from "./disk.ts";

/** An application on h3. */
export function h3App(application: Application, folder: string): H3 {
  const app = new H3();
  switch (application) {
    case "service":
      service(app, folder);
      break;
    case "routes":
      for (const resource of RESOURCES) {
        app.get(`/api/${resource}/:id`, (event) => ({ resource, id: event.context.params!["id"] }));
      }
      break;
    case "middleware":
      for (let i = 0; i < 10; i++) app.use((_event, next) => next());
      app.get("/items/:id", (event) => itemOf(event.context.params!["id"]!));
  }
  return app;
}

function service(app: H3, folder: string): void {
  app.get("/hello/:name", (event) => `Hello, ${event.context.params!["name"]}!`);
  app.get("/items/:id", (event) => itemOf(event.context.params!["id"]!));
  app.get("/pages/:page", (event) => pageOf(event.context.params!["page"]!));
  app.get("/search", (event) => {
    const { q, sort, page } = getQuery<{ q: string; sort: string; page: string }>(event);
    return found(q, sort, page);
  });
  app.post("/orders", async (event) => {
    event.res.status = 201;
    return placed(await event.req.json() as Order);
  });
  app.use("/account/**", async (event, next) => {
    const user = await userOf(event.req.headers.get("Authorization"));
    event.context["user"] = user;
    event.res.headers.set("X-User", user);
    return await next();
  });
  app.get("/account/orders/:id", (event) => ({ id: event.context.params!["id"], user: event.context["user"] }));
  const team = new H3();
  team.get("/members/:member", ({ context: { params } }) => ({ team: params!["team"], member: params!["member"] }));
  app.mount("/teams/:team", team);
  app.get("/assets/**", (event) => {
    const pathOf = (id: string) => join(folder, id.slice("/assets".length));
    return serveStatic(event, {
      getContents: (id) => fileBody(pathOf(id)),
      async getMeta(id) {
        const { size, mtime } = await fileStat(pathOf(id));
        return { size, mtime, type: "text/css" };
      },
    });
  });
}
