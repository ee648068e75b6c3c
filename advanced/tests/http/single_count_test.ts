/** A request that passes one limiter twice. */
import { assertEquals, assertMatch } from "@std/assert";
import express from "express";
import { fetchLimit, rateLimit } from "@sluice/rate-limit";
import sluice from "@sluice/sluice";
import { limiterWarningsOf } from "../../../tests/support/warnings.ts";
import { Hono } from "hono";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";
import { SUBJECTS } from "../frameworks/subjects.ts";

const warnings = (body: () => Promise<unknown>) => limiterWarningsOf("singleCount", body);

for (const [name, makeApp] of Object.entries({ Sluice: sluice, Express: express })) {
  // deno-lint-ignore no-explicit-any -- two frameworks, one interface
  const app = () => makeApp() as any;

  // deno-lint-ignore no-explicit-any -- two frameworks, one interface
  const asks = async (served: any, times: number) => {
    served.get("/", (_req: unknown, res: { end(text: string): void }) => res.end("hello"));
    const server = served.listen(0, "127.0.0.1");
    await new Promise<void>((resolve) => server.listening ? resolve() : server.once("listening", resolve));
    for (let i = 0; i < times; i++) await (await fetch(`http://127.0.0.1:${server.address().port}/`)).text();
    await new Promise((resolve) => server.close(resolve));
  };

  Deno.test(`${name}: a limiter that counts a request twice says so once, with what to do`, async () => {
    const limit = rateLimit({ name: "api", limit: 100 });
    const other = rateLimit({ name: "other", limit: 100 });
    const told = await warnings(() => asks(app().use(limit).use(other).use(limit), 3));
    assertEquals(told.length, 1);
    assertMatch(told[0]!, /^rateLimit: the same limiter, "api", counted one request twice.*Remove one of them/);
    assertMatch(told[0]!, /validate: \{ singleCount: false \} silences this/);
    const silent = rateLimit({ limit: 100, validate: { singleCount: false } });
    assertEquals(await warnings(() => asks(app().use(silent).use(silent), 2)), []);
  });

  Deno.test(`${name}: two limiters, two limits of one, and other keys of one are no mistake`, async () => {
    const both = rateLimit({
      limits: [{ name: "minute", limit: 100 }, { name: "hour", limit: 100, windowMs: 3_600_000 }],
    });
    const alike = [1, 2].map(() => rateLimit({ limit: 100 }));
    let n = 0;
    const keys = rateLimit({ limit: 100, keyGenerator: () => `key ${n++}` });
    const chain = app().use(alike[0]).use(both).use(alike[1]).use(keys).use(keys);
    assertEquals(await warnings(() => asks(chain, 3)), []);
  });
}

Deno.test("fetchLimit: a limiter inside itself says so, and a request that is sent again does not", async () => {
  const limit = fetchLimit({ name: "api", limit: 100, keyGenerator: () => "key" });
  const request = new Request("http://localhost/");
  const serve = limit(() => new Response());
  assertEquals(await warnings(async () => [await serve(request), await serve(request)]), []);
  const told = await warnings(() => limit(serve)(request));
  assertEquals(told.length, 1);
  assertMatch(told[0]!, /"api", counted one request twice/);
});

for (const { name, serve } of SUBJECTS) {
  Deno.test(`${name}: a chain of different limiters is no mistake`, async () => {
    const served = await serve([{ name: "a", limit: 9 }, { name: "b", limit: 9 }, { limit: 9 }]);
    assertEquals(await warnings(() => served.ask("/hello")), []);
    await served.close();
  });
}

Deno.test("Hono: the same limiter in front twice says so", async () => {
  const limit = honoLimit({ name: "api", limit: 9, keyGenerator: () => "key" });
  const app = new Hono().use(limit).use(limit).get("/", (c) => c.text("hello"));
  const told = await warnings(async () => await app.request("/"));
  assertEquals(told.length, 1);
  assertMatch(told[0]!, /"api", counted one request twice/);
});
