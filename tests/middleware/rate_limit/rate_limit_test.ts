import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type FrameworkApp, rateLimit, type RateLimitOptions, Router } from "@sluice/sluice";
import { ask, quietApp } from "../../support/app.ts";
import { fakeTime } from "../../support/fake_time.ts";
import { THROWING_NOTHING } from "../../support/non_errors.ts";
import { warningsOf } from "../../support/warnings.ts";

const PEER = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 1 } };

function from(hostname: string) {
  return { remoteAddr: { transport: "tcp", hostname, port: 1 } };
}

function limited(options: RateLimitOptions): FrameworkApp {
  const app = quietApp();
  app.use(rateLimit(options));
  app.use((_req, res) => res.send("in"));
  return app;
}

async function statuses(app: FrameworkApp, count: number, path = "/", init?: RequestInit, info: unknown = PEER) {
  const seen: number[] = [];
  for (let i = 0; i < count; i++) seen.push((await ask(app, path, init, info)).status);
  return seen;
}

Deno.test("request number limit is admitted, the next one is limited", async () => {
  assertEquals(await statuses(limited({ limit: 3 }), 5), [200, 200, 200, 429, 429]);
});

Deno.test("limit 0 limits everything, and tells nobody to come back", async () => {
  const app = limited({ limit: 0 });
  assertEquals(await statuses(app, 2), [429, 429]);
  const { headers } = await ask(app, "/", undefined, PEER);
  assertEquals([headers.get("x-ratelimit-limit"), headers.get("retry-after")], ["0", null]);
});

Deno.test("a window begins with the first request and ends after windowMs", async () => {
  let now = 1000;
  const app = limited({ limit: 1, windowMs: 500, clock: () => now });
  assertEquals(await statuses(app, 2), [200, 429]);
  now = 1499;
  assertEquals(await statuses(app, 1), [429]);
  now = 1500;
  assertEquals(await statuses(app, 2), [200, 429]);
});

Deno.test("a window ends in the fake time of a test that begins after the limiter was made", async () => {
  const app = limited({ limit: 1, windowMs: 500 });
  using time = fakeTime();
  assertEquals(await statuses(app, 2), [200, 429]);
  time.advance(500);
  assertEquals(await statuses(app, 2), [200, 429]);
});

Deno.test("a window lasts as long as it should while the system's clock is set by an hour", async () => {
  const app = limited({ limit: 1, windowMs: 60_000 });
  assertEquals(await statuses(app, 2), [200, 429]);
  const real = Date.now;
  try {
    for (const jump of [3_600_000, -3_600_000]) {
      Date.now = () => real() + jump;
      assertEquals(await statuses(app, 1), [429]);
      const reset = Number((await ask(app, "/", undefined, PEER)).headers.get("x-ratelimit-reset"));
      assert(reset > 50 && reset <= 60, `${reset} s`);
    }
  } finally {
    Date.now = real;
  }
});

Deno.test("headers tell the limit, the remaining count, whole seconds to the reset, and when to retry", async () => {
  let now = 0;
  const app = limited({ limit: 2, windowMs: 10_500, clock: () => now });
  const headers = async () => {
    const response = await ask(app, "/", undefined, PEER);
    return ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"].map((name) =>
      response.headers.get(name)
    );
  };
  assertEquals(await headers(), ["2", "1", "11", null]);
  now = 1;
  assertEquals(await headers(), ["2", "0", "11", null]);
  now = 9_600;
  assertEquals(await headers(), ["2", "0", "1", "1"]);
});

Deno.test("with several limiters, the headers describe the one of which the smallest part is left", async () => {
  const clock = () => 0;
  const [few, many] = [{ limit: 10, windowMs: 1000, clock }, { limit: 1000, windowMs: 5000, clock }];
  for (const order of [[few, many], [many, few]]) {
    const app = quietApp();
    app.use(...order.map((options) => rateLimit(options)), (_req, res) => res.send("in"));
    const { headers } = await ask(app, "/", undefined, PEER);
    const shown = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"].map((name) => headers.get(name));
    assertEquals(shown, ["10", "9", "1"]);
  }
});

