import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import sluice, { type FrameworkResponse } from "@sluice/sluice";
import {
  fetchLimit,
  type FetchLimitOptions,
  MemoryStore,
  rateLimit,
  type RateLimitInfo,
  type RateLimitOptions,
} from "../../mod.ts";
import { FaultyStore } from "../../src/testing/faulty_store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { fakeTime } from "../../../tests/support/fake_time.ts";
import { AsyncStore } from "../support/async_store.ts";
import { THROWING_NOTHING } from "../../../tests/support/non_errors.ts";

// deno-lint-ignore no-explicit-any -- options of every kind are tried
type Options = RateLimitOptions<any>;

function appWith(...limits: Options[]) {
  const app = sluice();
  for (const options of limits) app.use(rateLimit(options));
  app.get("/", (_req, res) => res.send("hello"));
  app.get("/fails", (_req, res) => res.status(500).send("failed"));
  const ask = (path = "/", address = "192.0.2.1") =>
    Promise.resolve(app.fetch(new Request(`http://localhost${path}`), { remoteAddr: { hostname: address } }));
  return { app, ask };
}

async function statuses(ask: () => Promise<Response>, count: number): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, () => ask()));
  await Promise.all(responses.map((response) => response.body?.cancel()));
  return responses.map(({ status }) => status);
}

Deno.test("a limit admits max requests and refuses the next", async () => {
  const { ask } = appWith({ limit: 2 });
  assertEquals(await statuses(ask, 3), [200, 200, 429]);
});

for (const where of ["memory", "a store elsewhere"]) {
  Deno.test(`with ${where} a window ends in the fake time of a test that begins after the limiter was made`, async () => {
    const store = where === "memory" ? undefined : new AsyncStore(new MemoryStore());
    const { ask } = appWith({ limit: 1, windowMs: 5000, legacyReset: "epoch", store, denyCache: false });
    using time = fakeTime();
    const { headers } = await ask();
    assertEquals(Number(headers.get("x-ratelimit-reset")), Math.ceil((Date.now() + 5000) / 1000));
    assertEquals(await statuses(ask, 1), [429]);
    time.advance(5000);
    assertEquals(await statuses(ask, 2), [200, 429]);
  });
}

Deno.test("every client has its own quota, and an IPv6 client one for its subnet", async () => {
  const { ask } = appWith({ limit: 1 });
  const from = async (address: string) => (await ask("/", address)).status;
  assertEquals(await from("192.0.2.1"), 200);
  assertEquals(await from("192.0.2.2"), 200);
  assertEquals(await from("2001:db8::1"), 200);
  assertEquals(await from("2001:0DB8:0::2"), 429);
  assertEquals(await from("2001:db8:0:1::1"), 200);
  assertEquals(await from("::ffff:192.0.2.1"), 429);
});

Deno.test("a refusal has the legacy headers, Retry-After and no-store", async () => {
  const clock = new VirtualClock();
  const { ask } = appWith({ limit: 1, windowMs: 10_000, clock: clock.read });
  const admitted = await ask();
  assertEquals(admitted.headers.get("x-ratelimit-limit"), "1");
  assertEquals(admitted.headers.get("x-ratelimit-remaining"), "0");
  assertEquals(admitted.headers.get("x-ratelimit-reset"), "10");
  assertEquals(admitted.headers.get("retry-after"), null);
  clock.advance(2_500);
  const refused = await ask();
  assertEquals(refused.status, 429);
  assertEquals(refused.headers.get("retry-after"), "8");
  assertEquals(refused.headers.get("cache-control"), "no-store");
  assertEquals(await refused.json(), { error: "Too many requests, please try again later." });
});

Deno.test("Retry-After is never early and at most a second late", async () => {
  for (const algorithm of ["fixed-window", "sliding-window", "sliding-log", "token-bucket"] as const) {
    const clock = new VirtualClock();
    const { ask } = appWith({ limit: 3, windowMs: 7_300, algorithm, clock: clock.read });
    assertEquals(await statuses(ask, 3), [200, 200, 200]);
    clock.advance(123);
    const wait = Number((await ask()).headers.get("retry-after"));
    clock.advance(wait * 1000 - 1000);
    assertEquals((await ask()).status, 429, `${algorithm} a second earlier`);
    clock.advance(1000);
    assertEquals((await ask()).status, 200, `${algorithm} after ${wait} s`);
  }
});

