/**
 * The frameworks that the limiter supports, in every version and with every option that allows other spellings for a
 * path.
 */
import { fetchLimit, rateLimit } from "@sluice/rate-limit";
import { rateLimit as elysiaLimit } from "@sluice/rate-limit/elysia";
import { rateLimit as fastifyLimit } from "@sluice/rate-limit/fastify";
import { rateLimit as h3Limit } from "@sluice/rate-limit/h3";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";
import { rateLimit as koaLimit } from "@sluice/rate-limit/koa";
import Router from "@koa/router";
import sluice from "@sluice/sluice";
import { Elysia } from "elysia";
import express from "express";
import express4 from "express-4";
import fastify from "fastify";
import fastify4 from "fastify-4";
import { H3, HTTPError } from "h3";
import { createApp, createRouter, eventHandler, fromNodeMiddleware, toNodeListener, useBase } from "h3-1";
import { Hono } from "hono";
import { LinearRouter } from "hono/router/linear-router";
import { PatternRouter } from "hono/router/pattern-router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { TrieRouter } from "hono/router/trie-router";
// @ts-types="@types/koa"
import Koa from "koa";
import { onNode, onResolvedWeb, onWeb, type Send } from "./fake_exchange.ts";

/** Every application's routes; the last two belong to a mounted router. */
export const ROUTES = ["/login", "/shops/:id", "/shops/:id/items", "/files/*", "/api/login", "/api/users/:id"] as const;

/** Selected options: a value for each name. */
export type Choice = Readonly<Record<string, unknown>>;

/** Called with the route whose handler runs, and its parameters. */
export type Reached = (route: number, params: object | undefined) => void;

/** The limiter's options. */
// deno-lint-ignore no-explicit-any -- seven frameworks' options
type Limit = any;

/** A framework. */
export interface RouterSubject {
  /** Its options' values, the default first. */
  readonly options: Readonly<Record<string, readonly unknown[]>>;
  /** Prefix for each path in the document, where the application is mounted. */
  mountedAt?(choice: Choice): string;
  /** Prefix for each path sent, where the application strips it. */
  sentTo?(choice: Choice): string;
  /** Whether the limiter cannot know how the router reads a path, and therefore what to count by. */
  readsOtherwise?(choice: Choice): boolean;
  /** An application with the routes, behind a limiter. */
  open(limit: Limit, choice: Choice, reached: Reached): Send | Promise<Send>;
}

const NO_YES = [false, true] as const;

const withoutVersion = (path: string) => path.replace(/^\/v1(?=\/)/, "");

// deno-lint-ignore no-explicit-any -- three packages' applications
function expressLike(make: any, star: string, send: (app: any) => Send): RouterSubject {
  return {
    options: { caseSensitive: NO_YES, strict: NO_YES, rewrites: NO_YES },
    sentTo: ({ rewrites }) => rewrites ? "/v1" : "",
    open(limit, { caseSensitive, strict, rewrites }, reached) {
      const app = make();
      app.set("case sensitive routing", caseSensitive);
      app.set("strict routing", strict);
      // deno-lint-ignore no-explicit-any -- as above
      if (rewrites) app.use((req: any, _res: any, next: any) => next(void (req.url = withoutVersion(req.url))));
      app.use(rateLimit(limit));
      // deno-lint-ignore no-explicit-any -- as above
      const handler = (route: number) => (req: any, res: any) => {
        reached(route, req.params);
        res.end();
      };
      ["/login", "/shops/:id", "/shops/:id/items", star].forEach((path, i) => app.all(path, handler(i)));
      const router = make.Router({ caseSensitive, strict });
      router.all("/login", handler(4));
      router.all("/users/:id", handler(5));
      app.use("/api", router);
      // deno-lint-ignore no-explicit-any -- targets that cannot be decoded
      app.use((_error: any, _req: any, res: any, _next: any) => res.end());
      // deno-lint-ignore no-explicit-any -- requests that match no route
      app.use((_req: any, res: any) => res.end());
      return send(app);
    },
  };
}

