import { assertEquals, assertRejects } from "@std/assert";
import sluice, { type FrameworkRequest } from "@sluice/sluice";
import { MemoryStore as TheirStore } from "express-rate-limit";
import { fetchLimit, Limiter, MemoryStore, rateLimit, type RateLimitOptions } from "../../mod.ts";
import { AsyncStore } from "../support/async_store.ts";

/** Sends a request for each cost in turn, and returns the statuses and the errors that reached the error handlers. */
async function asked(options: RateLimitOptions<FrameworkRequest>, ...costs: string[]): Promise<(number | string)[]> {
  const app = sluice().set("env", "test");
  app.use(rateLimit({ cost: (req) => Number(req.get("x-cost")), keyGenerator: () => "key", ...options }));
  app.get("/", (_req, res) => res.send("in"));
  app.use((error: Error, _req: unknown, res: { status(code: number): { send(text: string): void } }, _next: unknown) =>
    res.status(500).send(error.message)
  );
  const all: (number | string)[] = [];
  for (const cost of costs) {
    const response = await app.fetch(new Request("http://localhost/", { headers: { "x-cost": cost } }));
    all.push(response.status === 500 ? await response.text() : response.status);
  }
  return all;
}

Deno.test("a request that costs 0 is free: it passes where others are refused, and takes nothing", async () => {
  const costs = ["0", "1", "0", "1", "1", "0"];
  const expected = [200, 200, 200, 200, 429, 200];
  const stores = { memory: {}, "express-rate-limit's": { store: new TheirStore() } };
  for (const [name, options] of Object.entries(stores)) {
    assertEquals(await asked({ limit: 2, ...options }, ...costs), expected, name);
  }
  stores["express-rate-limit's"].store.shutdown();
  for (const algorithm of ["sliding-window", "sliding-log", "token-bucket", "concurrency"] as const) {
    assertEquals(await asked({ limit: 2, algorithm }, "0", "0", "0"), [200, 200, 200], algorithm);
  }
  assertEquals(await asked({ limit: 0, cost: 0 }, "", ""), [200, 200]);
  const block = { after: 1, forMs: 60_000 };
  assertEquals(await asked({ limit: 1, block }, "1", "1", "0", "1"), [200, 429, 200, 429]);
});

Deno.test("a cost that is negative or no number is an error for the error handlers, which names the option", async () => {
  const said = (shown: string) => `rateLimit: option cost must be an integer from 0 to 2147483648, not ${shown}`;
  assertEquals(await asked({ limit: 2 }, "-1", "x", "0.5", "1"), [said("-1"), said("NaN"), said("0.5"), 200]);
  const serve = fetchLimit({ cost: () => -1, keyGenerator: () => "key" })(() => new Response("in"));
  await assertRejects(() => serve(new Request("http://localhost/")), RangeError, "fetchLimit: option cost must be");
});

Deno.test("a limiter grants what is free, and has nothing to give back for it", async () => {
  for (const store of [undefined, new AsyncStore(new MemoryStore())]) {
    const limiter = new Limiter({ limit: 1, store });
    assertEquals((await limiter.consume("key")).allowed, true);
    const free = await limiter.consume("key", { cost: 0 });
    assertEquals([free.allowed, free.remaining, await limiter.refund(free)], [true, 0, false]);
    assertEquals((await limiter.waitFor("key", { cost: 0 })).allowed, true);
    assertEquals((await limiter.consume("key")).allowed, false);
    await limiter.close();
  }
});
