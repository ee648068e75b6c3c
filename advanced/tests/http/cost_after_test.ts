import { assert, assertEquals, assertThrows } from "@std/assert";
import sluice from "@sluice/sluice";
import express from "express";
import { fetchLimit, type Limiter, MemoryStore, rateLimit, type RateLimitOptions } from "../../mod.ts";
import { AsyncStore } from "../support/async_store.ts";

const LIMIT = { limit: 100, maxDebt: 500, cost: 10, keyGenerator: () => "key" };

// deno-lint-ignore no-explicit-any -- options of every kind are tried
type Options = RateLimitOptions<any>;

function appWith(options: Options) {
  const app = sluice();
  const limit = rateLimit({ ...LIMIT, ...options });
  app.use(limit);
  app.get("/tokens/:used", (req, res) => {
    res.locals.used = Number(req.params.used);
    res.status(Number(req.query.status ?? 200)).send("done");
  });
  const ask = async (path: string) => {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    await response.text();
    return response.status;
  };
  return { app, ask, limiter: limit.limiter };
}

/** Waits until a key has this many units left. */
async function untilLeft(limiter: Limiter, remaining: number): Promise<void> {
  for (let turn = 0; turn < 1000 && (await limiter.peek("key")).remaining !== remaining; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assertEquals((await limiter.peek("key")).remaining, remaining);
}

for (const where of ["memory", "a store elsewhere"]) {
  Deno.test(`costAfter replaces the estimate when the response has finished, with ${where}`, async () => {
    const store = where === "memory" ? undefined : new AsyncStore(new MemoryStore());
    const { ask, limiter } = appWith({ store, costAfter: (_req, res) => Promise.resolve(res.locals.used) });
    assertEquals(await ask("/tokens/4"), 200);
    await untilLeft(limiter, 96);
    assertEquals(await ask("/tokens/50"), 200);
    await untilLeft(limiter, 46);
    assertEquals(await ask("/tokens/300"), 200);
    await untilLeft(limiter, 0);
    assertEquals(await ask("/tokens/1"), 429);
    await untilLeft(limiter, 0);
  });
}

Deno.test("what a failed request is given back is not settled", async () => {
  const { ask, limiter } = appWith({ skipFailedRequests: true, costAfter: (_req, res) => res.locals.used });
  assertEquals(await ask("/tokens/50?status=500"), 500);
  await untilLeft(limiter, 100);
  assertEquals(await ask("/tokens/50"), 200);
  await untilLeft(limiter, 50);
});

Deno.test("what a failed request has charged is not given back, and its cost is settled", async () => {
  const limit = rateLimit({ ...LIMIT, skipFailedRequests: true, costAfter: () => 25 });
  const app = sluice();
  app.use(limit);
  app.get("/", (req, res) => {
    // deno-lint-ignore no-explicit-any -- programs declare the property
    (req as any).rateLimit.decision.charge(20);
    res.sendStatus(500);
  });
  await (await app.fetch(new Request("http://localhost/"))).text();
  await untilLeft(limit.limiter, 75);
});

Deno.test("a cost that is none, and an error of costAfter, are reported, and the estimate stays", async () => {
  const errors: unknown[] = [];
  const { app, ask, limiter } = appWith({
    costAfter(_req, res) {
      if (res.locals.used === 1) throw new Error("no usage in the response");
      return res.locals.used;
    },
  });
  app.on("error", (error: unknown) => errors.push(error));
  for (const used of ["1", "nothing", "-3", "1.5"]) assertEquals(await ask(`/tokens/${used}`), 200);
  await untilLeft(limiter, 60);
  const messages = errors.map((error) => (error as Error).message);
  assertEquals(messages, [
    "no usage in the response",
    "rateLimit: costAfter must return an integer from 0 to 2147483648, or undefined if it is not known, not NaN",
    "rateLimit: costAfter must return an integer from 0 to 2147483648, or undefined if it is not known, not -3",
    "rateLimit: costAfter must return an integer from 0 to 2147483648, or undefined if it is not known, not 1.5",
  ]);
});

Deno.test("a cost that nobody knows leaves the estimate as it is, without an error", async () => {
  const errors: unknown[] = [];
  const { app, ask, limiter } = appWith({ costAfter: () => undefined });
  app.on("error", (error: unknown) => errors.push(error));
  assertEquals(await ask("/tokens/50"), 200);
  const limit = fetchLimit({ ...LIMIT, costAfter: () => Promise.resolve(undefined) });
  await (await limit(() => new Response("done"))(new Request("http://localhost/"))).text();
  await turn();
  assertEquals([(await limiter.peek("key")).remaining, (await limit.limiter.peek("key")).remaining], [90, 90]);
  assertEquals(errors, []);
});

/** Lets an event take effect. */
async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setTimeout(resolve, 0));
}

