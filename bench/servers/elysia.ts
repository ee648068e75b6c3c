import { Elysia } from "elysia";
import { found, itemOf, type Order, pageOf, placed, RESOURCES, userOf } from "../service/content.ts";
import type { Application } from "../service/scenarios.ts";

/** The part of an Elysia application that the benchmarks use. */
export interface ElysiaApp {
  /** Handles a request. */
  fetch(request: Request): Response | Promise<Response>;
  /** Listens with the runtime's own server. */
  listen(options: object, ready: (server: { port: number }) => void): unknown;
}

/** An application on Elysia; its middleware is hooks before a handler, and it has no static files of its own. */
export function elysiaApp(application: Application): ElysiaApp {
  const app = new Elysia();
  switch (application) {
    case "service":
      service(app);
      break;
    case "routes":
      for (const resource of RESOURCES) app.get(`/api/${resource}/:id`, ({ params }) => ({ resource, id: params.id }));
      break;
    case "middleware":
      for (let i = 0; i < 10; i++) app.onBeforeHandle(() => {});
      app.get("/items/:id", ({ params }) => itemOf(params.id));
  }
  return app as unknown as ElysiaApp;
}

function service(app: Elysia): void {
  app.get("/hello/:name", ({ params }) => `Hello, ${params.name}!`);
  app.get("/items/:id", ({ params }) => itemOf(params.id));
  app.get("/pages/:page", ({ params }) => pageOf(params.page));
  app.get("/search", ({ query }) => found(query["q"]!, query["sort"]!, query["page"]!));
  app.post("/orders", ({ body, set }) => {
    set.status = 201;
    return placed(body as Order);
  });
  app.group("/account", (account) =>
    account
      .derive(async ({ headers, set }) => {
        const user = await userOf(headers["authorization"]);
        set.headers["x-user"] = user;
        return { user };
      })
      .get("/orders/:id", ({ params, user }) => ({ id: params.id, user })));
  app.group(
    "/teams/:team",
    (team) => team.get("/members/:member", ({ params: { team, member } }) => ({ team, member })),
  );
}