Deno.test("Retry-After of a refusal is not early for limiters in front that have nothing left", async () => {
  const clock = new VirtualClock();
  const outer: Options = { name: "outer", limit: 3, windowMs: 10_000, clock: clock.read };
  const inner: Options = { name: "inner", limit: 1, windowMs: 4_000, clock: clock.read };
  const waits = async (front: Options) => {
    const { ask } = appWith(front, inner);
    const refused = [await ask(), await ask(), await ask()].slice(1);
    return refused.map(({ status, headers }) => [status, headers.get("retry-after")]);
  };
  assertEquals(await waits(outer), [[429, "4"], [429, "10"]]);
  assertEquals(await waits({ ...outer, headers: false }), [[429, "4"], [429, "10"]]);
  // these have units again once the refused request has ended, or refuse no request
  for (const front of [{ skipFailedRequests: true }, { dryRun: true }, { algorithm: "concurrency" as const }]) {
    assertEquals(await waits({ ...outer, ...front }), [[429, "4"], [429, "4"]]);
  }
});

Deno.test("the message may be text, an object or a function of the request", async () => {
  assertEquals(await (await appWith({ limit: 0, message: "slow down" }).ask()).text(), "slow down");
  assertEquals(await (await appWith({ limit: 0, message: { code: 7 } }).ask()).json(), { code: 7 });
  const { ask } = appWith({ limit: 0, message: (req: { path: string }) => Promise.resolve(`not ${req.path}`) });
  assertEquals(await (await ask()).text(), "not /");
});

Deno.test("a problem document names the limits that refused", async () => {
  const { ask } = appWith({
    problemDetails: true,
    limits: [{ name: "burst", limit: 0 }, { name: "day", limit: 5, windowMs: 86_400_000 }],
  });
  const refused = await ask();
  assertMatch(refused.headers.get("content-type")!, /^application\/problem\+json/);
  const problem = await refused.json();
  assertEquals(problem["violated-policies"], ["burst"]);
  assertEquals(problem.status, 429);
});

Deno.test("draft-6 and draft-7 headers describe the limit with the least remaining", async () => {
  const limits = [{ name: "a", limit: 10, windowMs: 60_000 }, { name: "b", limit: 3, windowMs: 5_000 }];
  const sixth = await appWith({ limits, standardHeaders: true, legacyHeaders: false }).ask();
  assertEquals(sixth.headers.get("ratelimit-policy"), "10;w=60, 3;w=5");
  assertEquals(sixth.headers.get("ratelimit-limit"), "3");
  assertEquals(sixth.headers.get("ratelimit-remaining"), "2");
  assertEquals(sixth.headers.get("ratelimit-reset"), "5");
  assertEquals(sixth.headers.get("x-ratelimit-limit"), null);
  const seventh = await appWith({ limits, standardHeaders: "draft-7" }).ask();
  assertEquals(seventh.headers.get("ratelimit"), "limit=3, remaining=2, reset=5");
});

Deno.test("draft-8 and later have one member for each limit, also of layered limiters", async () => {
  const { ask } = appWith(
    { name: 'say "hi"', limit: 10, standardHeaders: "draft-10" },
    { name: "brief", limit: 3, windowMs: 500, standardHeaders: "draft-10" },
  );
  const response = await ask();
  assertEquals(response.headers.get("ratelimit-policy"), '"say \\"hi\\"";q=10;w=60, "brief";q=3');
  assertEquals(response.headers.get("ratelimit"), '"say \\"hi\\"";r=9;t=60, "brief";r=2;t=1');
  assertEquals(response.headers.get("x-ratelimit-remaining"), "2");
});

Deno.test("a limit of 0 promises no units at a later time", async () => {
  for (const algorithm of ["fixed-window", "token-bucket", "concurrency"] as const) {
    const { headers } = await appWith({ name: "none", algorithm, limit: () => 0, standardHeaders: "draft-10" }).ask();
    assertEquals([headers.get("ratelimit"), headers.get("retry-after")], ['"none";r=0', null]);
  }
});

Deno.test("several limits are decided together: a refusal charges none of them", async () => {
  const clock = new VirtualClock();
  const { ask } = appWith({
    limits: [{ name: "second", limit: 1, windowMs: 1_000 }, { name: "minute", limit: 3 }],
    clock: clock.read,
  });
  assertEquals(await statuses(ask, 5), [200, 429, 429, 429, 429]);
  clock.advance(1_000);
  assertEquals(await statuses(ask, 2), [200, 429]);
  clock.advance(1_000);
  assertEquals(await statuses(ask, 2), [200, 429]);
  clock.advance(1_000);
  assertEquals((await ask()).status, 429);
});

Deno.test("each limit may have its own key", async () => {
  const { ask } = appWith({
    limits: [{ name: "ip", limit: 2 }, { name: "path", limit: 3 }],
    keyGenerator: (req: { ip: string; path: string }) => ({ ip: req.ip, path: req.path }),
  });
  assertEquals((await ask("/", "192.0.2.1")).status, 200);
  assertEquals((await ask("/", "192.0.2.1")).status, 200);
  assertEquals((await ask("/", "192.0.2.1")).status, 429);
  assertEquals((await ask("/", "192.0.2.2")).status, 200);
  assertEquals((await ask("/", "192.0.2.3")).status, 429);
});

