/** The client's address, as each platform passes it to each framework. */
import { assertEquals } from "@std/assert";
import { serve as serveOnNode } from "@hono/node-server";
import { Elysia } from "elysia";
import fastify from "fastify";
import { H3, serve } from "h3";
import { Hono } from "hono";
// @ts-types="@types/koa"
import Koa from "koa";
import type { AddressInfo } from "node:net";
import { rateLimit as elysiaLimit } from "@sluice/rate-limit/elysia";
import { rateLimit as fastifyLimit } from "@sluice/rate-limit/fastify";
import { rateLimit as h3Limit } from "@sluice/rate-limit/h3";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";
import { rateLimit as koaLimit } from "@sluice/rate-limit/koa";

function requestFrom(properties: object, headers: Record<string, string> = {}): Request {
  const request = new Request("http://name/", { headers });
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(request, name, { value });
  return request;
}

const CASES: readonly (readonly [what: string, request: Request, env: object | undefined, key: string])[] = [
  ["Deno.serve's info", requestFrom({}), { remoteAddr: { hostname: "192.0.2.1" } }, "192.0.2.1"],
  ["Bun's server", requestFrom({}), { requestIP: () => ({ address: "::ffff:192.0.2.2" }) }, "192.0.2.2"],
  [
    "Bun's server in an object",
    requestFrom({}),
    { server: { requestIP: () => ({ address: "192.0.2.3" }) } },
    "192.0.2.3",
  ],
  ["Node's socket", requestFrom({}), { incoming: { socket: { remoteAddress: "::ffff:192.0.2.4" } } }, "192.0.2.4"],
  ["a server's ip", requestFrom({ ip: "2001:db8::5" }), undefined, "2001:db8::/64"],
  ["Workers", requestFrom({ cf: { colo: "TXL" } }, { "cf-connecting-ip": "192.0.2.6" }), {}, "192.0.2.6"],
];

for (const [what, request, env, key] of CASES) {
  Deno.test(`a client of Hono is known by ${what}`, async () => {
    const limit = honoLimit({ limit: 1 });
    const app = new Hono().use(limit).get("/", (c) => c.text(c.get("rateLimit")?.key ?? "none"));
    assertEquals(await (await app.fetch(request, env)).text(), key);
  });
}

Deno.test("a client of Elysia is known by Bun's server, and on Workers", async () => {
  const app = new Elysia().use(elysiaLimit({ limit: 1 })).get("/", ({ rateLimit }) => rateLimit?.key ?? "none");
  const worker = requestFrom({ cf: {} }, { "cf-connecting-ip": "192.0.2.6" });
  assertEquals(await (await app.fetch(worker)).text(), "192.0.2.6");
  app.server = { requestIP: () => ({ address: "192.0.2.7" }) } as unknown as typeof app.server;
  assertEquals(await (await app.fetch(requestFrom({}))).text(), "192.0.2.7");
});

Deno.test("a client of Hono is the one that has connected to Deno.serve", async () => {
  const app = new Hono().use(honoLimit({ limit: 1 })).get("/", (c) => c.text(c.get("rateLimit")?.key ?? "none"));
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, app.fetch);
  try {
    // a client's own claim is not trusted
    const headers = { "x-forwarded-for": "198.51.100.1", "cf-connecting-ip": "198.51.100.2" };
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`, { headers });
    assertEquals(await response.text(), "127.0.0.1");
  } finally {
    await server.shutdown();
  }
});

Deno.test("a client of h3 is the one that has connected to its server", async () => {
  const app = new H3().use(h3Limit({ limit: 1 }));
  app.get("/", ({ context }) => (context["rateLimit"] as { key: string }).key);
  const server = serve(app, { port: 0, hostname: "127.0.0.1", silent: true, gracefulShutdown: false });
  try {
    await server.ready();
    const headers = { "x-forwarded-for": "198.51.100.1" };
    assertEquals(await (await fetch(server.url!, { headers })).text(), "127.0.0.1");
  } finally {
    await server.close(true);
  }
});

Deno.test("a client of Fastify is the one that its trustProxy says", async () => {
  for (const [trustProxy, key] of [[false, "192.0.2.8"], ["192.0.2.8", "198.51.100.1"]] as const) {
    const app = fastify({ trustProxy });
    app.addHook("onRequest", fastifyLimit({ limit: 1, validate: false }));
    app.get("/", (request) => (request as { rateLimit?: { key: string } }).rateLimit?.key);
    const headers = { "x-forwarded-for": "198.51.100.9, 198.51.100.1" };
    assertEquals((await app.inject({ url: "/", headers, remoteAddress: "192.0.2.8" })).body, key);
    await app.close();
  }
});

Deno.test("a client of Hono on Node's server is the one that has connected", async () => {
  const app = new Hono().use(honoLimit({ limit: 1 })).get("/", (c) => c.text(c.get("rateLimit")?.key ?? "none"));
  const { promise, resolve } = Promise.withResolvers<AddressInfo>();
  const server = serveOnNode({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, resolve);
  try {
    const { port } = await promise;
    const headers = { "x-forwarded-for": "198.51.100.1" };
    assertEquals(await (await fetch(`http://127.0.0.1:${port}/`, { headers })).text(), "127.0.0.1");
  } finally {
    await new Promise((closed) => server.close(closed));
  }
});

Deno.test("a client of Koa is the one that has connected, or that its proxy says", async () => {
  for (const [proxy, key] of [[false, "127.0.0.1"], [true, "198.51.100.1"]] as const) {
    const app = new Koa({ proxy, maxIpsCount: 1 }).use(koaLimit({ limit: 1, validate: false }))
      .use((ctx) => void (ctx.body = ctx.state.rateLimit?.key));
    const server = app.listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    try {
      const { port } = server.address() as AddressInfo;
      const headers = { "x-forwarded-for": "198.51.100.9, 198.51.100.1" };
      assertEquals(await (await fetch(`http://127.0.0.1:${port}/`, { headers })).text(), key);
    } finally {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    }
  }
});
