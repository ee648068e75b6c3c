import fastifyStatic from "@fastify/static";
import fastify, { type FastifyInstance } from "fastify";
import { found, itemOf, type Order, pageOf, placed, RESOURCES, userOf } from "../service/content.ts";
import type { Application } from "../service/scenarios.ts";

declare module "fastify" {
  interface FastifyRequest {
    user: string;
  }
}

/** An application on fastify; its middleware consists of hooks, and its routers are plugins with a prefix. */
export function fastifyApp(application: Application, folder: string): FastifyInstance {
  const app = fastify();
  switch (application) {
    case "service":
      service(app, folder);
      break;
    case "routes":
      for (const resource of RESOURCES) {
        app.get<{ Params: { id: string } }>(`/api/${resource}/:id`, (req, reply) => {
          reply.send({ resource, id: req.params.id });
        });
      }
      break;
    case "middleware":
      for (let i = 0; i < 10; i++) app.addHook("onRequest", (_req, _reply, done) => done());
      app.get<{ Params: { id: string } }>("/items/:id", (req, reply) => void reply.send(itemOf(req.params.id)));
  }
  return app;
}

function service(app: FastifyInstance, folder: string): void {
  app.get<{ Params: { name: string } }>("/hello/:name", (req, reply) => {
    reply.send(`Hello, ${req.params.name}!`);
  });
  app.get<{ Params: { id: string } }>("/items/:id", (req, reply) => void reply.send(itemOf(req.params.id)));
  app.get<{ Params: { page: string } }>("/pages/:page", (req, reply) => void reply.send(pageOf(req.params.page)));
  app.get<{ Querystring: { q: string; sort: string; page: string } }>("/search", (req, reply) => {
    reply.send(found(req.query.q, req.query.sort, req.query.page));
  });
  app.post<{ Body: Order }>("/orders", (req, reply) => void reply.code(201).send(placed(req.body)));
  app.register((account, _options, done) => {
    account.decorateRequest("user", "");
    account.addHook("onRequest", async (req, reply) => {
      req.user = await userOf(req.headers.authorization);
      reply.header("X-User", req.user);
    });
    account.get<{ Params: { id: string } }>("/orders/:id", (req, reply) => {
      reply.send({ id: req.params.id, user: req.user });
    });
    done();
  }, { prefix: "/account" });
  app.register((team, _options, done) => {
    team.get<{ Params: { team: string; member: string } }>("/members/:member", (req, reply) => {
      const { team, member } = req.params;
      reply.send({ team, member });
    });
    done();
  }, { prefix: "/teams/:team" });
  app.register(fastifyStatic, { root: folder, prefix: "/assets/" });
}