Deno.test("a second layer counts a wider IPv6 subnet", async () => {
  const { ask } = appWith({ limits: [{ name: "client", limit: 1 }, { name: "site", limit: 2, ipv6Subnet: 48 }] });
  assertEquals((await ask("/", "2001:db8:1:1::1")).status, 200);
  assertEquals((await ask("/", "2001:db8:1:1::2")).status, 429);
  assertEquals((await ask("/", "2001:db8:1:2::1")).status, 200);
  assertEquals((await ask("/", "2001:db8:1:3::1")).status, 429);
  assertEquals((await ask("/", "2001:db8:2:1::1")).status, 200);
});

Deno.test("every limit's subnet applies to an address that a generator returns, and getKey and resetKey find its keys", async () => {
  type Client = { ip: string };
  const generators = [({ ip }: Client) => ip, ({ ip }: Client) => ({ client: ip, site: ip })];
  for (const keyGenerator of [undefined, ...generators]) {
    const app = sluice();
    const limits = [{ name: "client", limit: 1 }, { name: "site", limit: 2, ipv6Subnet: 48 }];
    const limiter = rateLimit({ limits, keyGenerator: keyGenerator as Options["keyGenerator"] });
    app.use(limiter);
    app.get("/", (_req, res) => res.send("hello"));
    const ask = async (hostname: string) =>
      (await app.fetch(new Request("http://localhost/"), { remoteAddr: { hostname } })).status;
    assertEquals([await ask("2001:db8:1:1::1"), await ask("2001:db8:1:1::2")], [200, 429]);
    assertEquals([await ask("2001:db8:1:2::1"), await ask("2001:db8:1:3::1")], [200, 429]);
    assertEquals(await ask("2001:db8:2:1::1"), 200);
    const left = async (address: string) => (await limiter.getKey(address)).verdicts.map(({ remaining }) => remaining);
    assertEquals([await left("2001:db8:1:1::9"), await left("2001:db8:1:4::9")], [[0, 0], [1, 0]]);
    assertEquals(await limiter.resetKey("2001:db8:1:1::9"), 2);
    assertEquals([await left("2001:db8:1:1::9"), await left("2001:db8:1:2::9")], [[1, 2], [0, 2]]);
    assertEquals(await ask("2001:db8:1:1::1"), 200);
  }
});

Deno.test("cost and max may depend on the request", async () => {
  const { ask } = appWith({
    cost: (req: { query: Record<string, string> }) => Promise.resolve(Number(req.query["cost"] ?? 1)),
    limit: (req: { query: Record<string, string> }) => req.query["gold"] ? 10 : 3,
  });
  assertEquals((await ask("/?cost=3")).status, 200);
  assertEquals((await ask("/")).status, 429);
  assertEquals((await ask("/?gold=1&cost=7")).status, 200);
  assertEquals((await ask("/?gold=1")).status, 429);
  assertEquals((await ask("/?cost=2.5")).status, 500);
});

Deno.test("with several limits, max may set one by its name, and the others keep theirs", async () => {
  const app = sluice();
  const tiers: Record<string, { client: number }> = { gold: { client: 3 } };
  app.use(rateLimit({
    limits: [{ name: "client", limit: 1 }, { name: "site", limit: 4 }],
    keyGenerator: (req) => ({ client: req.get("x-customer") ?? "nobody", site: "all" }),
    limit: (req) => tiers[req.get("x-customer") ?? ""] ?? {},
  }));
  app.get("/", (_req, res) => res.send("hello"));
  const ask = async (customer: string) =>
    (await app.handle(new Request("http://localhost/", { headers: { "x-customer": customer } }))).status;
  const statuses: number[] = [];
  for (const customer of ["gold", "gold", "gold", "gold", "iron", "iron", "tin"]) statuses.push(await ask(customer));
  assertEquals(statuses, [200, 200, 200, 429, 200, 429, 429]);
});

Deno.test("if cost, limit or key fail, the error handlers get one error, and no rejection is left unhandled", async () => {
  const fails = (what: string) => () => Promise.reject(new Error(what));
  const throws = () => {
    throw new Error("key");
  };
  const unheard: unknown[] = [];
  const listener = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    unheard.push(event.reason);
  };
  globalThis.addEventListener("unhandledrejection", listener);
  try {
    for (
      const options of [{ cost: fails("cost") }, { limit: fails("limit") }, {
        cost: fails("cost"),
        limit: fails("limit"),
      }]
    ) {
      for (const keyGenerator of [fails("key"), throws, () => "key"]) {
        const { app, ask } = appWith({ ...options, keyGenerator });
        let told = 0;
        // deno-lint-ignore no-explicit-any -- the four parameters make it an error handler
        app.use((error: any, _req: any, res: any, _next: any) => {
          told++;
          res.status(500).send(error.message);
        });
        const response = await ask();
        assertEquals([response.status, told], [500, 1]);
        assertMatch(await response.text(), /^(cost|limit|key)$/);
      }
    }
    // the platform reports unhandled rejections at the end of the turn
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    globalThis.removeEventListener("unhandledrejection", listener);
  }
  assertEquals(unheard, []);
});

