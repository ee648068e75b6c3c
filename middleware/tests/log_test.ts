import morgan from "morgan";
import pino from "pino";
import { pinoHttp } from "pino-http";
import sluice, { type FrameworkApp, type Handler, HttpError, Router, shedLoad } from "@sluice/sluice";
import { health } from "@sluice/middleware/health";
import { log, type LogOptions, type LogRecord } from "@sluice/middleware/log";
import { requestId } from "@sluice/middleware/request-id";
import { session } from "@sluice/middleware/session";
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";

/** A logging application, its lines and their records. */
function logged(
  options: LogOptions = {},
  env = "production",
): { app: FrameworkApp; lines: string[]; all: LogRecord[] } {
  const lines: string[] = [];
  const all: LogRecord[] = [];
  const sink = (line: string, record: LogRecord): void => {
    lines.push(line);
    all.push(record);
  };
  return { app: sluice().set("env", env).use(log({ stream: sink, ...options })), lines, all };
}

/** Runs everything that waits only for other code. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

async function ask(app: FrameworkApp, path: string, init?: RequestInit): Promise<Response> {
  const response = await app.inject(path, init);
  await response.text().catch(() => {});
  await settled();
  return response;
}

/** Returns what the console receives while a function runs. */
async function consoleOf(run: () => Promise<unknown>): Promise<{ out: unknown[][]; err: unknown[][] }> {
  const { log, error } = console;
  const out: unknown[][] = [];
  const err: unknown[][] = [];
  Object.assign(console, {
    log: (...args: unknown[]) => out.push(args),
    error: (...args: unknown[]) => err.push(args),
  });
  try {
    await run();
  } finally {
    Object.assign(console, { log, error });
  }
  return { out, err };
}

