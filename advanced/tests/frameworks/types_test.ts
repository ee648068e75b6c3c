/** Types in each framework. The test is mostly that this file compiles. */
import { assertEquals } from "@std/assert";
import type { RateLimitInfo } from "@sluice/rate-limit";
import { Elysia } from "elysia";
import fastify from "fastify";
import { H3 } from "h3";
import { Hono } from "hono";
// @ts-types="@types/koa"
import Koa from "koa";
import { rateLimit as elysiaLimit } from "@sluice/rate-limit/elysia";
import { rateLimit as fastifyLimit, rateLimitOf as ofFastify } from "@sluice/rate-limit/fastify";
import { rateLimit as h3Limit, rateLimitOf as ofH3 } from "@sluice/rate-limit/h3";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";
import { rateLimit as koaLimit } from "@sluice/rate-limit/koa";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const same = <A, B>(is: Same<A, B>): void => assertEquals(is, true);

Deno.test("Hono: the context has the limiter's variable behind it, and functions get the program's own context", async () => {
  type Own = { Bindings: { SECRET: string }; Variables: { user: string } };
  const own = honoLimit<Own>({
    keyGenerator: (c) => {
      same<typeof c.env.SECRET, string>(true);
      same<typeof c.var.user, string>(true);
      return c.env.SECRET;
    },
    handler: (c, { decision }) => c.text(`${decision.retryAfterMs}`, 429),
  });
  const app = new Hono<Own>().use(own).get("/", (c) => {
    same<typeof c.var.rateLimit, RateLimitInfo | undefined>(true);
    // @ts-expect-error -- there is no such variable
    c.get("other");
    return c.text(c.get("rateLimit")!.key);
  });
  assertEquals(await (await app.request("/", {}, { SECRET: "s" })).text(), "s");
  // @ts-expect-error -- a key is a string
  honoLimit({ keyGenerator: () => 5 });
});

Deno.test("Elysia: routes behind the plugin have what it derives, and keep what was there", async () => {
  const app = new Elysia().decorate("own", 5)
    .use(elysiaLimit({ keyGenerator: ({ request }) => request.headers.get("x-user") ?? "nobody" }))
    .get("/", ({ rateLimit, own }) => {
      same<typeof rateLimit, RateLimitInfo | undefined>(true);
      same<typeof own, number>(true);
      return rateLimit!.key;
    });
  assertEquals(await (await app.handle(new Request("http://name/"))).text(), "nobody");
  // @ts-expect-error -- missing without the plugin
  new Elysia().get("/", ({ rateLimit }) => rateLimit);
});

Deno.test("h3: functions get the event, and rateLimitOf knows the type", async () => {
  const app = new H3().use(h3Limit({ keyGenerator: ({ url }) => url.pathname })).get("/", (event) => {
    const info = ofH3(event);
    same<typeof info, RateLimitInfo | undefined>(true);
    return info!.key;
  });
  assertEquals(await (await app.request("/")).text(), "/");
});

Deno.test("Fastify: functions get request and reply, and rateLimitOf knows the type", async () => {
  const app = fastify();
  const limit = fastifyLimit({
    keyGenerator: ({ routeOptions }, reply) => `${routeOptions.url} ${reply.sent}`,
    handler: (_request, reply, { statusCode }) => reply.code(statusCode).send("later"),
  });
  app.get<{ Querystring: { page: string } }>("/", { onRequest: limit }, (request) => {
    const info = ofFastify(request);
    same<typeof info, RateLimitInfo | undefined>(true);
    return info!.key;
  });
  assertEquals((await app.inject("/")).body, "/ false");
  await app.close();
});

Deno.test("Koa: the state of the context has what the limiter puts there", () => {
  const app = new Koa().use(koaLimit({ keyGenerator: (ctx) => ctx.path })).use((ctx) => {
    same<typeof ctx.state.rateLimit, RateLimitInfo | undefined>(true);
    ctx.body = ctx.state.rateLimit?.key;
  });
  assertEquals(app.middleware.length, 2);
});