Deno.test("a lazy thenable that runs a query in then runs it once", async () => {
  let sent = 0;
  const query = (value: number): PromiseLike<number> => ({
    then: (resolve, reject) => Promise.resolve(value + 0 * sent++).then(resolve, reject),
  });
  const { ask } = appWith({ limit: () => query(3), cost: () => query(2) });
  assertEquals([(await ask()).status, sent], [200, 2]);
  assertEquals([(await ask()).status, sent], [429, 4]);
});

Deno.test("skip may be asynchronous, and skipped requests are not counted", async () => {
  const { ask } = appWith({
    limit: 1,
    skip: (req: { query: Record<string, string> }) => Promise.resolve("free" in req.query),
  });
  assertEquals((await ask("/?free")).status, 200);
  assertEquals((await ask("/?free")).status, 200);
  assertEquals(await statuses(ask, 2), [200, 429]);
});

Deno.test("requests that failed, or that succeeded, may be refunded", async () => {
  const failing = appWith({ limit: 1, skipFailedRequests: true });
  assertEquals((await failing.ask("/fails")).status, 500);
  await Promise.resolve();
  assertEquals((await failing.ask("/")).status, 200);
  await Promise.resolve();
  assertEquals((await failing.ask("/")).status, 429);
  const succeeding = appWith({ limit: 1, skipSuccessfulRequests: true });
  assertEquals((await succeeding.ask("/")).status, 200);
  await Promise.resolve();
  assertEquals((await succeeding.ask("/fails")).status, 500);
  await Promise.resolve();
  assertEquals((await succeeding.ask("/")).status, 429);
});

Deno.test("requestWasSuccessful decides what counts as success", async () => {
  const { ask } = appWith({ limit: 1, skipFailedRequests: true, requestWasSuccessful: () => false });
  assertEquals((await ask("/")).status, 200);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals((await ask("/")).status, 200);
});

Deno.test("a concurrency limit counts requests in flight", async () => {
  const app = sluice();
  const gates: (() => void)[] = [];
  app.use(rateLimit({ algorithm: "concurrency", limit: 2, windowMs: 60_000 }));
  app.get("/", (_req, res) => void gates.push(() => res.send("done")));
  const ask = () =>
    Promise.resolve(app.fetch(new Request("http://localhost/"), { remoteAddr: { hostname: "192.0.2.1" } }));
  const waiting = [ask(), ask()];
  assertEquals((await ask()).status, 429);
  gates[0]!();
  assertEquals((await waiting[0]!).status, 200);
  await Promise.resolve();
  const third = ask();
  gates[2]!();
  gates[1]!();
  assertEquals((await third).status, 200);
  assertEquals((await waiting[1]!).status, 200);
});

Deno.test("a dry run refuses no request and counts those it would have refused", async () => {
  const app = sluice();
  const limiter = rateLimit({ limit: 1, dryRun: true });
  app.use(limiter);
  app.get("/", (_req, res) => res.send("hello"));
  const ask = () => Promise.resolve(app.fetch(new Request("http://localhost/")));
  assertEquals(await statuses(ask, 3), [200, 200, 200]);
  assertEquals(limiter.limiter.counters.shadowLimited, 2);
  assertEquals(limiter.limiter.counters.admitted, 3);
});

Deno.test("a key that is refused too often is blocked, whatever its quota", async () => {
  const clock = new VirtualClock();
  const { ask } = appWith({ limit: 1, windowMs: 1_000, block: { after: 2, forMs: 60_000 }, clock: clock.read });
  assertEquals(await statuses(ask, 3), [200, 429, 429]);
  clock.advance(1_000);
  const blocked = await ask();
  assertEquals(blocked.status, 429);
  assertEquals(blocked.headers.get("retry-after"), "59");
  clock.advance(59_000);
  assertEquals((await ask()).status, 200);
});

Deno.test("handler answers in the limiter's place, and onLimitReached is called first", async () => {
  const told: string[] = [];
  const { ask } = appWith({
    limit: 0,
    onLimitReached: () => told.push("reached"),
    // deno-lint-ignore no-explicit-any -- express-rate-limit's four arguments
    handler: (_req: any, res: any, _next: any, options: any) => {
      told.push("handler", String(options.statusCode), options.message.error, String(options.decision.allowed));
      res.status(503).send("mine");
    },
  } as unknown as Options);
  const response = await ask();
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertEquals([response.status, await response.text(), ...told], [
    503,
    "mine",
    "reached",
    "handler",
    "429",
    "Too many requests, please try again later.",
    "false",
  ]);
});

