import { assertEquals, assertStringIncludes } from "@std/assert";
import sluice from "@sluice/sluice";
import { fetchLimit, type LimitOptions, MemoryStore, rateLimit, type RateLimitOptions } from "../../mod.ts";

/** Runs a function and returns its warnings. */
async function warnings(body: () => Promise<void>): Promise<string[]> {
  const { warn } = console;
  const told: string[] = [];
  console.warn = (text) => void told.push(text);
  try {
    await body();
  } finally {
    console.warn = warn;
  }
  return told;
}

/** Sends a request through two limiters in a row. */
async function askBoth(first: RateLimitOptions, second: RateLimitOptions): Promise<Response> {
  const app = sluice();
  app.use(rateLimit(first));
  app.use(rateLimit(second));
  app.get("/", (_req, res) => res.send("hello"));
  return await app.fetch(new Request("http://localhost/"), { remoteAddr: { hostname: "192.0.2.1" } });
}

// the warning is printed once per process, so one test covers it
Deno.test("two unnamed limiters with equal options on one store cause one warning", async () => {
  const well = await warnings(async () => {
    const store = new MemoryStore();
    await askBoth({ store, limit: 10 }, { store, limit: 20 });
    await askBoth({ store, name: "a" }, { store, identifier: "b" });
    // the same name for two limiters is intended
    await askBoth({ store, name: "a" }, { store, name: "a" });
    await askBoth({ store, identifier: "b" }, { store, identifier: "b" });
    await askBoth({ store, limits: [{ name: "c" }, { limit: 30 }] }, { store, limits: [{ name: "d" }, { limit: 40 }] });
    // each has its own store
    await askBoth({ store: new MemoryStore() }, { store: new MemoryStore() });
    await askBoth({}, {});
    fetchLimit({ store, limit: 50 });
    fetchLimit({ store, name: "e", limit: 50 });
    // the same limiter, used twice
    const limiter = rateLimit({ store, limit: 60, validate: { singleCount: false } });
    const app = sluice().use(limiter).use(limiter);
    await app.fetch(new Request("http://localhost/"), { remoteAddr: { hostname: "192.0.2.1" } });
  });
  assertEquals(well, []);
  const ill = await warnings(async () => {
    const store = new MemoryStore();
    const before = fetchLimit({ store, limit: 10 });
    const response = await askBoth({ store, limit: 10 }, { store, limit: 20 });
    // they do count together
    assertEquals(response.headers.get("x-ratelimit-remaining"), "9");
    assertEquals((await before.limiter.peek("192.0.2.1")).remaining, 9);
  });
  const later = await warnings(async () => {
    const store = new MemoryStore();
    await askBoth({ store, limit: 10 }, { store, limit: 10 });
    for (let times = 0; times < 2; times++) fetchLimit({ store, limit: 10 });
  });
  assertEquals(later, []);
  assertEquals(ill.length, 1);
  assertStringIncludes(ill[0]!, 'two limiters on one store are both called "10-per-60000ms-fixed-window"');
  assertStringIncludes(ill[0]!, "with the option name");
});

Deno.test("limits that count differently have different default names", () => {
  const groups: LimitOptions[][] = [
    [{}, { limit: 5 }, { windowMs: 5 }, { align: "clock" }, { align: "first-hit" }],
    [{ onDenied: "free" }, { onDenied: "charge" }, { onDenied: "extend" }],
    [{ block: { after: 1, forMs: 60 } }, { block: { after: 2, forMs: 60 } }, { block: { after: 1, forMs: 61 } }],
    [{ algorithm: "token-bucket" }, { algorithm: "token-bucket", burst: 5 }, { algorithm: "token-bucket", burst: 6 }],
    [{ algorithm: "sliding-window" }, { algorithm: "sliding-window", buckets: 5 }],
  ];
  const all = groups.flat();
  const names = all.map((options) => rateLimit(options).limiter.policies[0]!.name);
  assertEquals(new Set(names).size, all.length, names.join());
  // one limiter may have all these limits, since their names differ
  assertEquals(rateLimit({ limits: all }).limiter.policies.map(({ name }) => name), names);
  // option order does not matter
  const nameOf = (options: LimitOptions) => rateLimit(options).limiter.policies[0]!.name;
  assertEquals(
    nameOf({ limit: 5, block: { after: 1, forMs: 60 } }),
    nameOf({ block: { forMs: 60, after: 1 }, limit: 5 }),
  );
});