Deno.test("a request has one line of JSON when it is over", async () => {
  let now = 1000;
  const { app, lines } = logged({ clock: () => now });
  app.use(requestId({ generator: () => "id-1" }));
  app.get("/users/:name", (_req, res) => {
    now += 12.3456;
    res.json({ a: 1 });
  });
  await ask(app, "/users/ann?page=2", { headers: { "user-agent": "test/1" } });
  assertEquals(lines.length, 1);
  const { time, traceId, ...rest } = JSON.parse(lines[0]!);
  assertMatch(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assertMatch(traceId, /^[0-9a-f]{32}$/);
  assertEquals(rest, {
    level: "info",
    method: "GET",
    path: "/users/ann?page=2",
    route: "/users/:name",
    status: 200,
    durationMs: 12.346,
    bytes: 7,
    id: "id-1",
    ip: "127.0.0.1",
    userAgent: "test/1",
  });
});

Deno.test("the address of the client is logged, behind a trusted proxy that of its client", async () => {
  const { app, all } = logged();
  app.set("trust proxy", true);
  const info = { remoteAddr: { hostname: "10.0.0.1", port: 1, transport: "tcp" } };
  const request = () => new Request("http://localhost/", { headers: { "x-forwarded-for": "192.0.2.7" } });
  await app.fetch(request(), info);
  app.set("trust proxy", false);
  await app.fetch(request(), info);
  await settled();
  assertEquals(all.map(({ ip }) => ip), ["192.0.2.7", "10.0.0.1"]);
});

Deno.test("the route of a mounted router has its mount, and what matched none has none", async () => {
  const { app, all } = logged();
  app.use("/api", Router().get("/items/:id", (_req, res) => res.send("x")));
  app.use("/:tenant", Router().get("/fails", () => Promise.reject(new Error("broken"))));
  app.get("/passes", (_req, _res, next) => next());
  for (const path of ["/api/items/7", "/acme/fails", "/nowhere", "/passes"]) await ask(app, path);
  assertEquals(all.map(({ route, status }) => [route, status]), [
    ["/api/items/:id", 200],
    ["/:tenant/fails", 500],
    [undefined, 404],
    ["/passes", 404],
  ]);
});

Deno.test("every way of responding has a line, with the length of the body where it is known", async () => {
  const { app, all } = logged();
  app.get("/returned", () => new Response("1234"));
  app.get("/empty", (_req, res) => res.status(204).end());
  app.get("/stream", (_req, res) => {
    res.write("a");
    res.end("b");
  });
  app.get("/redirect", (_req, res) => res.redirect("/"));
  for (const path of ["/returned", "/empty", "/stream", "/redirect"]) await ask(app, path);
  await ask(app, "/redirect", { method: "HEAD" });
  assertEquals(all.map(({ method, status, aborted }) => [method, status, aborted]), [
    ["GET", 200, undefined],
    ["GET", 204, undefined],
    ["GET", 200, undefined],
    ["GET", 302, undefined],
    ["HEAD", 302, undefined],
  ]);
});

Deno.test("a request has one line, however often the same log is registered in front of it", async () => {
  const all: LogRecord[] = [];
  const requests = log({ stream: (_line, record) => void all.push(record) });
  const inner = sluice().use(requests).get("/", (_req, res) => res.json({}));
  await ask(sluice().use(requests).use("/inner", Router().use(requests, inner)), "/inner");
  assertEquals(all.map(({ route, status }) => [route, status]), [["/inner", 200]]);
});

Deno.test("a client that leaves has a line: 499 if there was no response yet", async () => {
  const { app, all } = logged();
  app.get("/waits", () => {});
  app.get("/begun", (_req, res) => void res.write("begun"));
  const leaving = new AbortController();
  const waiting = app.inject("/waits", { signal: leaving.signal });
  await new Promise((resolve) => setTimeout(resolve, 60));
  leaving.abort();
  await waiting;
  await (await app.inject("/begun")).body!.cancel();
  await settled();
  assertEquals(all.map(({ path, status, aborted, level }) => [path, status, aborted, level]), [
    ["/waits", 499, true, "info"],
    ["/begun", 200, true, "info"],
  ]);
});

Deno.test("an error that no handler took is in the line, with stack and causes, and not on the console", async () => {
  const { app, all } = logged();
  app.get("/fails", () => {
    throw Object.assign(new Error("broken", { cause: new TypeError("deeper") }), { code: "E_BROKEN" });
  });
  app.get("/refused", () => Promise.reject(new HttpError(409, "in conflict")));
  app.get("/thrown", () => {
    throw "only text";
  });
  const { err } = await consoleOf(async () => {
    for (const path of ["/fails", "/refused", "/thrown"]) await ask(app, path);
  });
  assertEquals(err, []);
  const [fails, refused, thrown] = all;
  assertEquals([fails!.level, fails!.status, fails!.error!.name, fails!.error!.message, fails!.error!.code], [
    ...["error", 500, "Error", "broken", "E_BROKEN"],
  ]);
  assertStringIncludes(fails!.error!.stack!, "log_test.ts");
  assertEquals([fails!.error!.cause!.name, fails!.error!.cause!.message], ["TypeError", "deeper"]);
  assertEquals([refused!.level, refused!.status, refused!.error], ["warn", 409, {
    name: "ConflictError",
    message: "in conflict",
  }]);
  assertEquals([thrown!.status, thrown!.error!.message], [500, "only text"]);
});

Deno.test("an error that a handler of the program takes is in the line with log's own error handler in front", async () => {
  const lines: LogRecord[] = [];
  const requests = log({ stream: (_line, record) => lines.push(record) });
  const app = sluice().use(requests);
  app.get("/", () => {
    throw new Error("taken");
  });
  app.use(requests.errors);
  app.use(
    ((_error, _req, res, _next) => res.status(500).send("sorry")) as (
      ...args: [unknown, ...Parameters<Handler>]
    ) => void,
  );
  assertEquals(await (await app.inject("/")).text(), "sorry");
  await settled();
  assertEquals(lines.map(({ status, error }) => [status, error!.message]), [[500, "taken"]]);
});

Deno.test("an error that ends a response before any of it was sent is an error, and the client has no status", async () => {
  const { app, all } = logged();
  app.use(session({ secret: "of at least 32 characters, for tests" }));
  app.get("/", (req, res) => {
    req.session.begun = true;
    res.write("waits for the session");
    throw new Error("planted");
  });
  await ask(app, "/");
  assertEquals(all.map(({ level, status, aborted, error }) => [level, status, aborted, error?.message]), [
    ["error", 499, true, "planted"],
  ]);
});

Deno.test("a stream that fails is an error, whatever the status was", async () => {
  const { app, all } = logged();
  app.get("/", () => new Response(new ReadableStream({ pull: (controller) => controller.error(new Error("cut")) })));
  await ask(app, "/");
  assertEquals(all.map(({ level, status, aborted, error }) => [level, status, aborted, error?.message]), [
    ["error", 200, true, "cut"],
  ]);
});

Deno.test("errors after the line, and of no request, have lines of their own", async () => {
  const { app, all } = logged();
  app.get("/", async (req, res) => {
    res.send("sent");
    req.waitUntil(Promise.reject(new Error("in the background")));
    await settled();
    throw new Error("too late");
  });
  await ask(app, "/");
  await settled();
  app.reportError(new Error("of the server"), { phase: "server" });
  app.reportError(new Error("of a client"), { phase: "connection" });
  const told = all.map(({ status, phase, error }) => [status, phase, error?.message]);
  assertEquals(
    told.sort(),
    [
      [200, undefined, undefined],
      [undefined, "background", "in the background"],
      [undefined, "handler", "too late"],
      [undefined, "server", "of the server"],
    ].sort(),
  );
});

Deno.test("slow requests are marked, and levels choose what is written", async () => {
  let now = 0;
  const { app, all } = logged({ slowMs: 100, level: "warn", clock: () => now });
  app.get("/fast", (_req, res) => res.send("x"));
  app.get("/slow", (_req, res) => {
    now += 101;
    res.send("x");
  });
  for (const path of ["/fast", "/slow", "/missing"]) await ask(app, path);
  assertEquals(all.map(({ path, slow, level }) => [path, slow, level]), [
    ["/slow", true, "warn"],
    ["/missing", undefined, "warn"],
  ]);
});

Deno.test("a sample is chosen by the request's id, and errors and slow requests are always written", async () => {
  const { app, all } = logged({ sample: 0.25 });
  let count = 0;
  app.use(requestId({ generator: () => `request-${++count}` }));
  app.get("/", (_req, res) => res.send("x"));
  app.get("/fails", (_req, res) => res.sendStatus(500));
  for (let i = 0; i < 1000; i++) await app.inject("/");
  await settled();
  assert(all.length > 200 && all.length < 300, `${all.length} of 1000`);
  assertEquals(all[0]!.sample, 0.25);
  const chosen = all.map(({ id }) => id);
  count = 0;
  all.length = 0;
  for (let i = 0; i < 1000; i++) await app.inject("/");
  await settled();
  assertEquals(all.map(({ id }) => id), chosen);
  all.length = 0;
  for (let i = 0; i < 20; i++) await app.inject("/fails");
  await settled();
  assertEquals(all.length, 20);
  const none = logged({ sample: 0 });
  await ask(none.app.get("/", (_req, res) => res.send("x")), "/");
  assertEquals(none.lines, []);
});

Deno.test("what a stranger sends cannot begin a line, nor reach a terminal, in either format", async () => {
  const evil = '\u009b31m\u2028\u202e\u0085"fake":1';
  for (const format of ["json", "text"] as const) {
    const { app, lines } = logged({
      format,
      fields: (req) => ({ agent: req.get("x-agent"), given: "\r\n\x1b[2Jx\x07" }),
    });
    app.get("/{*path}", () => {
      throw new HttpError(500, `no ${evil}\nGET /forged 200\x1b]0;title\x07`);
    });
    await ask(app, "/%0a%1b[31m\\", { headers: { "user-agent": "a\u0085b\u009bc", "x-agent": "\u0085\u009b" } });
    const text = lines.join("\n");
    // deno-lint-ignore no-control-regex -- matches control characters on purpose
    assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]/.exec(text), null);
    for (const line of text.split("\n").slice(1)) assertMatch(line, /^ {4}/);
    assertStringIncludes(text, "\\u009b");
    if (format === "json") assertEquals([text.split("\n").length, JSON.parse(text).given], [1, "\r\n\x1b[2Jx\x07"]);
  }
});