Deno.test("a handler may allow a refusal to be cached", async () => {
  // deno-lint-ignore no-explicit-any -- Express's way to respond
  const handler = (_req: unknown, res: any) => res.status(503).set("Cache-Control", "max-age=5").send("mine");
  assertEquals((await appWith({ limit: 0, handler }).ask()).headers.get("cache-control"), "max-age=5");
});

Deno.test("handlers read what is left from the request", async () => {
  const app = sluice();
  app.use(rateLimit({ limit: 5, requestPropertyName: "quota" }));
  // deno-lint-ignore no-explicit-any -- the property is the test's own
  app.get("/", (req: any, res) => {
    const { limit, used, remaining } = req.quota;
    res.json({ limit, used, remaining, later: req.quota.resetTime > new Date() });
  });
  const response = await app.handle(new Request("http://localhost/"));
  assertEquals(await response.json(), { limit: 5, used: 1, remaining: 4, later: true });
});

Deno.test("a limit or cost of undefined for an unknown customer is an error, and not the default", async () => {
  for (const name of ["limit", "cost"] as const) {
    for (const told of [undefined, Promise.resolve(undefined)]) {
      const { app, ask } = appWith({ [name]: () => told });
      app.use((error: Error, _req: unknown, res: FrameworkResponse, _next: unknown) =>
        res.status(500).send(error.message)
      );
      const response = await ask();
      assertEquals([response.status, await response.text()], [
        500,
        `rateLimit: option ${name} must be a number, not undefined`,
      ]);
    }
  }
});

Deno.test("a key that is not a string, or empty, is an error and never a shared counter", async () => {
  for (const key of [undefined, "", 7, null, {}]) {
    const { app, ask } = appWith({ limit: 1, keyGenerator: () => key as string });
    // deno-lint-ignore no-explicit-any -- the four parameters make it an error handler
    app.use((error: any, _req: any, res: any, _next: any) => res.status(500).send(error.message));
    const response = await ask();
    assertEquals(response.status, 500);
    assertStringIncludes(await response.text(), "key");
  }
});

Deno.test("keys of any content and length are kept apart", async () => {
  const { ask } = appWith({
    limit: 1,
    keyGenerator: (req: { query: Record<string, string> }) => decodeURIComponent(req.query["k"]!),
  });
  const keys = [
    "a",
    "a:b",
    "a{b}",
    "%7b",
    "{",
    "\u0000",
    "\u0002",
    "x".repeat(10_000),
    "x".repeat(10_001),
    "é",
    "e\u0301",
  ];
  for (const key of keys) {
    assertEquals((await ask(`/?k=${encodeURIComponent(encodeURIComponent(key))}`)).status, 200, key.slice(0, 20));
  }
  assertEquals((await ask(`/?k=${"x".repeat(10_000)}`)).status, 429);
});

Deno.test("a limiter made inside each request counts all the same", async () => {
  const app = sluice();
  app.get(
    "/",
    (req, res, next) => rateLimit({ limit: 3, algorithm: "sliding-window" })(req, res, next),
    (_req, res) => {
      res.send("hello");
    },
  );
  const ask = () => Promise.resolve(app.fetch(new Request("http://localhost/")));
  assertEquals(await statuses(ask, 5), [200, 200, 200, 429, 429]);
});

Deno.test("a limiter made inside each request with its own MemoryStore counts all the same", async () => {
  const app = sluice();
  const outside = [new MemoryStore(), new MemoryStore()];
  app.get("/made/inside", (req, res, next) => rateLimit({ limit: 3, store: new MemoryStore() })(req, res, next));
  app.get("/:tenant", (req, res, next) => {
    return rateLimit({ limit: 2, store: outside[Number(req.params["tenant"])] })(req, res, next);
  });
  app.use((_req, res) => res.send("hello"));
  const ask = (path: string) => () => Promise.resolve(app.fetch(new Request(`http://localhost${path}`)));
  assertEquals(await statuses(ask("/made/inside"), 5), [200, 200, 200, 429, 429]);
  assertEquals(await statuses(ask("/0"), 3), [200, 200, 429]);
  assertEquals(await statuses(ask("/1"), 3), [200, 200, 429]);
});

Deno.test("refusing a request that was answered meanwhile is not an error", async () => {
  const errors: unknown[] = [];
  for (const message of ["slow down", () => Promise.resolve("slow down")]) {
    const app = sluice();
    app.on("error", (error) => void errors.push(error));
    const decided = Promise.withResolvers<string>();
    const over = Promise.withResolvers<void>();
    app.use((_req, res, next) => {
      next();
      res.status(503).send("it took too long");
      decided.resolve("key");
    });
    const limit = rateLimit({ limit: 0, message, keyGenerator: () => decided.promise });
    app.use(async (req, res, next) => {
      await limit(req, res, next);
      over.resolve();
    });
    const response = await app.handle(new Request("http://localhost/"));
    assertEquals([response.status, await response.text()], [503, "it took too long"]);
    await over.promise;
  }
  assertEquals(errors, []);
});