Deno.test("a client that waits as long as Retry-After says is admitted", async () => {
  let now = 0;
  const app = limited({ limit: 1, windowMs: 1234, clock: () => now });
  await ask(app, "/", undefined, PEER);
  now = 77;
  const retry = Number((await ask(app, "/", undefined, PEER)).headers.get("retry-after"));
  now += retry * 1000;
  assertEquals(await statuses(app, 1), [200]);
});

Deno.test("Retry-After is not early for a limiter in front that has nothing left", async () => {
  const clock = () => 0;
  for (const headers of [true, false]) {
    const app = quietApp();
    app.use(rateLimit({ limit: 3, windowMs: 10_000, headers, clock }), rateLimit({ limit: 1, windowMs: 4_000, clock }));
    app.use((_req, res) => res.send("in"));
    const wait = async () => (await ask(app, "/", undefined, PEER)).headers.get("retry-after");
    assertEquals([await wait(), await wait(), await wait()], [null, "4", "10"]);
  }
});

Deno.test("headers can be turned off", async () => {
  const response = await ask(limited({ limit: 0, headers: false }), "/", undefined, PEER);
  assertEquals([...response.headers.keys()].filter((name) => /ratelimit|retry/.test(name)), []);
});

Deno.test("the refusal has the default message, a text or an object, with the configured status", async () => {
  const body = async (options: RateLimitOptions) => {
    const response = await ask(limited({ limit: 0, ...options }), "/", undefined, PEER);
    return [response.status, await response.text(), response.headers.get("content-type")];
  };
  const json = "application/json; charset=utf-8";
  assertEquals(await body({}), [429, '{"error":"Too many requests, please try again later."}', json]);
  assertEquals(await body({ message: "slow down" }), [429, "slow down", "text/html; charset=utf-8"]);
  assertEquals(await body({ message: { code: 7 }, statusCode: 503 }), [503, '{"code":7}', json]);
});

Deno.test("each client has its own count; an IPv6 client is its /64, a mapped IPv4 address is IPv4", async () => {
  const app = limited({ limit: 1 });
  for (const address of ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1"]) {
    assertEquals(await statuses(app, 1, "/", undefined, from(address)), [200], address);
  }
  for (const address of ["2001:db8:0:0:ffff::2", "2001:DB8::0:9", "::ffff:192.0.2.1", "::ffff:c000:202"]) {
    assertEquals(await statuses(app, 1, "/", undefined, from(address)), [429], address);
  }
});

Deno.test("a client keeps its count when a proxy writes the port of each connection beside its address", async () => {
  const app = limited({ limit: 1 }).set("trust proxy", 1);
  const through = (forwarded: string) => statuses(app, 1, "/", { headers: { "x-forwarded-for": forwarded } });
  assertEquals(await through("203.0.113.5:40001"), [200]);
  for (const other of ["203.0.113.5:40002", "203.0.113.5", "[::ffff:203.0.113.5]:40003", "::ffff:203.0.113.5:40004"]) {
    assertEquals(await through(other), [429], other);
  }
  assertEquals(await through("[2001:db8::1]:40001"), [200]);
  assertEquals(await through("[2001:db8::2]:40002"), [429]);
});

Deno.test("a key may come from anywhere in the request, at once or later", async () => {
  const keyed = limited({ limit: 1, keyGenerator: (req) => req.get("x-key") ?? "none" });
  assertEquals(await statuses(keyed, 2, "/", { headers: { "x-key": "a" } }), [200, 429]);
  assertEquals(await statuses(keyed, 1, "/", { headers: { "x-key": "b" } }), [200]);
  const later = limited({ limit: 2, keyGenerator: (req) => Promise.resolve(req.get("x-key")) });
  const all = await Promise.all(Array.from({ length: 50 }, () => ask(later, "/", { headers: { "x-key": "a" } })));
  assertEquals(all.filter(({ status }) => status === 200).length, 2);
});

Deno.test("requests that are skipped are neither counted nor limited", async () => {
  const app = limited({ limit: 1, skip: (req) => req.path === "/free" });
  assertEquals(await statuses(app, 3, "/free"), [200, 200, 200]);
  assertEquals(await statuses(app, 2), [200, 429]);
  const later = limited({ limit: 1, skip: async (req) => await Promise.resolve(req.path === "/free") });
  assertEquals(await statuses(later, 3, "/free"), [200, 200, 200]);
  assertEquals(await statuses(later, 2), [200, 429]);
});