Deno.test("what a stranger sends is cut to a length", async () => {
  const { app, all } = logged();
  await ask(app, `/${"x".repeat(10_000)}`, { headers: { "user-agent": "y".repeat(10_000) } });
  assertEquals([all[0]!.path!.length, all[0]!.userAgent!.length], [2048, 256]);
});

Deno.test("values of secrets in the query are left out, however their names are written", async () => {
  const { app, all } = logged({ redact: ["email", "query.q"] });
  const query = "a=1&token=t&Access_Token=t&api-key=t&user[password]=t&pass%77ord=t&code=t&Email=t&q=t&b=2&token&%=1";
  await ask(app, `/?${query}`);
  const shown = "a=1&token=*&Access_Token=*&api-key=*&user[password]=*&pass%77ord=*&code=*&Email=*&q=*&b=2&token&%=1";
  assertEquals(all[0]!.path, `/?${shown.replaceAll("*", "[redacted]")}`);
  const none = logged({ query: false });
  await ask(none.app, "/path?a=1");
  assertEquals(none.all[0]!.path, "/path");
});

Deno.test("secrets in fields are left out by their names and by their paths", async () => {
  const { app, lines } = logged({
    redact: ["ip", "user.address.*", "list.*.name"],
    fields: (req) => ({
      headers: req.headers,
      web: new Headers({ authorization: "Bearer t", "x-own": "1" }),
      user: { password: "t", passwordHint: "t", name: "Ann", address: { street: "t", city: "t" }, apiKey: "t" },
      list: [{ name: "t", kind: "k" }],
      code: "E_FINE",
    }),
  });
  const headers = {
    "authorization": "t",
    "cookie": "t",
    "x-auth-token": "t",
    "proxy-authorization": "t",
    "x-own": "1",
  };
  app.get("/", (_req, res) => res.cookie("a", "t").send("x"));
  await app.fetch(new Request("http://localhost/", { headers }), { remoteAddr: { hostname: "10.9.8.7", port: 1 } });
  await settled();
  const record = JSON.parse(lines[0]!);
  const hidden = "[redacted]";
  assertEquals(record.ip, hidden);
  assertEquals({ ...record.headers, host: undefined }, {
    ...Object.fromEntries(Object.keys(headers).map((name) => [name, hidden])),
    "x-own": "1",
    host: undefined,
  });
  assertEquals(record.web, { authorization: hidden, "x-own": "1" });
  assertEquals(record.user, {
    password: hidden,
    passwordHint: hidden,
    name: "Ann",
    address: { street: hidden, city: hidden },
    apiKey: hidden,
  });
  assertEquals(record.code, "E_FINE");
  assertEquals(record.list, [{ name: hidden, kind: "k" }]);
});