Deno.test("client input in the message gives no fresh count, with a name or an identifier", async () => {
  for (const named of [{ name: "greeting" }, { identifier: "welcome" }]) {
    const app = sluice();
    for (const path of ["/", "/other"]) {
      app.get(path, (req, res, next) => {
        const message = `${String(req.query["user"])}, slow down`;
        return rateLimit({ ...named, limit: 3, message, requestPropertyName: `of ${message}` })(req, res, next);
      }, (_req, res) => res.send("hello"));
    }
    let calls = 0;
    const ask = () => {
      const path = calls % 2 === 0 ? "/" : "/other";
      return Promise.resolve(app.fetch(new Request(`http://localhost${path}?user=${calls++}`)));
    };
    const responses = await Promise.all(Array.from({ length: 20 }, ask));
    assertEquals(responses.map(({ status }) => status), [200, 200, 200, ...Array.from({ length: 17 }, () => 429)]);
    const texts = await Promise.all(responses.map((response) => response.text()));
    assertEquals(texts[19], "19, slow down");
  }
});

Deno.test("limiters made inside requests whose options differ each time are an error after a thousand", async () => {
  const app = sluice().set("env", "test");
  let max = 1;
  app.get("/", (req, res, next) => rateLimit({ limit: max++, name: "differs" })(req, res, next), (_req, res) => {
    res.send("hello");
  });
  const responses = [];
  for (let i = 0; i < 1001; i++) responses.push(await app.handle(new Request("http://localhost/")));
  assertEquals(responses.slice(0, 990).every(({ status }) => status === 200), true);
  assertStringIncludes(await responses.at(-1)!.text(), "more than 1000 different limiters were made inside requests");
});

Deno.test("maxKeys limits the keys in memory, and further ones share counters", async () => {
  const app = sluice();
  const limiter = rateLimit({ limit: 1, maxKeys: 3 });
  app.use(limiter);
  app.get("/", (_req, res) => res.send("hello"));
  for (let i = 0; i < 9; i++) {
    await app.fetch(new Request("http://localhost/"), { remoteAddr: { hostname: `192.0.2.${i}` } });
  }
  assertEquals([limiter.size, limiter.limiter.overflows], [3, 6]);
});

for (const where of ["memory", "a store elsewhere"]) {
  Deno.test(`with ${where} getKey finds an address that a generator took from a header, and one that is the client's`, async () => {
    const store = where === "memory" ? undefined : new AsyncStore(new MemoryStore());
    const app = sluice();
    const limiter = rateLimit({ limit: 3, store, keyGenerator: (req) => req.get("cf-connecting-ip") ?? req.ip });
    app.use(limiter);
    app.get("/", (_req, res) => res.send("hello"));
    const ask = (hostname: string, headers: HeadersInit) =>
      app.fetch(new Request("http://localhost/", { headers }), { remoteAddr: { hostname } });
    for (let i = 0; i < 3; i++) await ask("2001:db8::1", { "cf-connecting-ip": "2001:db8:9::1" });
    await ask("2001:db8::1", {});
    const left = async (key: string) => (await limiter.getKey(key)).remaining;
    assertEquals([await left("2001:db8:9::1"), await left("2001:db8:9::2"), await left("2001:db8::7")], [0, 3, 2]);
    assertEquals([await limiter.resetKey("2001:db8:9::1"), await left("2001:db8:9::1")], [1, 3]);
  });
}

Deno.test("reset, resetKey and getKey take the keys as clients have them", async () => {
  const app = sluice();
  const limiter = rateLimit({ limit: 1 });
  app.use(limiter);
  app.get("/", (_req, res) => res.send("hello"));
  const ask = async (address: string) =>
    (await app.fetch(new Request("http://localhost/"), { remoteAddr: { hostname: address } })).status;
  assertEquals([await ask("2001:db8::1"), await ask("192.0.2.1")], [200, 200]);
  assertEquals((await limiter.getKey("2001:db8::9")).remaining, 0);
  assertEquals(await limiter.resetKey("2001:db8::5"), 1);
  assertEquals([await ask("2001:db8::1"), await ask("192.0.2.1")], [200, 429]);
  assertEquals(await limiter.reset(), 2);
  assertEquals(await ask("192.0.2.1"), 200);
  assertEquals(limiter.size, 1);
});

Deno.test("getKey with a customer's own limit returns what remains of it", async () => {
  const app = sluice();
  const limiter = rateLimit({ limit: () => 1000, keyGenerator: () => "customer 7", cost: 300 });
  app.use(limiter);
  app.get("/", (_req, res) => res.send("hello"));
  await app.handle(new Request("http://localhost/"));
  assertEquals((await limiter.getKey("customer 7", { limit: 1000 })).remaining, 700);
});

