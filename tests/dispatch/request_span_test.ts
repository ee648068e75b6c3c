/** Routes and errors on the OpenTelemetry span that is active when a request arrives. */
import { context, createContextKey, type Span, SpanKind, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { assertEquals } from "@std/assert";
import { type ErrorHandler, type FrameworkApp, HttpError, Router } from "@sluice/sluice";
import { ask, quietApp } from "../support/app.ts";

const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
const tracer = trace.getTracer("test");

/** A span's final state. */
interface Said {
  readonly name: string;
  readonly route: unknown;
  /** Whether it has an error status. */
  readonly isError: boolean;
  /** Exception messages. */
  readonly exceptions: unknown[];
}

/** Sends a request as an instrumented server does, and returns the server span's final state. */
async function spanOf(app: FrameworkApp, path: string, init: RequestInit = {}): Promise<Said> {
  const method = init.method ?? "GET";
  const ended = await tracer.startActiveSpan(method, { kind: SpanKind.SERVER }, async (span) => {
    await ask(app, path, init).then((response) => response.text()).catch(() => {});
    span.end();
    return span;
  });
  return said(ended);
}

function said(span: Span): Said {
  const { spanId } = span.spanContext();
  const { name, attributes, status, events } = exporter.getFinishedSpans().find((one) =>
    one.spanContext().spanId === spanId
  )!;
  const exceptions = events.map(({ attributes }) => attributes!["exception.message"]);
  return { name, route: attributes["http.route"], isError: status.code === 2, exceptions };
}

async function nameOf(app: FrameworkApp, path: string, init?: RequestInit): Promise<string> {
  const { name, route } = await spanOf(app, path, init);
  assertEquals(route, name.includes(" ") ? name.slice(name.indexOf(" ") + 1) : undefined);
  return name;
}

Deno.test("the span of a request is named after its method and the route, with the paths of all mounts", async () => {
  const posts = new Router().get("/posts/:post", (_req, res) => void res.end());
  const users = new Router().use("/:id", posts).get("/", (_req, res) => void res.end());
  const other = quietApp().use("/users", users);
  const app = quietApp().use("/api", users).use(["/v1", "/v2/:tenant"], other).get("/", (_req, res) => void res.end());
  app.route("/things/:thing").all(() => new Response("")).put(() => new Response(""));
  const paths = ["/", "/api", "/api/7/posts/9", "/v1/users/7/posts/9", "/v2/acme/users/", "/things/3?q=1"];
  assertEquals(await Promise.all(paths.map((path) => nameOf(app, path))), [
    "GET /",
    "GET /api",
    "GET /api/:id/posts/:post",
    "GET /v1/users/:id/posts/:post",
    "GET /v2/:tenant/users",
    "GET /things/:thing",
  ]);
});

Deno.test("of several paths the span has the one that matched, and a RegExp as it was written", async () => {
  const app = quietApp().get(["/a", "/b/:id", /^\/c+$/], async (_req, res) => {
    await undefined;
    res.end();
  });
  app.use(/\/mount(?:ed)?/, new Router().get("/in", (_req, res) => void res.end()));
  assertEquals(
    await Promise.all(["/a", "/b/7", "/ccc", "/mounted/in"].map((path) => nameOf(app, path))),
    ["GET /a", "GET /b/:id", "GET /^\\/c+$/", "GET /\\/mount(?:ed)?/in"],
  );
});

Deno.test("the method is the one that the client sent, and HTTP if it is none of the standard ones", async () => {
  const app = quietApp().use((req, _res, next) => {
    if (req.get("x-method")) req.method = req.get("x-method")!;
    next();
  }).all("/any", (_req, res) => void res.end()).get("/got", (_req, res) => void res.end());
  assertEquals(await nameOf(app, "/got", { method: "HEAD" }), "HEAD /got");
  assertEquals(await nameOf(app, "/got", { method: "POST", headers: { "x-method": "GET" } }), "POST /got");
  assertEquals(await nameOf(app, "/any", { method: "BREW" }), "HTTP /any");
});

Deno.test("without a route that responds the name stays as it is", async () => {
  const app = quietApp().all("/guarded/*rest", (_req, _res, next) => next());
  app.use("/guarded/files", (_req, res) => void res.end("a middleware responds"));
  app.get("/only/get", (_req, res) => void res.end());
  assertEquals(await nameOf(app, "/nowhere"), "GET");
  assertEquals(await nameOf(app, "/guarded/nothing"), "GET");
  assertEquals(await nameOf(app, "/guarded/files"), "GET");
  assertEquals(await nameOf(app, "/only/get", { method: "OPTIONS" }), "OPTIONS");
});

Deno.test("what runs after the response does not rename it", async () => {
  const app = quietApp().get("/first", (_req, res, next) => {
    res.end();
    next();
  });
  app.use((_req, _res, next) => next()).get("/:second", (_req, _res, next) => next());
  assertEquals(await nameOf(app, "/first"), "GET /first");
});

Deno.test("a rewritten URL leads to the name of the route it was rewritten to", async () => {
  const app = quietApp().use((req, _res, next) => {
    req.url = req.url.replace("/old/", "/new/");
    next();
  }).get(["/new/:id", "/newest/:id"], (_req, res) => void res.end());
  assertEquals(await nameOf(app, "/old/7"), "GET /new/:id");
});

Deno.test("an error is recorded when the server is to blame for it, whoever handles it", async () => {
  const app = quietApp();
  app.get("/thrown/:how", () => {
    throw new TypeError("thrown");
  });
  app.get("/rejected", async () => {
    await undefined;
    throw "only a text";
  });
  app.get(["/handled", "/recovered"], (req, _res, next) => next(new Error(req.path)));
  const handles: ErrorHandler = (error, _req, res, _next) => {
    res.status((error as Error).message === "/handled" ? 503 : 200).end();
  };
  app.use(["/handled", "/recovered"], handles);
  app.get("/missing", () => {
    throw new HttpError(404, "no such thing");
  });
  app.get("/busy", (_req, res) => void res.sendStatus(503));
  app.get("/param/:value", (_req, res) => void res.end());
  assertEquals(await spanOf(app, "/thrown/7"), {
    ...{ name: "GET /thrown/:how", route: "/thrown/:how", isError: true, exceptions: ["thrown"] },
  });
  const outcomes = ["/rejected", "/handled", "/recovered", "/missing", "/busy", "/param/%E0"].map(async (path) => {
    const { name, isError, exceptions } = await spanOf(app, path);
    return [name, isError, exceptions];
  });
  assertEquals(await Promise.all(outcomes), [
    ["GET /rejected", true, ["only a text"]],
    ["GET /handled", true, ["/handled"]],
    ["GET /recovered", false, []],
    ["GET /missing", false, []],
    ["GET /busy", true, []],
    ["GET", false, []],
  ]);
});

Deno.test("an error that cuts a response which has begun is recorded at once", async () => {
  const app = quietApp().get("/cut", (_req, res, next) => {
    res.write("half of it");
    next(new Error("the other half is missing"));
  });
  app.get("/late", (_req, res) => {
    res.end("complete");
    throw new Error("afterwards");
  });
  assertEquals(await spanOf(app, "/cut"), {
    ...{ name: "GET /cut", route: "/cut", isError: true, exceptions: ["the other half is missing"] },
  });
  assertEquals(await spanOf(app, "/late"), {
    ...{ name: "GET /late", route: "/late", isError: false, exceptions: ["afterwards"] },
  });
});

Deno.test("spans that a middleware begins, and requests that a handler makes in process, get no name", async () => {
  const inner = quietApp().get("/inner/:id", (_req, res) => void res.end());
  const app = quietApp();
  const own: Span[] = [];
  app.get("/outer/:id", async (_req, _res, next) => {
    await ask(inner, "/inner/7");
    next();
  });
  app.use((_req, _res, next) =>
    tracer.startActiveSpan("own", (span) => {
      own.push(span);
      next();
      span.end();
    })
  );
  app.get("/outer/:number", (_req, res) => void res.end());
  assertEquals(await nameOf(app, "/outer/7"), "GET /outer/:number");
  assertEquals(own.map(said), [{ name: "own", route: undefined, isError: false, exceptions: [] }]);
});

Deno.test("instrumentations of servers get the route for their metrics", async () => {
  const metadata: { route?: string } = {};
  // as setRPCMetadata from @opentelemetry/core does
  const key = createContextKey("OpenTelemetry SDK Context Key RPC_METADATA");
  const app = quietApp().get("/users/:id", (_req, res) => void res.end());
  await context.with(context.active().setValue(key, metadata), () => spanOf(app, "/users/7"));
  assertEquals(metadata, { route: "/users/:id" });
});

Deno.test("a span that is not recorded is left alone, and so is a process without spans", async () => {
  const calls: string[] = [];
  const span = new Proxy({}, {
    get: (_, name) => (): boolean => {
      calls.push(String(name));
      return false;
    },
  });
  const app = quietApp().get("/users/:id", (_req, res) => void res.end("here"));
  const response = await context.with(trace.setSpan(context.active(), span as Span), () => ask(app, "/users/7"));
  assertEquals(await response.text(), "here");
  assertEquals(calls, ["isRecording"]);
  assertEquals(await (await ask(app, "/users/7")).text(), "here");
});