Deno.test("fields may hold what JSON cannot: cycles, big integers, bytes, errors, dates", async () => {
  const cycle: Record<string, unknown> = { name: "c" };
  cycle["self"] = cycle;
  const date = new Date(0);
  const listed = { toJSON: () => ["a", { token: "t" }] };
  const { app, lines } = logged({
    fields: () => ({ cycle, big: 10n, bytes: new Uint8Array(3), error: new Error("e"), date, listed, run: () => 1 }),
  });
  await ask(app, "/");
  const record = JSON.parse(lines[0]!);
  assertStringIncludes(JSON.stringify(record.cycle), "[nested too deeply]");
  assertEquals([record.big, record.bytes, record.error, record.date, record.listed, record.run], [
    "10",
    "[3 bytes]",
    { name: "Error", message: "e" },
    "1970-01-01T00:00:00.000Z",
    ["a", { token: "[redacted]" }],
    undefined,
  ]);
});

Deno.test("fields that fail do not keep the line from being written", async () => {
  const thrown = logged({ fields: () => JSON.parse("{") });
  thrown.app.get("/", (_req, res) => res.send("x"));
  await ask(thrown.app, "/");
  assertEquals(thrown.all.map(({ level, status, error }) => [level, status, error!.name]), [[
    "error",
    200,
    "SyntaxError",
  ]]);
  const wrong = logged({ fields: () => 7 as never });
  await ask(wrong.app, "/");
  assertEquals(wrong.all[0]!.error!.message, "log: fields must return an object or undefined, not 7");
});

