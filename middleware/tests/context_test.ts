import pino from "pino";
import sluice, { type FrameworkRequest } from "@sluice/sluice";
import { context, currentRequest, requestFields } from "@sluice/middleware/context";
import { log, type LogOptions, type LogRecord } from "@sluice/middleware/log";
import { requestId, type RequestIdExtras, traceHeaders } from "@sluice/middleware/request-id";
import { assert, assertEquals, assertMatch, assertStrictEquals, assertThrows } from "@std/assert";

const quiet = () => sluice().set("env", "test");

/** An application with a logger, and its records and lines. */
function logged(options: LogOptions = {}) {
  const all: LogRecord[] = [];
  const lines: string[] = [];
  const sink = (line: string, record: LogRecord): void => {
    lines.push(line);
    all.push(record);
  };
  const logger = log({ stream: sink, ...options });
  const app = quiet().use(context(), logger, requestId({ generator: () => "id-1" }));
  return { app, logger, all, lines };
}

Deno.test("the current request is the request, with all that middleware puts on it, and nothing outside", async () => {
  const seen: unknown[] = [];
  const app = quiet().use(context());
  app.use((req, _res, next) => {
    req.user = { name: "Ada" };
    next();
  });
  app.get("/", async (req, res) => {
    await Promise.resolve();
    assertStrictEquals(currentRequest() as unknown, req);
    seen.push(currentRequest()?.user?.name);
    res.send("done");
  });
  await app.inject("/");
  assertEquals(seen, ["Ada"]);
  assertEquals([currentRequest(), requestFields(), traceHeaders()], [undefined, {}, {}]);
});

Deno.test("a request made within another has a context of its own", async () => {
  const inner = quiet().use(context()).get("/inner", (_req, res) => res.send(currentRequest()!.originalUrl));
  const app = quiet().use(context());
  app.get("/outer", async (_req, res) => {
    const within = await (await inner.inject("/inner")).text();
    res.json([within, currentRequest()!.originalUrl]);
  });
  assertEquals(await (await app.inject("/outer")).json(), ["/inner", "/outer"]);
});

Deno.test("mounting it again, also in a mounted application, changes nothing", async () => {
  const inner = quiet().use(context(), requestId()).get("/", (req, res) => {
    res.json([currentRequest()!.baseUrl, requestFields().id === (req as FrameworkRequest & RequestIdExtras).id]);
  });
  const app = quiet().use(context(), context()).use("/in", inner);
  assertEquals(await (await app.inject("/in")).json(), ["/in", true]);
});

Deno.test("what goes on after the response still knows its request", async () => {
  const late = Promise.withResolvers<unknown>();
  const app = quiet().use(context());
  app.get("/late", (_req, res) => {
    res.on("finish", () => queueMicrotask(() => late.resolve(currentRequest()?.originalUrl)));
    res.send("done");
  });
  await (await app.inject("/late")).text();
  assertEquals(await late.promise, "/late");
});

Deno.test("traceHeaders without an argument is of the current request, which must have a trace", async () => {
  const app = quiet().use(context(), requestId());
  app.get("/", (req, res) => res.json([traceHeaders(), traceHeaders(req)]));
  const [current, given] = await (await app.inject("/")).json();
  assertMatch(current.traceparent, /^00-/);
  assertEquals(current, given);
  const without = quiet().use(context()).get("/", () => traceHeaders());
  let reported: unknown;
  without.on("error", (error) => reported = error);
  assertEquals((await without.inject("/")).status, 500);
  assertMatch(String(reported), /the request has no trace; mount requestId\(\)/);
});

Deno.test("lines that a program writes have the id and the trace of their request", async () => {
  const { app, logger, all } = logged();
  const work = async () => {
    await Promise.resolve();
    logger.info("begun");
    logger.warn({ left: 2 }, "few left");
  };
  app.get("/", async (_req, res) => {
    await work();
    res.send("done");
  });
  await (await app.inject("/")).text();
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(all.length, 3);
  const [begun, few, request] = all;
  assertEquals([begun!.level, begun!.message, begun!.id], ["info", "begun", "id-1"]);
  assertEquals([few!.level, few!.message, few!.left, few!.id], ["warn", "few left", 2, "id-1"]);
  assert(typeof request!.traceId === "string");
  assertEquals([begun!.traceId, few!.traceId], [request!.traceId, request!.traceId]);
});