// deno-lint-ignore no-explicit-any -- both versions
function fastifyLike(make: any, settingsOf: (options: Choice) => object): RouterSubject {
  return {
    options: {
      useSemicolonDelimiter: [undefined, false, true],
      caseSensitive: [true, false],
      ignoreTrailingSlash: NO_YES,
      ignoreDuplicateSlashes: NO_YES,
      rewrites: NO_YES,
      mounted: NO_YES,
    },
    mountedAt: ({ mounted, rewrites }) => mounted && !rewrites ? "/mnt" : "",
    sentTo: ({ rewrites }) => rewrites ? "/v1" : "",
    async open(limit, { rewrites, mounted, ...router }, reached) {
      const app = make({
        ...settingsOf(router),
        ...rewrites ? { rewriteUrl: ({ url }: { url: string }) => withoutVersion(url) } : {},
      });
      app.addHook("onRequest", fastifyLimit(limit));
      ROUTES.forEach((route, i) => {
        // deno-lint-ignore no-explicit-any -- both versions
        app.get(route, (request: any) => {
          reached(i, request.params);
          return "";
        });
      });
      await app.ready();
      // deno-lint-ignore no-explicit-any -- Node's
      const handle = (req: any, res: any) => app.routing(req, res);
      const host = express().use("/mnt", handle);
      host.use((_req, res) => void res.end());
      const send = onNode(mounted && !rewrites ? host : handle);
      // for other targets, its router calls URL.parse without URL, which Deno does not allow
      return async (target) => target.startsWith("/") ? await send(target) : undefined;
    },
  };
}

/** The frameworks by name. */
export const ROUTERS: Readonly<Record<string, RouterSubject>> = {
  "Sluice": expressLike(sluice, "/files/*rest", (app) => onWeb((request) => app.fetch(request))),
  "Express 5": expressLike(express, "/files/*rest", onNode),
  "Express 4": expressLike(express4, "/files/*", onNode),
  "Fastify 5": fastifyLike(fastify, (routerOptions) => ({ routerOptions })),
  "Fastify 4": fastifyLike(fastify4, (options) => options),
  "Hono": {
    options: {
      strict: [true, false],
      router: [undefined, LinearRouter, PatternRouter, RegExpRouter, TrieRouter],
      getPath: [undefined, (request: Request) => new URL(request.url).pathname.toLowerCase()],
    },
    open(limit, { router, ...choice }, reached) {
      const Chosen = router as typeof TrieRouter | undefined;
      const app = new Hono({ ...choice, ...Chosen && { router: new Chosen() } }).use(honoLimit(limit));
      ROUTES.slice(0, 4).forEach((route, i) => app.all(route, (c) => (reached(i, c.req.param()), c.text(""))));
      app.route(
        "/api",
        new Hono().all("/login", (c) => (reached(4, {}), c.text("")))
          .all("/users/:id", (c) => (reached(5, c.req.param()), c.text(""))),
      );
      return onWeb((request) => app.fetch(request));
    },
  },
  "h3 2": {
    options: { mounted: NO_YES },
    open(limit, { mounted }, reached) {
      const app = new H3({ onError: () => new HTTPError({ status: 400 }), silent: true }).use(h3Limit(limit));
      const api = new H3();
      ROUTES.forEach((route, i) => {
        const [on, path] = mounted && route.startsWith("/api") ? [api, route.slice(4)] as const : [app, route] as const;
        on.all(path.replace("*", "**"), (event) => (reached(i, event.context.params), ""));
      });
      if (mounted) app.mount("/api", api);
      return onWeb((request) => app.fetch(request));
    },
  },
  "h3 1": {
    options: { mounted: NO_YES },
    open(limit, { mounted }, reached) {
      const app = createApp().use(fromNodeMiddleware(rateLimit(limit) as never));
      const router = createRouter();
      const api = createRouter();
      ROUTES.forEach((route, i) => {
        const [on, path] = mounted && route.startsWith("/api")
          ? [api, route.slice(4)] as const
          : [router, route] as const;
        on.use(path.replace("*", "**"), eventHandler((event) => (reached(i, event.context.params), "")));
      });
      if (mounted) router.use("/api/**", useBase("/api", api.handler));
      const send = onNode(toNodeListener(app.use(router)));
      for (const one of [router, api]) one.use("/**", eventHandler(() => ""));
      // it has no routes for other targets, and logs them
      return async (target) => target.startsWith("/") ? await send(target) : undefined;
    },
  },
  "Elysia": {
    options: { strictPath: NO_YES, aot: [true, false], grouped: NO_YES },
    open(limit, { grouped, ...choice }, reached) {
      const app = elysiaLimit(limit)(new Elysia(choice)) as unknown as Elysia;
      const api = new Elysia({ ...choice, prefix: "/api" }) as unknown as Elysia;
      ROUTES.forEach((route, i) => {
        const [on, path] = grouped && route.startsWith("/api") ? [api, route.slice(4)] as const : [app, route] as const;
        on.all(path, ({ params }) => (reached(i, params), ""));
      });
      if (grouped) app.use(api);
      return onWeb((request) => app.handle(request));
    },
  },
  "Koa with @koa/router": {
    options: { sensitive: NO_YES, strict: NO_YES, prefix: NO_YES, rewrites: NO_YES, mounted: NO_YES },
    mountedAt: ({ mounted, rewrites }) => mounted && !rewrites ? "/mnt" : "",
    sentTo: ({ rewrites }) => rewrites ? "/v1" : "",
    open(limit, { prefix, rewrites, mounted, ...choice }, reached) {
      const app = new Koa();
      app.silent = true;
      app.use(async (ctx, next) => {
        if (rewrites) ctx.path = withoutVersion(ctx.path);
        else if (mounted) {
          // as koa-mount does
          if (!/^\/mnt(?:\/|$)/.test(ctx.path)) return;
          ctx.path = ctx.path.slice(4) || "/";
        }
        await next();
      }).use(koaLimit(limit));
      const router = new Router(choice);
      const api = new Router({ ...choice, ...prefix ? { prefix: "/api" } : {} });
      ROUTES.forEach((route, i) => {
        const [on, path] = prefix && route.startsWith("/api")
          ? [api, route.slice(4)] as const
          : [router, route] as const;
        on.all(path.replace("*", "{*rest}"), (ctx) => {
          reached(i, ctx.params);
          ctx.body = "";
        });
      });
      // deno-lint-ignore no-explicit-any -- its types come from a different version of Koa's types
      for (const one of [router, api]) app.use(one.routes() as any);
      const send = onNode(app.callback() as never);
      // in an absolute target, Koa turns backslashes into slashes; a target from which a mount stripped a part stays as
      // it is
      return async (target) => mounted && !target.startsWith("/") ? undefined : await send(target);
    },
  },
  "fetch": {
    options: { router: ["URLPattern", "URLPattern in any case", "Hono", "h3", "Elysia", "Sluice"], resolved: NO_YES },
    readsOtherwise: ({ resolved }) => !resolved,
    open(limit, { router, resolved }, reached) {
      const send = resolved ? onResolvedWeb : onWeb;
      return send(fetchLimit(limit)(FETCH_ROUTERS[router as string]!(reached)));
    },
  },
};

