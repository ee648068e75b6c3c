import sluice, { type FrameworkApp, Router, shedLoad } from "@sluice/sluice";
import { health, type HealthOptions, type HealthReport } from "@sluice/middleware/health";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { virtualTimers } from "../../tests/support/virtual_timers.ts";

function checked(options?: HealthOptions): FrameworkApp {
  return sluice().set("env", "test").use(health(options));
}

async function ready(app: FrameworkApp): Promise<[number, HealthReport]> {
  const response = await app.inject("/readyz");
  return [response.status, await response.json()];
}

/** The same report without times. */
async function statuses(app: FrameworkApp): Promise<[number, string, Record<string, string>]> {
  const [status, report] = await ready(app);
  const checks = Object.entries(report.checks ?? {}).map(([name, { status }]) => [name, status]);
  return [status, report.status, Object.fromEntries(checks)];
}

Deno.test("a process lives and is ready, which no cache may keep", async () => {
  const app = checked();
  for (const path of ["/livez", "/readyz"]) {
    const response = await app.inject(path);
    const { status, headers } = response;
    assertEquals([status, headers.get("cache-control"), headers.get("content-type"), await response.json()], [
      ...[200, "no-store", "application/json; charset=utf-8", { status: "pass" }],
    ]);
  }
});

Deno.test("other paths and methods go on, and HEAD gets no body", async () => {
  const app = checked();
  app.all("/{*path}", (req, res) => res.send(`passed ${req.method}`));
  const text = async (path: string, method = "GET") => await (await app.inject(path, { method })).text();
  assertEquals(await text("/live"), "passed GET");
  assertEquals(await text("/readyz/x"), "passed GET");
  assertEquals(await text("/readyz", "POST"), "passed POST");
  const head = await app.inject("/readyz", { method: "HEAD" });
  assertEquals([head.status, head.headers.get("content-type"), await head.text()], [
    ...[200, "application/json; charset=utf-8", ""],
  ]);
});

Deno.test("probes can be mounted anywhere, and have paths of the program's own", async () => {
  const probes = health({ checks: { a: () => {} } });
  const app = sluice().use("/health", probes).use("/in", Router().use("/a/router", probes));
  app.get("/alive", probes.live).get("/healthz", probes.ready);
  const alive = ["/health/live", "/health/livez", "/in/a/router/live", "/alive"];
  for (const path of alive) assertEquals(await (await app.inject(path)).json(), { status: "pass" }, path);
  for (const path of ["/health/ready", "/health/readyz", "/in/a/router/ready", "/healthz"]) {
    assertEquals(Object.keys((await (await app.inject(path)).json()).checks), ["a"], path);
  }
});

/** Liveness runs no check; `null` if a different handler responded. */
async function probed(app: FrameworkApp, path: string, init?: RequestInit): Promise<"live" | "ready" | null> {
  const response = await app.inject(path, init);
  if (!response.headers.get("content-type")?.startsWith("application/json")) return null;
  return "checks" in await response.json() ? "ready" : "live";
}

Deno.test("as the handler of a route it always responds: with liveness if the path's last name says so", async () => {
  const probes = health({ checks: { a: () => {} } });
  const app = sluice().set("env", "test");
  app.get("/ready", probes).get("/live", probes).all("/status", probes).route("/in/livez").get(probes);
  app.get(["/a/live", "/a/other"], probes).get("/p/:probe", probes);
  app.use("/mounted/livez", Router().get("/", probes));
  for (const path of ["/live", "/LIVE/", "/in/livez", "/a/live", "/p/live", "/mounted/livez"]) {
    assertEquals(await probed(app, path), "live", path);
  }
  for (const path of ["/ready", "/ready/", "/status", "/a/other", "/p/healthz", "/p/livezz"]) {
    assertEquals(await probed(app, path), "ready", path);
  }
  assertEquals((await app.inject("/status", { method: "POST" })).status, 404);
});