for (const where of ["memory", "a store elsewhere"]) {
  Deno.test(`when a client leaves, what is known is counted, and nothing given back before the end, with ${where}`, async () => {
    const store = where === "memory" ? undefined : new AsyncStore(new MemoryStore());
    let used: number | undefined;
    let asked = 0;
    const limit = rateLimit({ ...LIMIT, store, costAfter: () => (asked++, used) });
    const app = sluice();
    app.use(limit);
    let end = (): void => {};
    app.get("/", (_req, res) => void (end = () => res.send("done")));
    const left = async () => (await turn(), (await limit.limiter.peek("key")).remaining);
    const leave = async () => {
      const leaving = new AbortController();
      const response = app.fetch(new Request("http://localhost/", { signal: leaving.signal }));
      await turn();
      leaving.abort();
      assertEquals((await response).status, 499);
    };
    // a program that returns 0 when it does not know yet
    used = 0;
    await leave();
    assertEquals([await left(), asked], [90, 1]);
    used = 4;
    end();
    assertEquals([await left(), asked], [96, 2]);
    // the units the handler has used so far, and then all of them
    used = 15;
    await leave();
    assertEquals(await left(), 81);
    used = 36;
    end();
    assertEquals(await left(), 60);
    // a response that never ends: the estimate, or the units used by then
    used = undefined;
    await leave();
    assertEquals(await left(), 50);
    used = 12;
    await leave();
    assertEquals(await left(), 38);
  });
}

Deno.test("what a handler charges after its client has left is counted once", async () => {
  const errors: unknown[] = [];
  const limit = rateLimit({ ...LIMIT, costAfter: (_req, res) => res.locals.used });
  const app = sluice();
  app.on("error", (error: unknown) => errors.push(error));
  app.use(limit);
  let go = (): void => {};
  app.get("/", async (req, res) => {
    // deno-lint-ignore no-explicit-any -- programs declare the property
    const { decision } = (req as any).rateLimit;
    decision.charge(res.locals.used = 15);
    await new Promise<void>((resolve) => go = resolve);
    decision.charge(20);
    res.locals.used += 20;
    res.send("done");
  });
  const leaving = new AbortController();
  const response = app.fetch(new Request("http://localhost/", { signal: leaving.signal }));
  await turn();
  leaving.abort();
  await response;
  await untilLeft(limit.limiter, 85);
  go();
  await untilLeft(limit.limiter, 65);
  await turn();
  assertEquals([(await limit.limiter.peek("key")).remaining, errors], [65, []]);
});

Deno.test("a client that leaves early gets nothing back for a failure that nobody saw", async () => {
  const limit = rateLimit({ ...LIMIT, maxDebt: undefined, skipFailedRequests: true });
  const app = sluice();
  app.use(limit);
  let end = (): void => {};
  app.get("/", (_req, res) => void (end = () => res.status(500).send("failed")));
  const leaving = new AbortController();
  const response = app.fetch(new Request("http://localhost/", { signal: leaving.signal }));
  await turn();
  leaving.abort();
  await response;
  end();
  await turn();
  assertEquals((await limit.limiter.peek("key")).remaining, 90);
});

Deno.test("a listener of the limiter gets errors of costAfter", async () => {
  const { ask, limiter } = appWith({ costAfter: () => Promise.reject(new Error("no usage")) });
  const told = new Promise<Error>((resolve) => void limiter.on("error", resolve));
  await ask("/tokens/1");
  assertEquals((await told).message, "no usage");
});

Deno.test("costAfter is asked when the client has left in the middle of a response, in Sluice and in Express", async () => {
  for (const app of [sluice(), express()]) {
    const asked = Promise.withResolvers<void>();
    let times = 0;
    const limit = rateLimit({
      ...LIMIT,
      costAfter() {
        times++;
        asked.resolve();
        return 33;
      },
    });
    // deno-lint-ignore no-explicit-any -- two frameworks, one interface
    const any = app as any;
    any.use(limit);
    any.get("/", (_req: unknown, res: { write(text: string): void }) => res.write("the beginning of an endless text"));
    const server = any.listen(0, "127.0.0.1");
    await new Promise<void>((resolve) => server.listening ? resolve() : server.on("listening", resolve));
    const leaving = new AbortController();
    const { port } = server.address();
    const response = await fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal });
    const reader = response.body!.getReader();
    await reader.read();
    assertEquals((await limit.limiter.peek("key")).remaining, 90);
    leaving.abort();
    await reader.read().catch(() => {});
    await asked.promise;
    await untilLeft(limit.limiter, 67);
    assertEquals(times, 1);
    await new Promise((resolve) => server.close(resolve));
  }
});

