/** The same small application in each framework, behind its limiters. */
import { Elysia } from "elysia";
import fastify from "fastify";
import { H3, type H3Event, HTTPError } from "h3";
import { Hono } from "hono";
// @ts-types="@types/koa"
import Koa from "koa";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rateLimit as elysiaLimit } from "@sluice/rate-limit/elysia";
import { rateLimit as fastifyLimit } from "@sluice/rate-limit/fastify";
import { rateLimit as h3Limit } from "@sluice/rate-limit/h3";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";
import { rateLimit as koaLimit } from "@sluice/rate-limit/koa";
import type { ContextLimitOptions } from "@sluice/rate-limit/hono";
import type { HandlerOptions, Limiter } from "@sluice/rate-limit";

// deno-lint-ignore no-explicit-any -- one source for five kinds of contexts
type AnyContext = any;
export type AnyOptions = ContextLimitOptions<AnyContext, AnyContext[], AnyContext>;

/** A test request. */
export interface Ask {
  /** Client address; `null` if unknown. */
  readonly ip?: string | null;
  readonly headers?: Record<string, string>;
}

/** Awaited by `/hello` before it responds; gets the request's `x-id` header. */
export type Handle = (id: string) => void | Promise<void>;

/** A running application. */
export interface Served {
  readonly limiters: readonly Limiter[];
  ask(path: string, ask?: Ask): Promise<Response>;
  close(): Promise<void>;
}

/**
 * A framework. Each application has `/hello`, `/left` (the remaining quota as JSON), `/fail` (throws), `/raw` (a
 * foreign response) and `/wait`, which waits for `gate`.
 */
export interface Subject {
  readonly name: string;
  /** Whether a request's client may be unknown. */
  readonly mayNotKnow: boolean;
  serve(options: readonly AnyOptions[], gate?: Promise<void>, handle?: Handle): Promise<Served>;
  /** Reads a header from the context passed to functions in the options. */
  header(context: AnyContext, name: string): string | undefined;
  /** Makes a `handler` that responds with a string. */
  respond(status: number, text: string): (context: AnyContext, ...rest: AnyContext[]) => unknown;
}

export const left = (info: { remaining: number } | undefined) => ({ left: info?.remaining ?? null });
export const reasonOf = (error: unknown) => String((error as { cause?: unknown }).cause ?? error);
export const made = <T extends { limiter: Limiter }>(
  options: readonly AnyOptions[],
  make: (one: AnyOptions) => T,
): T[] => options.map(make);
const webHeaders = ({ headers = {} }: Ask) => headers;
const statusOf = (rest: unknown[]) => (rest.at(-1) as HandlerOptions).statusCode;

const hono: Subject = {
  name: "Hono",
  mayNotKnow: true,
  serve: (options, gate, handle) => {
    const limits = made(options, (one) => honoLimit(one));
    const app = new Hono<{ Variables: { rateLimit: { remaining: number } | undefined } }>();
    for (const limit of limits) app.use(limit);
    app.get("/hello", async (c) => (await handle?.(c.req.header("x-id") ?? ""), c.text("hello")));
    app.get("/left", (c) => c.json(left(c.get("rateLimit"))));
    app.get("/raw", () => new Response("raw"));
    app.get("/fail", () => {
      throw new Error("failed");
    });
    app.get("/wait", async (c) => (await gate, c.text("waited")));
    app.onError((error, c) => c.text(reasonOf(error), 500));
    return Promise.resolve({
      limiters: limits.map(({ limiter }) => limiter),
      ask: async (path, ask = {}) => {
        const { ip = "192.0.2.1" } = ask;
        const request = new Request(`http://name${path}`, { headers: webHeaders(ask) });
        return await app.fetch(request, ip === null ? undefined : { remoteAddr: { hostname: ip } });
      },
      close: () => Promise.resolve(),
    });
  },
  header: (c, name) => c.req.header(name),
  respond: (status, text) => (c, ...rest) => c.text(`${text} ${statusOf(rest)}`, status),
};

const h3: Subject = {
  name: "h3",
  mayNotKnow: true,
  serve: (options, gate, handle) => {
    const limits = made(options, (one) => h3Limit(one));
    const app = new H3({
      silent: true,
      onError: (error) => new HTTPError({ status: 500, message: reasonOf(error) }),
    });
    for (const limit of limits) app.use(limit);
    app.get("/hello", async ({ req }) => (await handle?.(req.headers.get("x-id") ?? ""), "hello"));
    app.get("/left", ({ context }) => left(context["rateLimit"] as { remaining: number } | undefined));
    app.get("/raw", () => new Response("raw"));
    app.get("/fail", () => {
      throw new HTTPError({ status: 500, message: "failed" });
    });
    app.get("/wait", async () => (await gate, "waited"));
    return Promise.resolve({
      limiters: limits.map(({ limiter }) => limiter),
      ask: async (path, ask = {}) => {
        const { ip = "192.0.2.1" } = ask;
        const request = new Request(`http://name${path}`, { headers: webHeaders(ask) });
        // as srvx adds it to requests
        if (ip !== null) Object.defineProperty(request, "ip", { value: ip });
        return await app.fetch(request);
      },
      close: () => Promise.resolve(),
    });
  },
  header: (event: H3Event, name) => event.req.headers.get(name) ?? undefined,
  respond: (status, text) => (_event, ...rest) => new Response(`${text} ${statusOf(rest)}`, { status }),
};