const FETCH_ROUTERS: Readonly<
  Record<string, (reached: Reached) => (request: Request) => Response | Promise<Response>>
> = {
  "URLPattern": (reached) => byPattern(reached, false),
  "URLPattern in any case": (reached) => byPattern(reached, true),
  "Hono"(reached) {
    const app = new Hono();
    ROUTES.forEach((route, i) => app.all(route, (c) => (reached(i, c.req.param()), c.text(""))));
    return (request) => app.fetch(request);
  },
  "h3"(reached) {
    const app = new H3({ silent: true });
    ROUTES.forEach((route, i) => {
      app.all(route.replace("*", "**"), (event) => (reached(i, event.context.params), ""));
    });
    return (request) => app.fetch(request);
  },
  "Elysia"(reached) {
    const app = new Elysia();
    ROUTES.forEach((route, i) => app.all(route, ({ params }) => (reached(i, params), "")));
    return (request) => app.handle(request);
  },
  "Sluice"(reached) {
    const app = sluice();
    ROUTES.forEach((route, i) => {
      app.all(route.replace("*", "*rest"), (req, res) => (reached(i, req.params), void res.end()));
    });
    app.use((_error: unknown, _req: unknown, res: { end(): void }, _next: unknown) => res.end());
    return (request) => app.fetch(request);
  },
};

function byPattern(reached: Reached, ignoreCase: boolean) {
  const patterns = ROUTES.map((pathname) => new URLPattern({ pathname }, { ignoreCase }));
  return (request: Request) => {
    const found = patterns.findIndex((pattern) => pattern.test(request.url));
    if (found >= 0) reached(found, patterns[found]!.exec(request.url)!.pathname.groups);
    return new Response();
  };
}