Deno.test("a handler can charge what a stream has used, and end it when the debt is as high as it may be", async () => {
  const limit = rateLimit({ ...LIMIT, maxDebt: 20, costAfter: (_req, res) => res.locals.used });
  const app = sluice();
  app.use(limit);
  app.get("/", async (req, res) => {
    // deno-lint-ignore no-explicit-any -- programs declare the property
    const { decision } = (req as any).rateLimit;
    res.locals.used = 0;
    do {
      res.write("word ");
      res.locals.used += 25;
    } while (await decision.charge(25));
    res.end();
  });
  const text = await (await app.fetch(new Request("http://localhost/"))).text();
  assertEquals(text, "word ".repeat(5));
  await untilLeft(limit.limiter, 0);
});

Deno.test("fetchLimit asks costAfter when the body has been sent, with the response and the platform's argument", async () => {
  const asked: unknown[] = [];
  const limit = fetchLimit({
    ...LIMIT,
    costAfter(request, response, info) {
      asked.push([new URL(request.url).pathname, response?.headers.get("x-used"), info]);
      return Number(response?.headers.get("x-used"));
    },
  });
  let parts = 0;
  const body = new ReadableStream({
    pull(controller) {
      if (parts++ < 2) controller.enqueue(new TextEncoder().encode("part "));
      else controller.close();
    },
  }, { highWaterMark: 0 });
  const handler = limit(() => new Response(body, { headers: { "x-used": "42" } }));
  const response = await handler(new Request("http://localhost/model"), { env: 1 });
  const reader = response.body!.getReader();
  await reader.read();
  assertEquals([asked.length, (await limit.limiter.peek("key")).remaining], [0, 90]);
  await reader.read();
  assertEquals((await reader.read()).done, true);
  assertEquals(asked, [["/model", "42", { env: 1 }]]);
  assertEquals((await limit.limiter.peek("key")).remaining, 58);
});

Deno.test("fetchLimit asks costAfter when the client cancels the body, when it fails, and when there is none", async () => {
  let used = 20;
  const limit = fetchLimit({ ...LIMIT, costAfter: () => used });
  const serve = (body: BodyInit | null) => limit(() => new Response(body))(new Request("http://localhost/"));
  let cancelled: unknown;
  const endless = await serve(
    new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1)), cancel: (r) => cancelled = r }),
  );
  await endless.body!.cancel("gone");
  assertEquals([cancelled, (await limit.limiter.peek("key")).remaining], ["gone", 80]);
  used = 30;
  const failing = await serve(new ReadableStream({ pull: (c) => c.error(new Error("broken")) }));
  assertEquals(await failing.text().catch((error) => error.message), "broken");
  assertEquals((await limit.limiter.peek("key")).remaining, 50);
  await serve(null);
  assertEquals((await limit.limiter.peek("key")).remaining, 20);
});

Deno.test("fetchLimit asks costAfter without a response when the handler has thrown", async () => {
  const limit = fetchLimit({ ...LIMIT, costAfter: (_request, response) => response === undefined ? 3 : 99 });
  const thrown = await limit(() => Promise.reject(new Error("handler")))(new Request("http://localhost/")).catch((e) =>
    e
  );
  assertEquals([thrown.message, (await limit.limiter.peek("key")).remaining], ["handler", 97]);
});

Deno.test("a dry run settles what was granted, and lets everything pass", async () => {
  const { ask, limiter } = appWith({ dryRun: true, costAfter: (_req, res) => res.locals.used });
  assertEquals([await ask("/tokens/200"), await ask("/tokens/200")], [200, 200]);
  await untilLeft(limiter, 0);
  assert(limiter.counters.shadowLimited === 1);
});

Deno.test("costAfter without maxDebt is a TypeError, and so is one that is no function", () => {
  const costAfter = () => 1;
  assertThrows(() => rateLimit({ costAfter }), TypeError, "rateLimit: option costAfter is for limits with maxDebt");
  assertThrows(() => fetchLimit({ costAfter }), TypeError, "fetchLimit: option costAfter is for limits with maxDebt");
  assertThrows(
    // deno-lint-ignore no-explicit-any -- a wrong option
    () => rateLimit({ maxDebt: 1, costAfter: 5 as any }),
    TypeError,
    "rateLimit: option costAfter must be a function, not 5",
  );
});