Deno.test("onLimitReached is called for each limited request", async () => {
  const paths: string[] = [];
  const app = limited({ limit: 1, onLimitReached: (req) => void paths.push(req.path) });
  await statuses(app, 3, "/x");
  assertEquals(paths, ["/x", "/x"]);
});

Deno.test("functions of the options get the response, too", async () => {
  const reached: unknown[] = [];
  const app = limited({
    limit: 1,
    skip: (req, res) => (res.locals.user = req.query.user) === "root",
    keyGenerator: (_req, res) => res.locals.user,
    onLimitReached: (_req, res) => void reached.push(res.locals.user),
  });
  const seen = [];
  for (const user of ["a", "b", "a", "root", "root"]) seen.push(...await statuses(app, 1, `/?user=${user}`));
  assertEquals([seen, reached], [[200, 200, 429, 200, 200], ["a"]]);
});

Deno.test("functions that throw or reject make an error, never a free pass", async () => {
  const broken = () => {
    throw new Error("broken");
  };
  for (const name of ["keyGenerator", "skip", "onLimitReached"] as const) {
    assertEquals(await statuses(limited({ limit: 0, [name]: broken }), 1), [500], name);
    assertEquals(await statuses(limited({ limit: 0, [name]: () => Promise.reject(new Error("x")) }), 1), [500], name);
  }
});

Deno.test("a key that is not a string is an error that says what to do", async () => {
  for (const key of [undefined, "", 5, null]) {
    for (const later of [false, true]) {
      const app = limited({ keyGenerator: () => (later ? Promise.resolve(key) : key) as string });
      const response = await ask(app, "/", undefined, PEER);
      assertEquals(response.status, 500);
      assertStringIncludes(await response.text(), "keyGenerator must return a non-empty string");
    }
  }
});

Deno.test("a key that is missing because the client is unknown is an error that says so", async () => {
  const app = limited({ keyGenerator: (req) => req.get("x-customer") ?? req.ip });
  const response = await ask(app, "/", undefined, {});
  assertEquals(response.status, 500);
  const page = await response.text();
  assertStringIncludes(page, "address is unknown, too: pass the platform");
});

Deno.test("an unknown option is refused, with a list of those there are", () => {
  // deno-lint-ignore no-explicit-any -- the type checker would refuse them too
  const refused = (options: any) => assertThrows(() => rateLimit(options), TypeError).message;
  assertStringIncludes(
    refused({ nonsense: 5 }),
    "there is no option nonsense; there are windowMs, limit, max, message",
  );
  assertStringIncludes(
    refused({ windowMS: 5, store: {} }),
    "windowMS; did you mean windowMs?; there is no option store; rateLimit of @sluice/rate-limit has it",
  );
  assertStringIncludes(refused({ store: {} }), "there is no option store; rateLimit of @sluice/rate-limit has it");
  assertStringIncludes(
    refused({ limit: () => 5 }),
    "option limit must be a number; rateLimit of @sluice/rate-limit accepts a function",
  );
});

Deno.test("unknown clients share a count, and one warning names what is missing", async () => {
  const warnings = await warningsOf(async () => {
    assertEquals(await statuses(limited({ limit: 1 }), 3, "/", undefined, {}), [200, 429, 429]);
    assertEquals(await statuses(limited({ limit: 1 }), 1, "/", undefined, {}), [200]);
  });
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0]!, "trust proxy");
});

Deno.test("with missingKey 'error' an unknown client is an error, a known one is not", async () => {
  const app = limited({ missingKey: "error" });
  const response = await ask(app, "/", undefined, {});
  assertEquals(response.status, 500);
  assertStringIncludes(await response.text(), "the client&#39;s address is unknown");
  assertEquals(await statuses(app, 1), [200]);
});

Deno.test("limiters can be stacked: each counts by itself, and the headers are those of the tightest", async () => {
  const app = quietApp();
  app.use(rateLimit({ limit: 10 }));
  app.use("/api", rateLimit({ limit: 2 }));
  app.get("/api/x", rateLimit({ limit: 5 }), (_req, res) => res.send("in"));
  app.get("/y", (_req, res) => res.send("in"));
  const first = await ask(app, "/api/x", undefined, PEER);
  assertEquals([first.headers.get("x-ratelimit-limit"), first.headers.get("x-ratelimit-remaining")], ["2", "1"]);
  assertEquals(await statuses(app, 2, "/api/x"), [200, 429]);
  assertEquals(await statuses(app, 8, "/y"), [200, 200, 200, 200, 200, 200, 200, 429]);
});