Deno.test("a missing key is refused by resetKey and getKey, and resets nothing", async () => {
  const limiter = rateLimit({ limit: 1 });
  const counted = await limiter.limiter.consume("192.0.2.1");
  for (const missing of [undefined, "", null] as string[]) {
    assertThrows(() => limiter.resetKey(missing), TypeError, "resetKey: the key must be a non-empty string, not");
    assertThrows(() => limiter.getKey(missing), TypeError, "getKey: the key must be a non-empty string, not");
  }
  assertEquals([counted.allowed, (await limiter.getKey("192.0.2.1")).remaining], [true, 0]);
});

Deno.test("req.rateLimit in JSON has express-rate-limit's names, and no internals", async () => {
  const app = sluice();
  app.use(rateLimit({ limit: 3, keyGenerator: () => "key", clock: () => 0 }));
  app.get("/", (req, res) => res.json(req.rateLimit));
  const shown = await (await app.handle(new Request("http://localhost/"))).json();
  assertEquals(shown, { limit: 3, used: 1, remaining: 2, resetTime: "1970-01-01T00:01:00.000Z", key: "key" });
});

Deno.test("req.rateLimit can be copied, and has the end of its window even when read later", async () => {
  const app = sluice();
  const clock = new VirtualClock(0);
  app.use(rateLimit({ limit: 3, keyGenerator: () => "key", clock: clock.read }));
  let copy: unknown;
  let allowed: unknown;
  app.get("/", (req, res) => {
    clock.advance(10_000);
    const { rateLimit } = req as unknown as { rateLimit: RateLimitInfo };
    copy = { ...rateLimit };
    allowed = rateLimit.decision.allowed;
    assertEquals(rateLimit.current, rateLimit.used);
    res.end();
  });
  assertEquals((await app.handle(new Request("http://localhost/"))).status, 200);
  assertEquals(copy, { limit: 3, used: 1, remaining: 2, resetTime: new Date(60_000), key: "key" });
  assertEquals(allowed, true);
});