Deno.test("mounted at the path of a probe it responds there, and nowhere else", async () => {
  const probes = health({ checks: { a: () => {} } });
  const app = sluice().set("env", "test");
  for (const at of ["/ready", "/livez", "/health", "/in/healthz", "/api", "/readyz/api"]) app.use(at, probes);
  app.use((_req, res) => void res.send("other"));
  for (const path of ["/livez", "/livez/", "/LiveZ", "/health/live", "/api/live", "/ready/livez"]) {
    assertEquals(await probed(app, path), "live", path);
  }
  for (const path of ["/ready", "/READY/", "/health", "/health?full", "/in/healthz/", "/api/ready"]) {
    assertEquals(await probed(app, path), "ready", path);
  }
  for (const path of ["/", "/api", "/api/", "/api/health", "/readyz/api", "/readyz", "/ready/x", "/health/healthz"]) {
    assertEquals(await probed(app, path), null, path);
  }
  assertEquals(await probed(app, "/ready", { method: "POST" }), null);
});

Deno.test("a route that called next does not make a probe of the request", async () => {
  const app = sluice().set("env", "test");
  app.get("/{*path}", (_req, _res, next) => next());
  app.use(health(), (_req, res) => void res.send("other"));
  assertEquals(await probed(app, "/anything"), null);
  assertEquals(await probed(app, "/livez"), "live");
});

Deno.test("the settings of routes apply to the path of a mount", async () => {
  const app = sluice().set("env", "test").enable("case sensitive routing");
  app.use("/:name", health({ checks: { a: () => {} } })).use((_req, res) => void res.send("other"));
  assertEquals([await probed(app, "/health"), await probed(app, "/Health")], ["ready", null]);
});

Deno.test("a check fails by throwing, by rejecting and with false; a critical one makes the process not ready", async () => {
  const app = checked({
    checks: {
      fine: () => Promise.resolve(),
      throws: () => {
        throw new Error("thrown");
      },
      rejects: { run: () => Promise.reject(new TypeError("rejected")), critical: false },
      wrong: { run: () => false, critical: false },
    },
  });
  const [status, { status: worst, checks }] = await ready(app);
  assertEquals([status, worst], [503, "fail"]);
  assertEquals(Object.entries(checks!).map(([name, { status, error }]) => [name, status, error]), [
    ["fine", "pass", undefined],
    ["throws", "fail", "thrown"],
    ["rejects", "warn", "rejected"],
    ["wrong", "warn", "the check returned false"],
  ]);
  assertMatch(checks!["fine"]!.time, /^\d{4}-.*Z$/);
  assertEquals(checks!["fine"]!.durationMs >= 0, true);
});

Deno.test("a check fails with an object whose ok is false, such as the Response of another service", async () => {
  const bodies: string[] = [];
  const service = (status: number): Response => {
    const body = new ReadableStream({ cancel: () => void bodies.push(`of ${status} discarded`) });
    return new Response(body, { status });
  };
  const app = checked({
    checks: {
      fine: () => service(200),
      down: () => Promise.resolve(service(503)),
      own: () => ({ ok: false }),
      info: () => ({ ok: true, latency: 3 }),
    },
  });
  const [status, { checks }] = await ready(app);
  assertEquals(status, 503);
  assertEquals(Object.entries(checks!).map(([name, { status, error }]) => [name, status, error]), [
    ["fine", "pass", undefined],
    ["down", "fail", "the check returned status 503"],
    ["own", "fail", "the check returned ok: false"],
    ["info", "pass", undefined],
  ]);
  assertEquals(bodies.sort(), ["of 200 discarded", "of 503 discarded"]);
});

Deno.test("a check that is not critical only warns", async () => {
  const app = checked({ checks: { a: { run: () => false, critical: false }, b: () => true } });
  assertEquals(await statuses(app), [200, "warn", { a: "warn", b: "pass" }]);
});