Deno.test("limiters with equal options count apart", async () => {
  const app = quietApp();
  for (const path of ["/a", "/b"]) app.get(path, rateLimit({ limit: 1 }), (_req, res) => res.send("in"));
  assertEquals([await statuses(app, 2, "/a"), await statuses(app, 2, "/b")], [[200, 429], [200, 429]]);
});

Deno.test("refusing a request that was answered meanwhile is not an error", async () => {
  const app = quietApp();
  const errors: unknown[] = [];
  app.on("error", (error) => void errors.push(error));
  const { promise: key, resolve } = Promise.withResolvers<string>();
  const over = Promise.withResolvers<void>();
  app.use((_req, res, next) => {
    next();
    res.status(503).send("it took too long");
    resolve("key");
  });
  const limit = rateLimit({ limit: 0, keyGenerator: () => key });
  app.use(async (req, res, next) => {
    await limit(req, res, next);
    over.resolve();
  });
  const response = await app.handle(new Request("http://localhost/"));
  assertEquals([response.status, await response.text()], [503, "it took too long"]);
  await over.promise;
  assertEquals(errors, []);
});

Deno.test("limiters made inside requests with the same options share a count", async () => {
  const app = quietApp();
  const router = Router();
  router.use((req, res, next) => void rateLimit({ limit: 2, windowMs: 50_001 })(req, res, next));
  router.use((_req, res) => res.send("in"));
  app.use("/inside", router);
  app.use("/named", (req, res, next) => void rateLimit({ limit: 1, name: "other" })(req, res, next));
  app.use((_req, res) => res.send("in"));
  // the first limiter made inside a request causes a warning
  await warningsOf(async () => {
    assertEquals(await statuses(app, 4, "/inside"), [200, 200, 429, 429]);
    assertEquals(await statuses(app, 2, "/named"), [200, 429]);
  });
});

Deno.test("a limiter can reset one key or all, and tells how many it has", async () => {
  const limiter = rateLimit({ limit: 1 });
  const app = quietApp();
  app.use(limiter, (_req, res) => res.send("in"));
  await statuses(app, 1, "/", undefined, from("192.0.2.1"));
  await statuses(app, 1, "/", undefined, from("192.0.2.2"));
  assertEquals(limiter.size, 2);
  limiter.resetKey("192.0.2.1");
  assertEquals([limiter.size, await statuses(app, 1, "/", undefined, from("192.0.2.1"))], [1, [200]]);
  limiter.reset();
  assertEquals([limiter.size, await statuses(app, 1, "/", undefined, from("192.0.2.2"))], [0, [200]]);
});

const BAD: readonly (readonly [option: string, value: unknown, kind: typeof TypeError | typeof RangeError])[] = [
  ["windowMs", 0, RangeError],
  ["windowMs", -1, RangeError],
  ["windowMs", 1.5, RangeError],
  ["windowMs", NaN, RangeError],
  ["windowMs", Infinity, RangeError],
  ["windowMs", "60000", TypeError],
  ["limit", -1, RangeError],
  ["limit", 2.5, RangeError],
  ["limit", null, TypeError],
  ["statusCode", 99, RangeError],
  ["headers", "yes", TypeError],
  ["message", 7, TypeError],
  ["keyGenerator", "ip", TypeError],
  ["skip", true, TypeError],
  ["onLimitReached", {}, TypeError],
  ["maxKeys", 0, RangeError],
  ["ipv6Subnet", 129, RangeError],
  ["missingKey", "ignore", TypeError],
  ["store", {}, TypeError],
];

for (const [option, value, kind] of BAD) {
  Deno.test(`the option ${option}: ${String(value)} is refused, naming the option`, () => {
    assertThrows(() => rateLimit({ [option]: value }), kind, `option ${option}`);
  });
}

Deno.test("a function that throws undefined or another non-error lets no request past the limiter", async () => {
  for (const fails of THROWING_NOTHING) {
    for (const options of [{ skip: fails }, { keyGenerator: fails }, { onLimitReached: fails }]) {
      assertEquals(await statuses(limited({ limit: 0, ...options }), 1), [500]);
    }
  }
});