const elysia: Subject = {
  name: "Elysia",
  mayNotKnow: true,
  serve: (options, gate, handle) => {
    const limits = made(options, (one) => elysiaLimit(one));
    const ips = new WeakMap<Request, string>();
    const app = new Elysia().onError(({ error, code }) => {
      return code === "NOT_FOUND" ? undefined : new Response(reasonOf(error), { status: 500 });
    });
    for (const limit of limits) app.use(limit);
    app.get("/hello", async ({ request }) => (await handle?.(request.headers.get("x-id") ?? ""), "hello"))
      .get("/left", (context) => left((context as { rateLimit?: { remaining: number } }).rateLimit))
      .get("/raw", () => new Response("raw"))
      .get("/fail", () => {
        throw new Error("failed");
      })
      .get("/wait", async () => (await gate, "waited"));
    // as on Bun
    const requestIP = (request: Request) => ips.has(request) ? { address: ips.get(request) } : null;
    app.server = { requestIP } as unknown as typeof app.server;
    return Promise.resolve({
      limiters: limits.map(({ limiter }) => limiter),
      ask: async (path, ask = {}) => {
        const { ip = "192.0.2.1" } = ask;
        const request = new Request(`http://name${path}`, { headers: webHeaders(ask) });
        if (ip !== null) ips.set(request, ip);
        return await app.fetch(request);
      },
      close: () => Promise.resolve(),
    });
  },
  header: ({ request }, name) => request.headers.get(name) ?? undefined,
  respond: (status, text) => (_context, ...rest) => new Response(`${text} ${statusOf(rest)}`, { status }),
};

const fastifySubject: Subject = {
  name: "Fastify",
  mayNotKnow: false,
  serve: async (options, gate, handle) => {
    const limits = made(options, (one) => fastifyLimit(one));
    const app = fastify();
    for (const limit of limits) app.addHook("onRequest", limit);
    app.get("/hello", async ({ headers }) => (await handle?.(String(headers["x-id"] ?? "")), "hello"));
    app.get("/left", (request) => left((request as { rateLimit?: { remaining: number } }).rateLimit));
    app.get("/raw", (_request, reply) => reply.send("raw"));
    app.get("/fail", () => {
      throw new Error("failed");
    });
    app.get("/wait", async () => (await gate, "waited"));
    app.setErrorHandler((error, _request, reply) => reply.code(500).send(reasonOf(error)));
    await app.ready();
    return {
      limiters: limits.map(({ limiter }) => limiter),
      ask: async (path, { ip, headers = {} } = {}) => {
        const { statusCode, headers: all, body } = await app.inject({
          url: path,
          headers,
          remoteAddress: ip ?? "192.0.2.1",
        });
        const pairs = Object.entries(all).map(([name, value]): [string, string] => [name, String(value)]);
        return new Response(body, { status: statusCode, headers: pairs });
      },
      close: () => app.close(),
    };
  },
  header: ({ headers }, name) => headers[name],
  respond: (status, text) => (_request, reply, options) => reply.code(status).send(`${text} ${options.statusCode}`),
};

const koa: Subject = {
  name: "Koa",
  mayNotKnow: false,
  serve: async (options, gate, handle) => {
    const limits = made(options, (one) => koaLimit(one));
    const app = new Koa({ proxy: true });
    app.silent = true;
    for (const limit of limits) app.use(limit);
    app.use(async (ctx) => {
      if (ctx.path === "/hello") (await handle?.(ctx.get("x-id")), ctx.body = "hello");
      else if (ctx.path === "/raw") ctx.body = "raw";
      else if (ctx.path === "/left") ctx.body = left(ctx.state["rateLimit"]);
      else if (ctx.path === "/wait") (await gate, ctx.body = "waited");
      else if (ctx.path === "/fail") throw Object.assign(new Error("failed"), { expose: true });
    });
    const server = createServer(app.callback());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return {
      limiters: limits.map(({ limiter }) => limiter),
      ask: async (path, { ip, headers = {} } = {}) => {
        const all = { ...headers, "x-forwarded-for": ip ?? "192.0.2.1" };
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: all });
        return new Response(await response.text(), response);
      },
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  },
  header: (ctx, name) => ctx.get(name) || undefined,
  respond: (status, text) => (ctx, ...rest) => {
    ctx.status = status;
    ctx.body = `${text} ${statusOf(rest)}`;
  },
};

export const SUBJECTS: readonly Subject[] = [hono, elysia, h3, fastifySubject, koa];