Deno.test("rate limit headers set by other code that are no valid limit do not hide the limit", async () => {
  for (const remaining of ["1", "unlimited"]) {
    const app = sluice();
    app.use((_req, res, next) => next(void res.set({ "X-RateLimit-Remaining": remaining, "Retry-After": "soon" })));
    app.use(rateLimit({ limit: 0, windowMs: 60_000, onDenied: "charge" }), rateLimit({ limit: 1, name: "second" }));
    const { headers } = await app.handle(new Request("http://localhost/"));
    assertEquals([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")], ["0", "0"], remaining);
  }
});

Deno.test("invalid options are errors at construction that name the option and the value", () => {
  const wrong: [Options, ErrorConstructor, string][] = [
    [{ limit: 1.5 }, RangeError, "limit"],
    [{ limit: -1 }, RangeError, "-1"],
    [{ limit: NaN }, RangeError, "option limit must be an integer from 0 to 2147483648, not NaN"],
    [{ limit: -5 }, RangeError, "option limit must be an integer from 0 to 2147483648, not -5"],
    [{ limit: NaN, cost: 2 }, RangeError, "option limit"],
    [{ limit: -5 }, RangeError, "option limit"],
    [{ limits: [{ limit: NaN }] }, RangeError, "option limit"],
    [{ limit: Infinity }, RangeError, "Infinity"],
    [{ limit: "5" as unknown as number }, TypeError, "limit"],
    [{ windowMs: 0 }, RangeError, "windowMs"],
    [{ windowMs: 2 ** 41 }, RangeError, "windowMs"],
    [{ cost: -1 }, RangeError, "cost"],
    [{ cost: 1.5 }, RangeError, "cost"],
    [{ cost: 11, limit: 10 }, RangeError, "above the limit (10)"],
    [{ cost: 11, limits: [{ limit: 20 }, { name: "b", limit: 10 }] }, RangeError, "above the limit (10)"],
    [{ algorithm: "leaky" as unknown as "concurrency" }, TypeError, "leaky"],
    [{ burst: 5 }, TypeError, "token-bucket"],
    [{ algorithm: "token-bucket", burst: 0 }, RangeError, "burst"],
    [{ buckets: 5 }, TypeError, "sliding-window"],
    [{ onDenied: "punish" as unknown as "free" }, TypeError, "punish"],
    [{ algorithm: "concurrency", onDenied: "charge" }, TypeError, "concurrency"],
    [{ block: { after: 0, forMs: 5 } }, RangeError, "block.after"],
    [{ limits: [] }, TypeError, "limits"],
    [{ limits: [{ name: "a" }, { name: "a" }] }, TypeError, '"a"'],
    [{ name: "line\nbreak" }, TypeError, "name"],
    [{ statusCode: 99 }, RangeError, "statusCode"],
    [{ standardHeaders: "draft-9" as unknown as "draft-8" }, TypeError, "draft-9"],
    [{ store: {} as unknown as undefined }, TypeError, "store"],
    [{ onStoreFailure: "panic" as unknown as "open" }, TypeError, "panic"],
    [{ timeoutMs: 0 }, RangeError, "timeoutMs"],
    [{ leases: 1 }, RangeError, "leases"],
    [{ keyGenerator: "ip" as unknown as () => string }, TypeError, "keyGenerator"],
    ["x" as Options, TypeError, 'options must be an object, not "x"'],
    [5 as Options, TypeError, "options must be an object, not 5"],
    [null as unknown as Options, TypeError, "options must be an object, not null"],
    [{ limits: [null] } as unknown as Options, TypeError, "limits[0]: options must be an object, not null"],
    [
      { limits: [{ name: "a" }, "b"] } as unknown as Options,
      TypeError,
      'limits[1]: options must be an object, not "b"',
    ],
  ];
  for (const [options, Kind, part] of wrong) {
    assertThrows(() => rateLimit(options), Kind, part);
    assertThrows(() => fetchLimit(options as FetchLimitOptions), Kind, part);
  }
});

Deno.test("a cost above 100 is allowed with a limit above 100", async () => {
  for (const options of [{ limit: 400 }, { limit: () => 400 }]) {
    const { ask } = appWith({ ...options, cost: 200 });
    assertEquals(await statuses(ask, 3), [200, 200, 429]);
  }
});

Deno.test("a cost may be above a limit that is shadowed, or that a function may raise", async () => {
  const key = () => "key";
  const site = { name: "site", limit: 100 };
  const trial = { name: "trial", limit: 5, shadow: true };
  const raised = { keyGenerator: key, limits: [{ name: "client", limit: 5 }, site], limit: () => ({ client: 50 }) };
  for (const options of [{ limits: [site, trial] }, { limit: 5, dryRun: true }, raised]) {
    const { ask } = appWith({ ...options, cost: 10 });
    assertEquals(await statuses(ask, 2), [200, 200]);
  }
  assertThrows(
    () => rateLimit({ limits: [site, { ...trial, shadow: false }], cost: 10 }),
    RangeError,
    "above the limit",
  );
});

Deno.test("windows of one millisecond and of more than 2 to the power of 31 ms work", async () => {
  const clock = new VirtualClock();
  for (const windowMs of [1, 2 ** 31 + 5, 2 ** 40]) {
    const { ask } = appWith({ limit: 1, windowMs, clock: clock.read });
    assertEquals(await statuses(ask, 2), [200, 429]);
    clock.advance(windowMs - 1);
    if (windowMs > 1) assertEquals((await ask()).status, 429);
    clock.advance(1);
    assertEquals((await ask()).status, 200);
  }
});

Deno.test("an error after the limiter goes to the error handlers, once", async () => {
  const app = sluice();
  app.use(rateLimit({ limit: 5 }));
  app.get("/", () => {
    throw new Error("mine");
  });
  let told = 0;
  // deno-lint-ignore no-explicit-any -- the four parameters make it an error handler
  app.use((error: any, _req: any, res: any, _next: any) => {
    told++;
    res.status(500).send(error.message);
  });
  const response = await app.handle(new Request("http://localhost/"));
  assertEquals([await response.text(), told], ["mine", 1]);
});

Deno.test("a function that throws undefined or another non-error lets no request past the limiter", async () => {
  for (const fails of THROWING_NOTHING) {
    for (
      const options of [{ skip: fails }, { keyGenerator: fails }, { limit: fails }, { handler: fails }, {
        message: fails,
      }]
    ) {
      const app = sluice().set("env", "test");
      app.use(rateLimit({ limit: 0, ...options }));
      app.get("/", (_req, res) => res.send("past it"));
      assertEquals((await app.handle(new Request("http://localhost/"))).status, 500);
    }
  }
});

Deno.test("a store's first failure goes to the listeners of the application, without what a client's error may hold", async () => {
  const store = new FaultyStore(new AsyncStore(new MemoryStore()));
  const app = sluice();
  const notes: string[] = [];
  app.on("error", (error, { req, phase }) => notes.push(`${phase} ${req} ${error.message} ${error.cause}`));
  app.use(rateLimit({ limit: 5, store, onStoreFailure: "open" }));
  app.get("/", (_req, res) => void res.send("hello"));
  store.fail(new Error("out of order"));
  for (let i = 0; i < 2; i++) assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), "hello");
  assertEquals(notes.length, 1);
  assertMatch(notes[0]!, /^limiter undefined .*because the store failed.*: out of order undefined$/);
});