Deno.test("lines outside of requests have neither", () => {
  const { logger, lines } = logged();
  logger.info({ port: 3000 }, "listening");
  const { time, ...rest } = JSON.parse(lines[0]!);
  assertMatch(time, /Z$/);
  assertEquals(rest, { level: "info", message: "listening", port: 3000 });
});

Deno.test("an error may be the first argument, or the field error or err", () => {
  const { logger, all } = logged();
  const error = new RangeError("too much", { cause: new Error("of it") });
  logger.error(error);
  logger.error(error, "import failed");
  logger.warn({ error, shop: 7 }, "again");
  logger.warn({ err: error });
  assertEquals(all.map(({ message, shop }) => [message, shop]), [
    [undefined, undefined],
    ["import failed", undefined],
    ["again", 7],
    [undefined, undefined],
  ]);
  for (const one of all) {
    const { name, message, stack, cause } = one.error!;
    assertEquals([name, message, cause?.message], ["RangeError", "too much", "of it"]);
    assertMatch(stack!, /context_test/);
  }
});

Deno.test("secrets and line breaks of such lines are left out as of any other", () => {
  const { logger, lines } = logged();
  logger.info({ password: "hunter2", url: "postgres://ann:hunter2@db/" }, "at https://x.test/?token=hunter2\nforged");
  assertEquals(lines.length, 1);
  assert(!lines[0]!.includes("hunter2") && !lines[0]!.includes("\n"), lines[0]);
  const text = logged({ format: "text" });
  text.logger.warn({ step: 2 }, "line\nforged \x1b[2J");
  assertMatch(text.lines[0]!, /^\d\d:\d\d:\d\d line\\nforged \\u001b\[2J step=2$/);
});

Deno.test("the level holds for them, and nothing that they get makes them throw", () => {
  const { logger, all } = logged({ level: "warn" });
  logger.info("not written");
  // deno-lint-ignore no-explicit-any -- a value that the compiler rejects
  const loose = logger.warn as (...args: any[]) => void;
  for (const odd of [undefined, null, 7, Symbol("a"), () => 1]) loose(odd);
  assertEquals(all.length, 5);
  const { error } = console;
  const complaints: unknown[][] = [];
  console.error = (...args) => complaints.push(args);
  try {
    loose({
      get broken() {
        throw new Error("planted");
      },
    });
  } finally {
    console.error = error;
  }
  assertEquals([all.length, complaints.length], [5, 1]);
});

Deno.test("pino gets the message as such, and its own lines have the fields by a mixin", async () => {
  const written: string[] = [];
  const logger = pino({ mixin: requestFields }, { write: (line: string) => void written.push(line) });
  const requests = log({ stream: logger });
  const app = quiet().use(context(), requests, requestId({ generator: () => "id-1" }));
  app.get("/", (_req, res) => {
    logger.info("from pino");
    requests.warn({ left: 2 }, "from log");
    res.send("done");
  });
  await (await app.inject("/")).text();
  await new Promise((resolve) => setTimeout(resolve, 0));
  const seen = written.map((line) => JSON.parse(line)).map(({ level, id, msg, message, left }) => [
    level,
    id,
    msg,
    message,
    left,
  ]);
  assertEquals(seen, [
    [30, "id-1", "from pino", undefined, undefined],
    [40, "id-1", "from log", undefined, 2],
    [30, "id-1", "GET / 200", undefined, undefined],
  ]);
});

Deno.test("without AsyncLocalStorage, the error says what to do", () => {
  const { process } = globalThis as { process?: unknown };
  const storage = Symbol.for("sluice.requests");
  const shared = globalThis as Record<symbol, unknown>;
  const before = shared[storage];
  Object.assign(globalThis, { process: {} });
  delete shared[storage];
  try {
    assertThrows(() => context(), Error, "add nodejs_compat to compatibility_flags");
    assertEquals(currentRequest(), undefined);
  } finally {
    Object.assign(globalThis, { process });
    shared[storage] = before;
  }
});

Deno.test("members of express-http-context and AsyncLocalStorage say what to write", () => {
  // deno-lint-ignore no-explicit-any -- what plain JavaScript may call
  const guessed = context as any;
  for (const name of ["get", "set", "run", "getStore"]) {
    assertThrows(() => guessed[name]("id"), TypeError, "assign to req, and read currentRequest()");
  }
  assertThrows(() => guessed.middleware, TypeError, "there is no context.middleware; write app.use(context())");
});
