/** The same programs on Express with express-rate-limit and with this package, where the two must behave alike. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import express from "express";
import { ipKeyGenerator, MemoryStore as TheirStore, rateLimit as theirs } from "express-rate-limit";
import { warningsOf } from "../../../tests/support/warnings.ts";
import { clientKey, fromCounter, rateLimit as ours } from "../../mod.ts";

// deno-lint-ignore no-explicit-any -- two libraries and their types
type Any = any;

const LIBRARIES: Readonly<Record<string, Any>> = { "express-rate-limit": theirs, "@sluice/rate-limit": ours };

/** Serves an Express application, and closes it. */
async function served<T>(app: Any, talk: (origin: string) => Promise<T>): Promise<T> {
  const node: Any = await new Promise((resolve) => {
    const listening: Any = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  try {
    return await talk(`http://127.0.0.1:${node.address().port}`);
  } finally {
    await new Promise((resolve) => {
      node.close(resolve);
      node.closeAllConnections();
    });
  }
}

async function statusOf(origin: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(origin, { headers });
  await response.body?.cancel();
  return response.status;
}

/** Statuses for six requests behind a proxy, each from a different address in one /64. */
async function fromOneSubnet(limiter: Any): Promise<number[]> {
  const app: Any = express();
  app.set("trust proxy", 1);
  app.use(limiter, (_req: Any, res: Any) => res.send("in"));
  return await served(app, async (origin) => {
    const all: number[] = [];
    for (let i = 0; i < 6; i++) all.push(await statusOf(origin, { "x-forwarded-for": `2001:db8::${i + 1}` }));
    return all;
  });
}

Deno.test("clientKey(req) does in a composite key what ipKeyGenerator(req.ip) does", async () => {
  const store = () => ({ limit: 3, validate: false, store: new TheirStore() });
  const expected = [200, 200, 200, 429, 429, 429];
  const generated = theirs({ ...store(), keyGenerator: (req: Any) => `${ipKeyGenerator(req.ip)}:bob` });
  assertEquals(await fromOneSubnet(generated), expected);
  assertEquals(await fromOneSubnet(ours({ limit: 3, keyGenerator: (req) => `${clientKey(req)}:bob` })), expected);
  const wide = { ipv6Subnet: 48 };
  assertEquals(await fromOneSubnet(ours({ limit: 3, keyGenerator: (req) => `bob:${clientKey(req, wide)}` })), expected);
});

/**
 * Two requests that will fail, four that are refused while those run, and the next one's status. At most two are
 * admitted at a time.
 */
async function failing(limiter: Any): Promise<number[]> {
  const app: Any = express();
  const open = Promise.withResolvers<void>();
  let entered = Promise.withResolvers<void>();
  let closed = Promise.withResolvers<void>();
  app.use((_req: Any, res: Any, next: Any) => {
    res.on("close", () => closed.resolve());
    next();
  });
  app.use(limiter);
  app.get("/", async (_req: Any, res: Any) => {
    entered.resolve();
    await open.promise;
    res.status(500).send("failed");
  });
  return await served(app, async (origin) => {
    const admitted: Promise<number>[] = [];
    for (let i = 0; i < 2; i++) {
      entered = Promise.withResolvers();
      admitted.push(statusOf(origin));
      await entered.promise;
    }
    const all: number[] = [];
    for (let i = 0; i < 4; i++) {
      closed = Promise.withResolvers();
      all.push(await statusOf(origin));
      await closed.promise;
    }
    closed = Promise.withResolvers();
    open.resolve();
    all.push(...await Promise.all(admitted));
    await closed.promise;
    return [...all, await statusOf(origin)];
  });
}

Deno.test("refused requests are given back under skipFailedRequests, with a store that counts them", async () => {
  const options = { windowMs: 60_000, limit: 2, skipFailedRequests: true, validate: false };
  for (const [name, make] of Object.entries(LIBRARIES)) {
    const store = new TheirStore();
    assertEquals(await failing(make({ ...options, store })), [429, 429, 429, 429, 500, 500, 500], name);
    store.shutdown();
  }
});

Deno.test("what is told from memory is not given back: it has taken nothing", async () => {
  const options = { limit: 1, skipFailedRequests: true, denyCache: true };
  const limiter = ours({ ...options, store: fromCounter(new TheirStore()) });
  const app: Any = express();
  app.use(limiter, (_req: Any, res: Any) => res.send("in"));
  const statuses = await served(app, async (origin) => {
    const all: number[] = [];
    for (let i = 0; i < 8; i++) all.push(await statusOf(origin));
    return all;
  });
  assertEquals(statuses, [200, 429, 429, 429, 429, 429, 429, 429]);
  await limiter.limiter.close();
});

Deno.test("refusals that were merged into one command are given back one by one", async () => {
  const store = new TheirStore();
  const { limiter } = ours({ limit: 2, store: fromCounter(store), coalesce: true });
  const decisions = await Promise.all(Array.from({ length: 6 }, () => limiter.consume("key")));
  assertEquals(decisions.map(({ allowed }) => allowed), [true, true, false, false, false, false]);
  const hits = async () => (await store.get("2-per-60000ms-fixed-window:key"))?.totalHits;
  assertEquals(await hits(), 6);
  for (const [i, decision] of decisions.entries()) {
    await limiter.refund(decision);
    await limiter.refund(decision);
    assertEquals(await hits(), 5 - i);
  }
  await limiter.close();
});

Deno.test("a refusal that requestWasSuccessful takes for a success stays counted", async () => {
  for (const [name, make] of Object.entries(LIBRARIES)) {
    const store = new TheirStore();
    const limiter = make({
      ...{ windowMs: 60_000, limit: 2, skipFailedRequests: true, validate: false, store },
      requestWasSuccessful: (_req: Any, res: Any) => res.statusCode !== 500,
    });
    assertEquals((await failing(limiter)).at(-1), 429, name);
    store.shutdown();
  }
});

Deno.test("a store's init gets all options, complete, as from express-rate-limit", async () => {
  const told: Any[] = [];
  class Told extends TheirStore {
    override init(options: Any): void {
      told.push(options);
      super.init(options);
    }
  }
  const skip = () => false;
  const given = { limit: 7, windowMs: 5000, standardHeaders: true, skip, statusCode: 503, skipFailedRequests: true };
  for (const make of Object.values(LIBRARIES)) {
    const store = new Told();
    await fromOneSubnet(make({ ...given, store, validate: { default: false } }));
    store.shutdown();
  }
  const [one, other] = told;
  const { message: _theirs, ...plain } = one;
  for (const [name, value] of Object.entries(plain)) {
    assert(name in other, `${name} is not told`);
    if (name === "store" || name === "logger" || name === "identifier" || name === "validate") continue;
    if (typeof value === "function") assertEquals(typeof other[name], "function", name);
    // here, a client is a /64
    else assertEquals(other[name], name === "ipv6Subnet" ? 64 : value, name);
  }
  assertEquals(other.skip, skip);
  assertEquals(other.validate.default, false);
  assertEquals([other.requestWasSuccessful({}, { statusCode: 404 }), other.keyGenerator({ ip: "::1" })], [
    false,
    "::/64",
  ]);
});

Deno.test("fromCounter tells a counter the limit, and what it is given for its init", async () => {
  const told: Any[] = [];
  const counter = {
    init: (options: Any) => told.push(options),
    increment: () => ({ totalHits: 1 }),
    decrement() {},
    resetKey() {},
  };
  const limiter = ours({
    limit: 9,
    windowMs: 700,
    store: fromCounter(counter as Any, { init: { mine: 1, windowMs: 3 } }),
  });
  await limiter.limiter.consume("key");
  assertEquals(told, [{ limit: 9, windowMs: 700, mine: 1 }]);
  let message = "";
  try {
    fromCounter(counter as Any, { init: 5 as never });
  } catch (error) {
    message = (error as Error).message;
  }
  assertEquals(message, "fromCounter: option init must be an object, not 5");
});

// the warnings are printed once per process, so one test covers them all
Deno.test("on Express, mistakes about who the client is are warned about once", async () => {
  const asked = async (options: Any, trust: unknown, headers: Record<string, string>) => {
    const app: Any = express();
    if (trust !== undefined) app.set("trust proxy", trust);
    app.use(ours({ limit: 2, ...options }), (_req: Any, res: Any) => res.send("in"));
    return await served(app, async (origin) => [await statusOf(origin, headers), await statusOf(origin, headers)]);
  };
  const forwarded = { "x-forwarded-for": "2001:db8::1" };
  const keyGenerator = (req: Any) => `${req.ip}:bob`;
  assertEquals(await warningsOf(() => asked({ validate: false }, undefined, forwarded)), []);
  assertEquals(await warningsOf(() => asked({ validate: { trustProxy: false } }, true, forwarded)), []);
  assertEquals(await warningsOf(() => asked({}, 1, forwarded)), []);
  for (
    const [advice, call] of [
      ['set "trust proxy"', () => asked({}, undefined, forwarded)],
      ['"trust proxy" is true', () => asked({}, true, forwarded)],
      ["clientKey(req)", () => asked({ keyGenerator }, 1, forwarded)],
    ] as const
  ) {
    const told = await warningsOf(call);
    assertEquals(told.length, 1);
    assertStringIncludes(told[0]!, advice);
    assertEquals(await warningsOf(call), []);
  }
});