Deno.test("liveness runs no check", async () => {
  let runs = 0;
  const app = checked({ checks: { a: () => ++runs } });
  assertEquals([(await app.inject("/livez")).status, runs], [200, 0]);
});

Deno.test("a check has a time limit, after which its signal aborts", async () => {
  using time = virtualTimers();
  const seen: unknown[] = [];
  const never = (signal: AbortSignal) =>
    new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        seen.push(signal.reason.name);
        reject(signal.reason);
      })
    );
  const app = checked({ checks: { a: never, b: { run: never, timeoutMs: 50 } } });
  const response = ready(app);
  await time.advance(50);
  assertEquals(seen, ["TimeoutError"]);
  await time.advance(950);
  const [status, { checks }] = await response;
  assertEquals([status, checks!["a"]!.error, checks!["b"]!.error], [
    ...[503, ...[1000, 50].map((ms) => `no result within ${ms} ms; the check's AbortSignal was aborted`)],
  ]);
  assertEquals(time.pending, 0);
});

Deno.test("probes that come at once share a run, and those that come soon its result", async () => {
  let now = 0;
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const app = checked({ clock: () => now, cacheMs: 500, checks: { a: () => (runs++, promise) } });
  const first = [ready(app), ready(app), ready(app)];
  now = 400;
  resolve();
  await Promise.all(first);
  now = 899;
  const [, { checks }] = await ready(app);
  assertEquals([runs, checks!["a"]!.durationMs], [1, 400]);
  now = 900;
  await ready(app);
  assertEquals(runs, 2);
});

Deno.test("a check can have no cache", async () => {
  let runs = 0;
  const app = checked({ checks: { a: { run: () => ++runs, cacheMs: 0 } } });
  for (let i = 0; i < 3; i++) await ready(app);
  assertEquals(runs, 3);
});

Deno.test("a check that hangs is not begun again for ten times its limit, and then once", async () => {
  using time = virtualTimers();
  let now = 0;
  let runs = 0;
  const pass = async (ms: number) => {
    now += ms;
    await time.advance(ms);
  };
  const hanging = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run = () => hanging[runs++]?.promise;
  const app = checked({ clock: () => now, checks: { a: { run, timeoutMs: 100, cacheMs: 0 } } });
  const failed: Awaited<ReturnType<typeof statuses>> = [503, "fail", { a: "fail" }];
  const probe = async () => {
    const response = statuses(app);
    await pass(100);
    return await response;
  };
  for (let i = 0; i < 9; i++) assertEquals(await probe(), failed);
  assertEquals([await probe(), runs], [failed, 1]);
  assertEquals([await probe(), runs], [failed, 2]);
  // the first run settles late, and the second still hangs
  hanging[0]!.resolve();
  assertEquals([await probe(), runs], [failed, 2]);
  hanging[1]!.resolve();
  await time.advance(0);
  assertEquals([await probe(), runs], [[200, "pass", { a: "pass" }], 3]);
});

Deno.test("details of failures are shown outside of production, or as the option says", async () => {
  const error = async (env: string, details?: boolean) => {
    const checks = { a: () => Promise.reject(new Error("host db-1 refused")) };
    const app = checked({ checks, ...details === undefined ? {} : { details } }).set("env", env);
    app.on("error", () => {});
    return (await ready(app))[1].checks!["a"]!.error;
  };
  const shown = "host db-1 refused";
  assertEquals([await error("production"), await error("development")], [undefined, shown]);
  assertEquals([await error("production", true), await error("development", false)], [shown, undefined]);
});

Deno.test("a check that begins to fail is reported once, and again after it has passed", async () => {
  let isBroken = true;
  const checks = { a: { run: () => !isBroken, cacheMs: 0 } };
  const app = checked({ checks });
  const told: unknown[] = [];
  app.on("error", (error, { phase }) => told.push([error.message, phase]));
  for (const broken of [true, true, false, true, true]) {
    isBroken = broken;
    await ready(app);
  }
  const report = ["health: the check a fails: the check returned false", "background"];
  assertEquals(told, [report, report]);
});

