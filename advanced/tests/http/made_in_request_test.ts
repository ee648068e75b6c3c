import { assertEquals, assertStringIncludes } from "@std/assert";
import { MemoryStore as TheirStore } from "express-rate-limit";
import sluice from "@sluice/sluice";
import { MemoryStore, rateLimit, type RateLimitOptions } from "../../mod.ts";
import { AsyncStore } from "../support/async_store.ts";

/** Returns the warnings when a limiter is made inside two requests. */
async function warnings(options: () => RateLimitOptions): Promise<string[]> {
  const { warn } = console;
  const told: string[] = [];
  console.warn = (text) => void told.push(text);
  try {
    const app = sluice();
    app.get("/", (req, res, next) => rateLimit(options())(req, res, next), (_req, res) => res.send("hello"));
    for (let i = 0; i < 2; i++) {
      await app.fetch(new Request("http://localhost/"), { remoteAddr: { hostname: "192.0.2.1" } });
    }
    return told;
  } finally {
    console.warn = warn;
  }
}

// the warnings are printed once per process, so one test covers them all
Deno.test("an in-memory store that may have been made for one request causes one warning", async () => {
  assertEquals((await warnings(() => ({ limit: 10 }))).length, 1);
  assertEquals(await warnings(() => ({ limit: 11, store: new MemoryStore() })), []);
  const outside = new MemoryStore();
  assertEquals(await warnings(() => ({ limit: 12, store: outside })), []);
  const elsewhere = new AsyncStore(outside);
  assertEquals(await warnings(() => ({ limit: 13, store: elsewhere })), []);
  const told = await warnings(() => ({ limit: 14, store: new TheirStore() }));
  assertEquals(told.length, 1);
  assertStringIncludes(told[0]!, "each request finds it empty");
  assertEquals(await warnings(() => ({ limit: 15, store: new TheirStore() })), []);
});
