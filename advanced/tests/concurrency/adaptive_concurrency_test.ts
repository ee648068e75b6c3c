import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import express from "express";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sluice from "@sluice/sluice";
import { adaptiveConcurrency, type AdaptiveConcurrencyOptions } from "@sluice/rate-limit";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";

async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isTrue()) {
    assert(performance.now() < end, "what was waited for never happened");
    await new Promise((resolve) => setTimeout(resolve));
  }
}

Deno.test("requests beyond the limit get 503, and say when to try again, until others are over", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const limit = adaptiveConcurrency({ min: 2, max: 2, retryAfterMs: 2500 });
  const app = sluice();
  app.use(limit);
  app.get("/", async (_req, res) => {
    await promise;
    res.send("done");
  });
  const get = async () => await app.fetch(new Request("http://name/"));
  const admitted = [get(), get()];
  await until(() => limit.figures.inFlight === 2);
  const refused = await get();
  assertEquals([refused.status, await refused.text()], [503, "Service Unavailable"]);
  assertEquals(refused.headers.get("retry-after"), "3");
  assertEquals(refused.headers.get("cache-control"), "no-store");
  resolve();
  for (const response of await Promise.all(admitted)) assertEquals(await response.text(), "done");
  await until(() => limit.figures.inFlight === 0);
  assertEquals(await (await get()).text(), "done");
  const { admitted: count, refused: by } = limit.figures;
  assertEquals([count, by], [3, { normal: 1, low: 0 }]);
});

/** Serves an Express or Sluice application. */
async function served(app: unknown, visit: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer(app as never);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }
}

/** Sends a request, and disconnects once `happened()` is true. */
async function leave(url: string, happened: () => boolean): Promise<void> {
  const leaving = new AbortController();
  const waiting = fetch(url, { signal: leaving.signal });
  await until(happened);
  leaving.abort();
  await assertRejects(() => waiting);
}

// deno-lint-ignore no-explicit-any -- Express has no types here
type Any = any;

Deno.test("it is a middleware of Express, too, and whom a client has left counts until it has ended, or for a minute", async () => {
  let now = 0;
  let closed = 0;
  const waiting: (() => void)[] = [];
  const limit = adaptiveConcurrency({ min: 1, max: 1, clock: () => now });
  const app = express();
  app.use(limit);
  app.get("/wait", (_req: Any, res: Any) => {
    res.on("close", () => closed++);
    waiting.push(() => res.send("done"));
  });
  app.get("/", (_req: Any, res: Any) => res.send("done"));
  await served(app, async (origin) => {
    const status = async () => {
      const response = await fetch(origin);
      await response.text();
      return response.status;
    };
    await leave(`${origin}/wait`, () => waiting.length === 1);
    await until(() => closed === 1);
    assertEquals([await status(), limit.figures.inFlight], [503, 1]);
    waiting.shift()!();
    assertEquals([limit.figures.inFlight, await status()], [0, 200]);
    await until(() => limit.figures.inFlight === 0);
    await leave(`${origin}/wait`, () => waiting.length === 1);
    await until(() => closed === 2);
    now += 59_999;
    assertEquals(await status(), 503);
    now += 1;
    assertEquals(await status(), 200);
    await until(() => limit.figures.inFlight === 0);
    // the last request to end is not counted twice
    waiting.shift()!();
    assertEquals(limit.figures.inFlight, 0);
    assertEquals(limit.figures.latencyMs, 0);
  });
});

Deno.test("a client that has left before the limit is asked holds nothing once the handler has ended", async () => {
  const limit = adaptiveConcurrency({ min: 1, max: 1 });
  const app = express();
  let come = 0;
  let handled = 0;
  const closed = Promise.withResolvers<void>();
  // such as a session read from a database
  app.use((_req: Any, res: Any, next: () => void) => {
    come++;
    if (come > 1) return next();
    res.on("close", () => {
      setTimeout(next);
      closed.resolve();
    });
  });
  app.use(limit);
  app.get("/", (_req: Any, res: Any) => {
    handled++;
    res.send("done");
  });
  await served(app, async (origin) => {
    await leave(origin, () => come === 1);
    await closed.promise;
    await until(() => handled === 1);
    assertEquals(limit.figures.inFlight, 0);
    assertEquals(await (await fetch(origin)).text(), "done");
  });
});

