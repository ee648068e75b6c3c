import sluice, { type FrameworkApp, type Request, type Response, Router, shedLoad } from "@sluice/sluice";
import { compress } from "@sluice/middleware/compress";
import { type Metrics, metrics, type MetricsOptions } from "@sluice/middleware/metrics";
import { Limiter, MemoryStore, rateLimit } from "@sluice/rate-limit";
import {
  AggregationTemporality,
  type DataPoint,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { metrics as registered } from "@opentelemetry/api";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { gunzipSync } from "node:zlib";
import prom from "prom-client";
import { until } from "../../tests/support/until.ts";

/** An application whose requests take 20 ms each, by its own clock. */
function measuredApp(options: Omit<MetricsOptions, "register"> = {}): { app: FrameworkApp; measured: Metrics } {
  let now = 0;
  const app = sluice().set("env", "test");
  const measured = metrics({ clock: () => now, ...options });
  app.use(measured);
  app.use((_req, _res, next) => {
    now += 20;
    next();
  });
  return { app, measured };
}

/** One metric's values, by labels. */
function valuesOf(text: string, name: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return Object.fromEntries(lines.map((line) => {
    const [, labels, value] = line.match(/^[^{ ]+(?:\{(.*)\})? (\S+)$/)!;
    return [labels ?? "", Number(value)];
  }));
}

const COUNT = "http_server_request_duration_seconds_count";

function kind(method: string, route: string, status: number | "aborted"): string {
  const statusClass = status === "aborted" ? status : `${Math.floor(status / 100)}xx`;
  const labels = `http_request_method="${method}",http_route="${route}",http_response_status_class="${statusClass}"`;
  return status === "aborted" ? labels : `${labels},http_response_status_code="${status}"`;
}

Deno.test("requests are counted by method, route and status", async () => {
  const { app, measured } = measuredApp();
  const members = Router();
  members.get("/:name", (_req, res) => res.send("found"));
  members.post("/:name", (_req, res) => res.sendStatus(201));
  app.use("/teams/:team", members);
  app.get("/fails", () => {
    throw new Error("on purpose");
  });
  app.get("/returned/:id", () => new Response("returned"));
  for (const path of ["/teams/1/ada", "/teams/2/bob", "/fails", "/none", "/none/either", "/returned/7"]) {
    await (await app.inject(path)).text();
  }
  await (await app.inject("/teams/1/ada", { method: "POST" })).text();
  assertEquals(valuesOf(measured.metrics(), COUNT), {
    [kind("GET", "/teams/:team/:name", 200)]: 2,
    [kind("GET", "/fails", 500)]: 1,
    [kind("GET", "", 404)]: 2,
    [kind("GET", "/returned/:id", 200)]: 1,
    [kind("POST", "/teams/:team/:name", 201)]: 1,
  });
});

Deno.test("durations are in buckets, each with all that took at most as long", async () => {
  const { app, measured } = measuredApp({ buckets: [0.01, 0.02, 1] });
  app.get("/", (_req, res) => res.send("home"));
  for (let i = 0; i < 3; i++) await (await app.inject("/")).text();
  const labels = kind("GET", "/", 200);
  assertEquals(valuesOf(measured.metrics(), "http_server_request_duration_seconds_bucket"), {
    [`${labels},le="0.01"`]: 0,
    [`${labels},le="0.02"`]: 3,
    [`${labels},le="1"`]: 3,
    [`${labels},le="+Inf"`]: 3,
  });
  assertEquals(valuesOf(measured.metrics(), "http_server_request_duration_seconds_sum"), { [labels]: 0.06 });
});

Deno.test("the page is what Prometheus reads, and counts the requests in flight", async () => {
  const { app, measured } = measuredApp();
  app.get("/metrics", measured.page);
  const response = await app.inject("/metrics");
  assertEquals(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assertEquals(response.headers.get("cache-control"), "no-store");
  const text = await response.text();
  assertEquals(valuesOf(text, "http_server_active_requests"), { 'http_request_method="GET"': 1 });
  assertEquals(valuesOf(measured.metrics(), "http_server_active_requests"), { 'http_request_method="GET"': 0 });
  for (const line of text.trimEnd().split("\n")) {
    assertMatch(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z_]+="([^"\\]|\\.)*",?)+\})? [\d.e+-]+)$/);
  }
});

Deno.test("at a path that ends with /metrics, a route's handler responds with the page, and elsewhere it measures", async () => {
  const { app, measured } = measuredApp();
  app.get("/metrics", measured).get("/internal/metrics/", measured);
  app.get("/measured", measured, (_req, res) => res.send("measured"));
  app.use("/team", Router().get("/metrics", measured));
  for (const path of ["/metrics", "/Metrics/", "/internal/metrics", "/team/metrics"]) {
    const response = await app.inject(path);
    assertEquals(response.headers.get("content-type"), measured.contentType);
    assertStringIncludes(await response.text(), "http_server_active_requests{");
  }
  assertEquals(await (await app.inject("/measured")).text(), "measured");
  assertEquals((await app.inject("/metrics", { method: "POST" })).status, 404);
});

Deno.test("a request counts once, however often the same metrics are registered in front of it", async () => {
  const { app, measured } = measuredApp();
  app.use("/inner", Router().use(measured).get("/", measured, (_req, res) => res.send("inside")));
  await (await app.inject("/inner")).text();
  assertEquals(valuesOf(measured.metrics(), COUNT), { [kind("GET", "/inner", 200)]: 1 });
  assertEquals(valuesOf(measured.metrics(), "http_server_active_requests"), { 'http_request_method="GET"': 0 });
});

Deno.test("a client that leaves before there is a response is counted as aborted", async () => {
  const { app, measured } = measuredApp();
  app.get("/slow", () => new Promise(() => {}));
  const aborting = new AbortController();
  // clients that offer HTTP/2 send it with each request
  const headers = { upgrade: "h2c" };
  const response = app.inject("/slow", { headers, signal: aborting.signal });
  aborting.abort();
  await response.catch(() => {});
  assertEquals(valuesOf(measured.metrics(), COUNT), { [kind("GET", "/slow", "aborted")]: 1 });
});

Deno.test("strangers cannot make series: unknown paths have no route, unknown methods one name", async () => {
  const { app, measured } = measuredApp();
  for (let i = 0; i < 20; i++) await (await app.inject(`/none/${i}`, { method: `X${i}` })).text();
  assertEquals(valuesOf(measured.metrics(), COUNT), { [kind("_OTHER", "", 404)]: 20 });
});

Deno.test("what a program writes into a path is escaped", async () => {
  const { app, measured } = measuredApp();
  app.get(/^\/a(?:"|\\)?$/, (_req, res) => res.send("found"));
  await (await app.inject("/a")).text();
  assertStringIncludes(measured.metrics(), String.raw`http_route="/^\\/a(?:\"|\\\\)?$/"`);
});

Deno.test("a WebSocket is in flight while it is open, and has no duration", async () => {
  const { app, measured } = measuredApp();
  app.ws("/live/:room", { open: (ws) => ws.send("hello") });
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const socket = new WebSocket(`ws://127.0.0.1:${server.address()!.port}/live/7`);
  await new Promise((resolve) => socket.onmessage = resolve);
  assertEquals(valuesOf(measured.metrics(), "http_server_active_requests"), { 'http_request_method="GET"': 1 });
  assertEquals(valuesOf(measured.metrics(), "websocket_connections"), { "": 1 });
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
  await app.close();
  assertEquals(valuesOf(measured.metrics(), "http_server_active_requests"), { 'http_request_method="GET"': 0 });
  assertEquals(valuesOf(measured.metrics(), COUNT), {});
});

Deno.test("open WebSockets are counted", async () => {
  const { app, measured } = measuredApp();
  app.connections.add({ send() {}, close() {} });
  await (await app.inject("/")).text();
  assertEquals(valuesOf(measured.metrics(), "websocket_connections"), { "": 1 });
});

Deno.test("limiters and shed load are shown under their names", async () => {
  const load = shedLoad({ maxPending: 1 });
  const login = rateLimit({ windowMs: 60_000, limit: 1, keyGenerator: () => "all" });
  const jobs = new Limiter({ windowMs: 60_000, limit: 5, store: new MemoryStore() });
  const { app, measured } = measuredApp({ load, limiters: { login: login.limiter, jobs } });
  app.use(load);
  app.get("/login", login, (_req, res) => res.send("welcome"));
  for (let i = 0; i < 3; i++) await (await app.inject("/login")).text();
  await jobs.consume("key");
  const requests = valuesOf(measured.metrics(), "rate_limit_requests_total");
  assertEquals(requests['rate_limit_name="login",outcome="admitted"'], 1);
  assertEquals(requests['rate_limit_name="login",outcome="limited"'], 2);
  assertEquals(requests['rate_limit_name="jobs",outcome="admitted"'], 1);
  assertEquals(valuesOf(measured.metrics(), "rate_limit_keys"), {
    'rate_limit_name="login"': 1,
    'rate_limit_name="jobs"': 1,
  });
  assertEquals(valuesOf(measured.metrics(), "shed_load_requests_total"), {
    'outcome="admitted"': 3,
    'outcome="refused",reason="eventLoopDelay"': 0,
    'outcome="refused",reason="pending"': 0,
    'outcome="refused",reason="heap"': 0,
  });
});

Deno.test("a process with OpenTelemetry gets the same figures under the names of its conventions", async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  registered.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  try {
    const login = rateLimit({ windowMs: 60_000, limit: 1, keyGenerator: () => "all" });
    const { app } = measuredApp({ limiters: { login: login.limiter } });
    app.get("/users/:id", login, (_req, res) => res.send("found"));
    for (let i = 0; i < 2; i++) await (await app.inject("/users/7")).text();
    await (await app.inject("/none")).text();
    // which reports nothing to OpenTelemetry
    await (await measuredApp({ openTelemetry: false }).app.inject("/silent")).text();
    await reader.forceFlush();
    const found = exporter.getMetrics().at(-1)!.scopeMetrics.find(({ scope }) => scope.name === "@sluice/middleware")!;
    const of = (name: string) => found.metrics.find(({ descriptor }) => descriptor.name === name)!;
    const durations = of("http.server.request.duration").dataPoints as DataPoint<Histogram>[];
    assertEquals(durations.map(({ attributes, value }) => [attributes, value.count, value.sum]), [
      [
        {
          "http.request.method": "GET",
          "url.scheme": "http",
          "http.route": "/users/:id",
          "http.response.status_code": 200,
        },
        1,
        0.02,
      ],
      [
        {
          "http.request.method": "GET",
          "url.scheme": "http",
          "http.route": "/users/:id",
          "http.response.status_code": 429,
        },
        1,
        0.02,
      ],
      [{ "http.request.method": "GET", "url.scheme": "http", "http.response.status_code": 404 }, 1, 0.02],
    ]);
    assertEquals(durations[0]!.value.buckets.boundaries.slice(0, 3), [0.005, 0.01, 0.025]);
    assertEquals(of("http.server.active_requests").dataPoints.map(({ value }) => value), [0]);
    const outcomes = of("rate_limit.requests").dataPoints.map((
      { attributes, value },
    ) => [attributes["outcome"], value]);
    assertEquals(Object.fromEntries(outcomes), { admitted: 1, limited: 1, shadowLimited: 0, skipped: 0 });
    assert(of("websocket.connections").dataPoints.length === 1);
  } finally {
    registered.disable();
    await reader.shutdown();
  }
});

Deno.test("options of metrics are checked", () => {
  const wrong: [unknown, string][] = [
    [{ buckets: [] }, "buckets"],
    [{ buckets: [1, 1] }, "buckets"],
    [{ buckets: [0, 1] }, "buckets"],
    [{ clock: 5 }, "clock"],
    [{ openTelemetry: 1 }, "openTelemetry"],
    [{ limiters: { login: () => {} } }, "limiters.login"],
    [{ limiters: null }, "limiters"],
    [{ load: {} }, "load"],
    [{ limits: {} }, "there is no option limits"],
    [null, "options must be an object"],
  ];
  for (const [options, message] of wrong) {
    const error = assertThrows(() => metrics(options as MetricsOptions), TypeError);
    assertMatch(error.message, new RegExp(`^metrics: .*${message}`));
  }
});

Deno.test("a meter provider that is incomplete or throws is reported once and fails no request", async () => {
  const broken = (): never => {
    throw new Error("the agent is broken");
  };
  const observable = { addCallback() {} };
  const meter = {
    createHistogram: () => ({ record() {} }),
    createUpDownCounter: () => ({ add() {} }),
    createObservableCounter: () => observable,
    createObservableGauge: () => observable,
  };
  const providers: [name: string, provider: unknown, reports: number][] = [
    ["that works", { getMeter: () => meter }, 0],
    ["without getMeter", {}, 1],
    ["whose getMeter throws", { getMeter: broken }, 1],
    ["whose meter lacks every method", { getMeter: () => ({}) }, 3],
    ["whose meter is missing", { getMeter() {} }, 1],
    ["whose histogram throws", { getMeter: () => ({ ...meter, createHistogram: () => ({ record: broken }) }) }, 1],
    ["whose counter throws", { getMeter: () => ({ ...meter, createUpDownCounter: () => ({ add: broken }) }) }, 1],
    ["whose gauge throws", { getMeter: () => ({ ...meter, createObservableGauge: broken }) }, 1],
    ["whose callback throws", { getMeter: () => ({ ...meter, createObservableGauge: () => ({}) }) }, 1],
  ];
  const key = Symbol.for("opentelemetry.js.api.1");
  const globals = globalThis as unknown as Record<symbol, unknown>;
  const before = globals[key];
  try {
    for (const [name, provider, count] of providers) {
      const phases: string[] = [];
      const { app, measured } = measuredApp();
      app.on("error", (_error, { phase }) => phases.push(phase));
      app.get("/", (_req, res) => res.send("found"));
      globals[key] = { metrics: provider };
      for (let times = 0; times < 3; times++) {
        assertEquals([name, await (await app.inject("/")).text()], [name, "found"]);
      }
      assertEquals([name, phases], [name, Array(count).fill("telemetry")]);
      assertEquals(valuesOf(measured.metrics(), COUNT), { [kind("GET", "/", 200)]: 3 });
    }
  } finally {
    globals[key] = before;
  }
});

Deno.test("the page has the figures of the process, as prom-client names them", async () => {
  const { measured } = measuredApp();
  const now = (name: string) => valuesOf(measured.metrics(), name)[""]!;
  const { rss, heapUsed } = Deno.memoryUsage();
  assert(now("process_resident_memory_bytes") > rss / 2 && now("process_resident_memory_bytes") < rss * 2);
  assert(now("nodejs_heap_size_used_bytes") > heapUsed / 4 && now("nodejs_heap_size_total_bytes") > heapUsed / 4);
  const start = now("process_start_time_seconds");
  assert(start < Date.now() / 1000 && start > Date.now() / 1000 - 3600, String(start));
  const cpu = now("process_cpu_seconds_total");
  await until(() => {
    measured.metrics();
    return now("process_cpu_seconds_total") > cpu;
  }, "the process takes CPU time");
  assert(now("process_cpu_user_seconds_total") + now("process_cpu_system_seconds_total") >= cpu);
});

Deno.test("a runtime without a process, or one that says 0 of it, has no such figures", () => {
  const names = () => [...measuredApp().measured.metrics().matchAll(/^(?:process|nodejs)_\w+/gm)].map(([name]) => name);
  const { process } = globalThis as unknown as { process: Record<"getBuiltinModule", (name: string) => unknown> };
  const load = process.getBuiltinModule;
  const zero = { rss: 0, heapTotal: 0, heapUsed: 0, external: 0 };
  const fails = (): never => {
    throw new Error("not implemented");
  };
  try {
    for (
      const instead of [undefined, {}, { memoryUsage: () => zero, uptime: () => 0, cpuUsage: fails }, {
        memoryUsage: fails,
      }]
    ) {
      process["getBuiltinModule"] = (name) => name === "node:process" ? instead : load(name);
      assertEquals(names(), []);
    }
    process["getBuiltinModule"] = () => ({ memoryUsage: () => ({ ...zero, rss: 1 }), uptime: fails, cpuUsage: fails });
    assertEquals(names(), ["process_resident_memory_bytes"]);
  } finally {
    process["getBuiltinModule"] = load;
  }
});

Deno.test("prom-client's metrics follow on the page, and each name is there once", async () => {
  const register = new prom.Registry();
  prom.collectDefaultMetrics({ register });
  const orders = new prom.Counter({
    name: "orders_total",
    help: "Orders",
    labelNames: ["kind"],
    registers: [register],
  });
  const measured = metrics({ register });
  const app = sluice().set("env", "test").use(measured);
  app.post("/orders", (_req, res) => (orders.inc({ kind: "book" }), res.sendStatus(201)));
  app.get("/metrics", measured.page);
  await (await app.inject("/orders", { method: "POST" })).text();
  const response = await app.inject("/metrics");
  const page = await response.text();
  assertEquals(response.headers.get("content-type"), prom.Registry.PROMETHEUS_CONTENT_TYPE);
  assertEquals(valuesOf(page, "orders_total"), { 'kind="book"': 1 });
  assertEquals(valuesOf(page, COUNT), { [kind("POST", "/orders", 201)]: 1 });
  const names = Array.from(page.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name!);
  assertEquals(names, [...new Set(names)]);
  assert(names.includes("process_cpu_seconds_total") && names.includes("nodejs_version_info"), names.join());
  assert(page.endsWith("\n") && !page.includes("\n\n\n"), page.slice(-100));
  assertEquals(valuesOf(await measured.metrics(), "orders_total"), { 'kind="book"': 1 });
});

Deno.test("register may be anything that returns such a text, at once or later", async () => {
  const measured = metrics({ register: { metrics: () => "jobs 7" } });
  const app = sluice().set("env", "test").get("/metrics", measured.page);
  assertMatch(await (await app.inject("/metrics")).text(), /\n# TYPE websocket_connections gauge\n(?:.*\n)*jobs 7\n$/);
  assertEquals(typeof measured.metrics(), "string");
});

Deno.test("a register that fails is an error of the page, and of no other request", async () => {
  const measured = metrics({ register: { metrics: () => Promise.reject(new Error("the gauge failed")) } });
  const app = sluice().set("env", "test").use(measured).get("/metrics", measured.page);
  app.get("/", (_req, res) => res.send("hello"));
  app.use((error: Error, _req: Request, res: Response, _next: unknown) => res.status(500).send(error.message));
  const page = await app.inject("/metrics");
  assertEquals([page.status, await page.text()], [500, "the gauge failed"]);
  assertEquals(await (await app.inject("/")).text(), "hello");
});

Deno.test("a slow register is asked once a second, however many read the page, and a failure is forgotten", async () => {
  let now = 0;
  const asked: PromiseWithResolvers<string>[] = [];
  const register = {
    metrics() {
      const answer = Promise.withResolvers<string>();
      asked.push(answer);
      return answer.promise;
    },
  };
  const measured = metrics({ register, clock: () => now });
  const app = sluice().set("env", "test").use(measured, compress({ threshold: 1 }));
  app.get("/metrics", measured.page);
  app.get("/", (_req, res) => res.send("hello"));
  const page = async () => {
    const response = await app.inject("/metrics", { headers: { "accept-encoding": "gzip" } });
    const body = await response.bytes();
    return [response.status, response.ok ? new TextDecoder().decode(gunzipSync(body)).split("\n").at(-2) : undefined];
  };
  const readers = Array.from({ length: 50 }, page);
  // requests do not wait for it
  assertEquals(await (await app.inject("/")).text(), "hello");
  assertEquals(asked.length, 1);
  asked[0]!.reject(new Error("the gauge failed"));
  for (const [status] of await Promise.all(readers)) assertEquals(status, 500);
  assertEquals((await page())[0], 500);
  now += 1000;
  const later = Array.from({ length: 50 }, page);
  await app.inject("/");
  assertEquals(asked.length, 2);
  asked[1]!.resolve("jobs 7\n");
  for (const read of await Promise.all(later)) assertEquals(read, [200, "jobs 7"]);
});

Deno.test("what is no register, or writes OpenMetrics, is refused", () => {
  for (const register of [{}, null, "register", prom.Counter]) {
    assertThrows(() => metrics({ register } as MetricsOptions), TypeError, "register must be prom-client's register");
  }
  const register = new prom.Registry();
  const measured = metrics({ register });
  // deno-lint-ignore no-explicit-any -- the types of prom-client know it for registries created with it only
  register.setContentType(prom.Registry.OPENMETRICS_CONTENT_TYPE as any);
  const advice = "register.setContentType(Registry.PROMETHEUS_CONTENT_TYPE)";
  assertThrows(() => metrics({ register }), TypeError, advice);
  assertThrows(() => measured.metrics(), TypeError, advice);
  assertThrows(() => metrics({ register: { metrics: () => 7 as never } }).metrics(), TypeError, "must return a string");
});

Deno.test("members of prom-client and of similar packages say what to write", () => {
  // deno-lint-ignore no-explicit-any -- what plain JavaScript may write
  const measured = metrics() as any;
  assertThrows(
    () => measured.counter({ name: "orders_total" }),
    TypeError,
    "there is no metrics().counter; count with",
  );
  assertThrows(() => measured.endpoint, TypeError, 'write app.use(measure).get("/metrics", measure.page)');
  assertEquals(Object.keys(measured).sort(), ["contentType", "metrics", "page"]);
});
