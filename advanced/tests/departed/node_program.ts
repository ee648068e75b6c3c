/** The service in Express, Koa and Fastify; prints their ports. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import express from "express";
import fastify from "fastify";
// @ts-types="@types/koa"
import Koa from "koa";
import { adaptiveConcurrency, rateLimit } from "@sluice/rate-limit";
import { rateLimit as fastifyLimit } from "@sluice/rate-limit/fastify";
import { rateLimit as koaLimit } from "@sluice/rate-limit/koa";
import { SLOTS, TOKENS, WatchedService } from "./watched_service.ts";

// deno-lint-ignore no-explicit-any -- Express has no types here
type Any = any;

function endless(): PassThrough {
  const stream = new PassThrough();
  stream.write("the beginning of an endless text");
  return stream;
}

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function onExpress(): Promise<number> {
  const service = new WatchedService();
  const adaptive = adaptiveConcurrency();
  const tokens = rateLimit({ ...TOKENS, costAfter: (_req, res) => res.locals["tokens"] });
  const slots = rateLimit(SLOTS);
  const app: Any = express();
  app.get("/open", (_req: Any, res: Any) => {
    service.open();
    res.send("opened");
  });
  app.get("/figures", async (_req: Any, res: Any) => {
    res.json(await service.figures(tokens.limiter, slots.limiter, adaptive.figures.inFlight));
  });
  app.use(adaptive, tokens, slots);
  app.get("/model", async (_req: Any, res: Any) => {
    service.begin(res);
    res.locals["tokens"] = (await service.model()).tokens;
    res.send("done");
  });
  app.get("/stream", (_req: Any, res: Any) => {
    service.begin(res);
    res.locals["tokens"] = 30;
    res.write("the beginning of an endless text");
  });
  return listen(app);
}

function onKoa(): Promise<number> {
  const service = new WatchedService();
  const tokens = koaLimit({ ...TOKENS, costAfter: (ctx) => ctx.state["tokens"] });
  const slots = koaLimit(SLOTS);
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    if (ctx.path === "/open") ctx.body = (service.open(), "opened");
    else if (ctx.path === "/figures") ctx.body = await service.figures(tokens.limiter, slots.limiter, null);
    else await next();
  });
  app.use(tokens).use(slots);
  app.use(async (ctx) => {
    service.begin(ctx.res);
    if (ctx.path === "/stream") ctx.state["tokens"] = 30;
    else ctx.state["tokens"] = (await service.model()).tokens;
    ctx.body = ctx.path === "/stream" ? endless() : "done";
  });
  return listen(app.callback());
}

async function onFastify(): Promise<number> {
  const service = new WatchedService();
  const used = new WeakMap<object, number>();
  const tokens = fastifyLimit({ ...TOKENS, costAfter: (request) => used.get(request) });
  const slots = fastifyLimit(SLOTS);
  const app = fastify();
  app.get("/open", () => (service.open(), "opened"));
  app.get("/figures", () => service.figures(tokens.limiter, slots.limiter, null));
  app.get("/model", { onRequest: [tokens, slots] }, async (request, reply) => {
    service.begin(reply.raw);
    used.set(request, (await service.model()).tokens);
    return "done";
  });
  app.get("/stream", { onRequest: [tokens, slots] }, (request, reply) => {
    service.begin(reply.raw);
    used.set(request, 30);
    return reply.send(endless());
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return (app.server.address() as AddressInfo).port;
}

console.log(JSON.stringify({ Express: await onExpress(), Koa: await onKoa(), Fastify: await onFastify() }));