Deno.test("it stands in front of a handler of web requests, which may throw", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const limit = adaptiveConcurrency({ min: 1, max: 1 });
  const handler = limit.fetch(async (request: Request, info: string) => {
    await promise;
    if (request.url.endsWith("/fail")) throw new Error("failed");
    return new Response(info);
  });
  const waiting = handler(new Request("http://name/"), "told");
  const refused = await handler(new Request("http://name/"), "told");
  assertEquals([refused.status, await refused.text()], [503, "Service Unavailable"]);
  resolve();
  assertEquals(await (await waiting).text(), "told");
  await assertRejects(() => handler(new Request("http://name/fail"), ""), Error, "failed");
  assertEquals(limit.figures.inFlight, 0);
  assertThrows(() => limit.fetch("no" as never), TypeError, "adaptiveConcurrency");
});

Deno.test("what matters least is refused first, and what is critical never", async () => {
  const limit = adaptiveConcurrency<Request>({
    min: 4,
    max: 4,
    priority: (request) => new URL(request.url).pathname.slice(1) as "low",
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const handler = limit.fetch(async () => (await promise, new Response()));
  const statuses: number[] = [];
  const send = (priority: string) =>
    void handler(new Request(`http://name/${priority}`)).then(({ status }) => statuses.push(status));
  for (const priority of ["low", "low", "low", "normal", "low", "normal", "normal", "critical", "critical"]) {
    send(priority);
  }
  assertEquals(limit.figures.refused, { low: 2, normal: 1 });
  assertEquals(limit.figures.inFlight, 6);
  resolve();
  await until(() => statuses.length === 9);
  await assertRejects(() => handler(new Request("http://name/urgent")), TypeError, 'must be "critical", "normal" or');
});

Deno.test("an end counts once, and what failed or was left is not measured", () => {
  let now = 0;
  const limit = adaptiveConcurrency({ clock: () => now });
  for (let i = 0; i < 200; i++) {
    const end = limit.begin()!;
    now += 10;
    end(i % 2 === 0);
    end();
    assertEquals(limit.figures.inFlight, 0);
  }
  assertEquals([limit.figures.latencyMs, limit.figures.baselineMs], [10, 10]);
  const failing = adaptiveConcurrency({ clock: () => now });
  for (let i = 0; i < 200; i++) {
    const end = failing.begin()!;
    now += 10;
    end(false);
  }
  assertEquals(failing.figures.latencyMs, 0);
});

Deno.test("the limit stays within its bounds, whatever is measured", () => {
  let now = 0;
  for (const latency of [0, 0.001, 1, 10_000]) {
    const limit = adaptiveConcurrency({ min: 3, max: 7, clock: () => now });
    for (let i = 0; i < 20_000; i++) {
      const ends = Array.from({ length: 10 }, () => limit.begin());
      now += latency * (1 + i % 7);
      for (const end of ends) end?.();
      const { limit: most } = limit.figures;
      assert(Number.isInteger(most) && most >= 3 && most <= 7, `${most}`);
    }
  }
});

Deno.test("a store, and any other option that there is not, is an error that says why", () => {
  const making = (options: unknown) => () => adaptiveConcurrency(options as AdaptiveConcurrencyOptions);
  assertThrows(making({ store: {} }), TypeError, "each process measures its own latency");
  assertThrows(making({ maximum: 5 }), TypeError, "maximum");
  assertThrows(making({ min: 0 }), RangeError, "adaptiveConcurrency: option min");
  assertThrows(making({ min: 5, max: 4 }), RangeError, "adaptiveConcurrency: option max");
  assertThrows(making({ min: 5, initial: 4 }), RangeError, "adaptiveConcurrency: option initial");
  assertThrows(making({ priority: "low" }), TypeError, "adaptiveConcurrency: option priority");
  assertEquals(adaptiveConcurrency({ min: 50 }).figures.limit, 50);
  assertEquals(adaptiveConcurrency({ max: 5 }).figures.limit, 5);
});