Deno.test("in development the line is for people, with the stack below", async () => {
  const { app, lines } = logged(
    { color: false, clock: () => 5, fields: () => ({ user: "ann", roles: ["a"] }) },
    "development",
  );
  app.get("/", (_req, res) => res.send("text"));
  app.get("/fails", () => {
    throw new Error("broken", { cause: new Error("deeper") });
  });
  await ask(app, "/?a=1");
  await ask(app, "/fails");
  assertMatch(lines[0]!, /^\d\d:\d\d:\d\d GET \/\?a=1 200 0 ms 4 B user=ann roles=\["a"\]$/);
  const [first, second, ...more] = lines[1]!.split("\n");
  assertMatch(first!, /^\d\d:\d\d:\d\d GET \/fails 500 0 ms \d+ B user=ann/);
  assertEquals(second, "    Error: broken");
  assert(more.includes("    caused by Error: deeper"));
});

Deno.test("colours are those of the status, and only where they are asked for or a terminal shows them", async () => {
  const coloured = logged({ color: true, format: "text" });
  const plain = logged({ format: "text" }, "development");
  for (const { app } of [coloured, plain]) {
    app.get("/:status", (req, res) => res.status(Number(req.params.status)).end());
    for (const status of [200, 302, 404, 500]) await ask(app, `/${status}`);
  }
  const colours = coloured.lines.map((line) => line.split("\x1b[")[3]!.slice(0, 6));
  assertEquals(colours, ["32m200", "36m302", "33m404", "31m500"]);
  assertEquals(plain.lines.join("").includes("\x1b"), false);
});

Deno.test("without a stream lines go to the console, but not from tests", async () => {
  const lines = async (env: string): Promise<number> => {
    const app = sluice().set("env", env).use(log());
    const { out } = await consoleOf(() => ask(app, "/"));
    return out.length;
  };
  assertEquals([await lines("production"), await lines("development"), await lines("test")], [1, 1, 0]);
});

Deno.test("a stream may be pino, a console, or a stream", async () => {
  const written: string[] = [];
  const stream = { write: (text: string) => void written.push(text) };
  const told: unknown[][] = [];
  const likeConsole = { info: (...args: unknown[]) => told.push(args), warn: (...args: unknown[]) => told.push(args) };
  for (const sink of [pino({}, stream), likeConsole, stream]) {
    const { app } = logged({ stream: sink });
    app.get("/", (_req, res) => res.send("x"));
    for (const path of ["/", "/missing"]) await ask(app, path);
  }
  const lines = written.map((text) => JSON.parse(text));
  assert(written.every((text) => text.endsWith("}\n")));
  assertEquals(lines.map(({ level, status, msg }) => [level, status, msg]), [
    [30, 200, "GET / 200"],
    [40, 404, "GET /missing 404"],
    ["info", 200, undefined],
    ["warn", 404, undefined],
  ]);
  assertEquals(told.map(([line, ...others]) => [JSON.parse(line as string).level, others.length]), [["info", 0], [
    "warn",
    0,
  ]]);
});