Deno.test("a process is not ready from the moment that app.close is called, and runs no check any more", async () => {
  let runs = 0;
  const inner = checked({ checks: { a: { run: () => ++runs, cacheMs: 0 } } });
  const app = sluice().set("env", "test").use("/inner", inner);
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const probe = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${server.port}/inner${path}`);
    return [response.status, await response.json()];
  };
  assertEquals((await probe("/readyz"))[0], 200);
  const closing = app.close({ drainDelayMs: 2000 });
  assertEquals(await probe("/readyz"), [503, { status: "fail", closing: true }]);
  assertEquals(await probe("/livez"), [200, { status: "pass" }]);
  assertEquals(runs, 1);
  void app.close({ timeoutMs: 0 });
  await closing;
});

Deno.test("closing that begins while a check runs counts at once", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const app = checked({ checks: { a: () => promise } });
  app.listen({ port: 0, hostname: "127.0.0.1" });
  const response = ready(app);
  const closing = app.close({ drainDelayMs: 2000 });
  resolve();
  const [status, report] = await response;
  assertEquals([status, report.status, report.closing, report.checks!["a"]!.status], [503, "fail", true, "pass"]);
  void app.close({ timeoutMs: 0 });
  await closing;
});

Deno.test("load that is being shed is in the report, and makes a process not ready where it is asked for", async () => {
  for (const [options, status, worst] of [[{ loadCritical: true }, 503, "fail"], [{}, 200, "warn"]] as const) {
    const load = shedLoad({ maxPending: 1 });
    const app = checked({ load, ...options });
    app.use(load);
    const arrived = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    app.get("/", async (_req, res) => {
      arrived.resolve();
      await go.promise;
      res.send("done");
    });
    assertEquals((await ready(app))[0], 200);
    const pending = app.inject("/");
    await arrived.promise;
    const [overloaded, report] = await ready(app);
    assertEquals([overloaded, report.status, (report.load as { pending: number }).pending], [status, worst, 1]);
    go.resolve();
    await (await pending).text();
    assertEquals((await ready(app))[0], 200);
  }
});

Deno.test("options of health are checked", () => {
  const failing: [unknown, string][] = [
    [{ checks: 1 }, "health: option checks must be an object of functions by names, not 1"],
    [{ checks: { db: 1 } }, "health: checks.db must be a function or { run, timeoutMs, cacheMs, critical }, not 1"],
    [{ checks: { db: {} } }, "health: checks.db.run must be a function, not undefined"],
    [{ checks: { db: { run() {}, timeout: 1 } } }, "health: checks.db: there is no option timeout"],
    [{ checks: { db: { run() {}, timeoutMs: 0 } } }, "health: checks.db: option timeoutMs must be an integer from 1"],
    [{ load: {} }, "health: option load must be what shedLoad returned"],
    [{ cacheMs: -1 }, "health: option cacheMs"],
    [{ details: 1 }, "health: option details must be true or false"],
    [{ check: {} }, "health: there is no option check"],
  ];
  for (const [options, message] of failing) assertThrows(() => health(options as HealthOptions), Error, message);
});

Deno.test("what a check returns at once holds at once, and what it had to wait for holds for a second", async () => {
  let isDraining = false;
  let asked = 0;
  let now = 0;
  const checks = { draining: () => !isDraining, database: () => Promise.resolve(++asked) };
  const app = checked({ checks, clock: () => now });
  assertEquals((await ready(app))[0], 200);
  isDraining = true;
  assertEquals((await ready(app))[0], 503);
  assertEquals(asked, 1);
  isDraining = false;
  now = 1001;
  assertEquals([(await ready(app))[0], asked], [200, 2]);
});