Deno.test("pino-http and morgan work as they are", async () => {
  const lines: string[] = [];
  const stream = { write: (text: string) => void lines.push(text) };
  const app = sluice().set("env", "test");
  app.use(morgan("tiny", { stream }) as unknown as Handler, pinoHttp({}, stream) as unknown as Handler);
  app.get("/", (_req, res) => res.status(201).send("x"));
  await ask(app, "/");
  const [json, tiny] = lines.sort().reverse();
  assertMatch(tiny!, /^GET \/ 201 1 - [\d.]+ ms\n$/);
  const { req, res } = JSON.parse(json!);
  assertEquals([req.method, req.url, res.statusCode], ["GET", "/", 201]);
});

Deno.test("a stream that fails does not fail the request, and is told to the console", async () => {
  const sinks = [() => Promise.reject(new Error("disk full")), () => {
    throw new Error("disk full");
  }];
  for (const sink of sinks) {
    const { app } = logged({ stream: sink });
    app.get("/", () => {
      throw new Error("too");
    });
    const { err } = await consoleOf(async () => assertEquals((await ask(app, "/")).status, 500));
    assertEquals(err.map(([text, error]) => [text, (error as Error).message]), [[
      "log: the stream failed:",
      "disk full",
    ]]);
  }
});

Deno.test("a WebSocket has its line when it closes", async () => {
  const { app, all } = logged();
  app.ws("/live", { open: (ws) => ws.send("hello") });
  const server = app.listen({ port: 0, hostname: "127.0.0.1" });
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/live`);
  await new Promise((resolve) => socket.onmessage = resolve);
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
  await app.close({ timeoutMs: 1000 });
  await settled();
  assertEquals(all.map(({ path, status, aborted, level }) => [path, status, aborted, level]), [
    ["/live", 101, undefined, "info"],
  ]);
});

Deno.test("requests that shedLoad refuses are counted in a line, at most every ten seconds", async () => {
  let now = 0;
  const load = shedLoad({ maxPending: 1, maxEventLoopDelayMs: Infinity, clock: () => now });
  const { promise, resolve } = Promise.withResolvers<void>();
  const all: LogRecord[] = [];
  const app = sluice().set("env", "production").use(load);
  app.use(
    log({ load, clock: () => now, stream: (_line: string, record: LogRecord) => void all.push(record) }),
    health(),
  );
  app.get("/slow", async (_req, res) => {
    await promise;
    res.send("slow");
  });
  const slow = app.inject("/slow");
  let refused = 0;
  for (let i = 0; i < 300; i++) {
    now += 100;
    for (let n = 0; n < 7; n++) if ((await app.inject("/slow")).status === 503) refused++;
    if (i % 10 === 9) await ask(app, "/livez");
  }
  resolve();
  await (await slow).text();
  const lines = all.filter((record) => record.refused !== undefined);
  assertEquals(lines.map(({ level, refused }) => [level, refused]), [
    ["warn", { pending: 70 }],
    ["warn", { pending: 700 }],
    ["warn", { pending: 700 }],
  ]);
  assertEquals(refused, 2100);
  now += 10_000;
  await ask(app, "/livez");
  await ask(app, "/livez");
  assertEquals(all.filter(({ refused }) => refused !== undefined).at(-1)!.refused, { pending: 630 });
});

Deno.test("options of log are checked", () => {
  const failing: [unknown, string][] = [
    [{ stream: 7 }, "log: option stream must be a function, a logger with a method info, or a stream"],
    [{ format: "xml" }, 'log: option format must be "json" or "text"'],
    [{ level: "debug" }, 'log: option level must be "info", "warn" or "error"'],
    [{ sample: 2 }, "log: option sample must be a number from 0 to 1, not 2"],
    [{ slowMs: -1 }, "log: option slowMs"],
    [{ redact: "email" }, "log: option redact must be a list of names and paths"],
    [{ load: {} }, "log: option load must be what shedLoad returned"],
    [{ fields: {} }, "log: option fields must be a function"],
    [{ color: 1 }, "log: option color must be true or false"],
    [{ colour: true }, "log: there is no option colour"],
  ];
  for (const [options, message] of failing) assertThrows(() => log(options as LogOptions), Error, message);
});

Deno.test("req.log writes lines with the request's id and redaction, and leaves another logger alone", async () => {
  const { app, all } = logged({ format: "json" });
  app.use(requestId({ generator: () => "id-7" }));
  app.get("/", (req, res) => {
    req.log.info({ amount: 7, password: "p" }, "paid");
    req.log.error(new Error("failed"));
    res.send("ok");
  });
  await (await app.inject("/")).text();
  const lines = all.map(({ id, level, message }) => [id, level, message]);
  assertEquals(lines.slice(0, 2), [["id-7", "info", "paid"], ["id-7", "error", undefined]]);
  assertEquals(JSON.stringify(all).includes('"p"'), false);
  const theirs = { info() {} };
  const other = sluice().set("env", "test").use((req, _res, next) => {
    req.log = theirs;
    next();
  });
  other.use(log({ stream: () => {} })).get("/", (req, res) => res.json(req.log === theirs));
  assertEquals(await (await other.inject("/")).json(), true);
});

Deno.test("fields may follow the message, as in console and winston, and nothing of a line is lost", () => {
  const all: LogRecord[] = [];
  const logger = log({ stream: (_line: string, record: LogRecord) => all.push(record) });
  logger.warn("almost sold out", { book: 7, token: "a" });
  logger.warn({ book: 7, token: "a" }, "almost sold out");
  logger.error("not reserved:", new Error("sold out"));
  logger.error("not reserved:", { err: new Error("sold out") });
  const given = logger.info as (...given: unknown[]) => void;
  given("took", 5, "ms", { book: 7 }, undefined);
  given("failed", { message: "late" });
  given(new Error("one"), new Error("other"));
  given(JSON.parse('{"__proto__":{"error":"a"}}'), "a form");
  const shown = all.map(({ time: _time, error, ...record }) => ({ ...record, ...error && { error: error.message } }));
  const soldOut = { level: "warn", message: "almost sold out", book: 7, token: "[redacted]" };
  const failed = { level: "error", message: "not reserved:", error: "sold out" };
  assertEquals(JSON.parse(JSON.stringify(shown.slice(0, 7))), [
    soldOut,
    soldOut,
    failed,
    failed,
    { level: "info", message: "took 5 ms", book: 7 },
    { level: "info", message: "failed late" },
    { level: "info", message: "Error: other", error: "one" },
  ]);
  assertEquals(shown[7]!.message, "a form");
});

Deno.test("pino's messageKey says what to write, and works there", () => {
  assertThrows(
    () => log({ messageKey: "msg" } as LogOptions),
    TypeError,
    'there is no option messageKey; the key is "message"; to rename it, use stream: pino({ messageKey })',
  );
  const lines: string[] = [];
  log({ stream: pino({ messageKey: "said" }, { write: (line: string) => lines.push(line) }) }).info("hello", { a: 1 });
  const { said, a } = JSON.parse(lines[0]!);
  assertEquals([said, a], ["hello", 1]);
});

Deno.test("members of pino's loggers say what to write", async () => {
  const { app } = logged();
  app.get("/", (req, res) => res.send(assertThrows(() => req.log.debug("a"), TypeError).message));
  assertEquals(await (await app.inject("/")).text(), "there is no req.log.debug; write .info(message, fields)");
  // deno-lint-ignore no-explicit-any -- what plain JavaScript may write
  assertThrows(() => (log() as any).child({ book: 7 }), TypeError, "there is no log().child; pass the fields with");
});
