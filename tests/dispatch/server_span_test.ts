/** Spans started for requests that have no span yet. */
import { context, propagation, SpanKind, trace } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { assert, assertEquals } from "@std/assert";
import { HttpError } from "@sluice/sluice";
import { ask, quietApp } from "../support/app.ts";
import { until } from "../support/until.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";

const exporter = new InMemorySpanExporter();
/** The current test's sampler. */
let sampler: Sampler | undefined;
const sampling: Sampler = {
  shouldSample: (...asked) => sampler?.shouldSample(...asked) ?? { decision: SamplingDecision.RECORD_AND_SAMPLED },
  toString: () => "sampling",
};
new NodeTracerProvider({ sampler: sampling, spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
const tracer = trace.getTracer("test");

/** The spans ended since the last call, once there are this many. */
async function ended(count = 1): Promise<ReadableSpan[]> {
  await until(() => exporter.getFinishedSpans().length >= count, `${count} spans`);
  const spans = exporter.getFinishedSpans();
  exporter.reset();
  return spans;
}

function shown({ name, kind, attributes, status, events }: ReadableSpan): unknown {
  const { "exception.message": exception } = events[0]?.attributes ?? {};
  return { name, kind, attributes, isError: status.code === 2, ...exception !== undefined && { exception } };
}

Deno.test("a request for which no span is active gets one, with route, status and what the conventions ask for", async () => {
  const app = quietApp().get("/users/:id", (_req, res) => void res.json({}));
  const headers = { "host": "shop.example:8080", "user-agent": "me" };
  await ask(app, "/users/7?page=2&token=secret", { headers });
  const [span] = await ended();
  assertEquals(shown(span!), {
    name: "GET /users/:id",
    kind: SpanKind.SERVER,
    attributes: {
      "http.request.method": "GET",
      "url.scheme": "http",
      "url.path": "/users/7",
      "url.query": "page=2&token=[redacted]",
      "server.address": "shop.example",
      "server.port": 8080,
      "user_agent.original": "me",
      "http.route": "/users/:id",
      "http.response.status_code": 200,
    },
    isError: false,
  });
  assertEquals(span!.instrumentationScope.name, "@sluice/sluice");
});

Deno.test("a span has neither the secrets of a path nor methods that clients invent in its name", async () => {
  const app = quietApp().all("/reset/:token", (_req, res) => void res.end());
  await ask(app, "/reset/abc", { method: "BREW" });
  const [{ name, attributes }] = await ended() as [ReadableSpan];
  const { "url.path": path, "http.request.method": method, "http.request.method_original": original } = attributes;
  assertEquals([name, path, method, original], ["HTTP /reset/:token", "/reset/[redacted]", "_OTHER", "BREW"]);
});

Deno.test("a failure of the server is the span's, and one of the client is not", async () => {
  const app = quietApp();
  app.get("/fails", async () => {
    await undefined;
    throw new TypeError("out of order");
  });
  app.get("/missing", () => {
    throw new HttpError(404, "no such thing");
  });
  app.get("/busy", (_req, res) => void res.sendStatus(503));
  const outcomes: unknown[] = [];
  for (const path of ["/fails", "/missing", "/busy", "/nowhere"]) {
    await (await ask(app, path)).text();
    const [span] = await ended();
    const { "http.response.status_code": status, "error.type": type } = span!.attributes;
    const { isError, exception } = shown(span!) as { isError: boolean; exception?: string };
    outcomes.push([span!.name, status, type, isError, exception]);
  }
  assertEquals(outcomes, [
    ["GET /fails", 500, "TypeError", true, "out of order"],
    ["GET /missing", 404, undefined, false, undefined],
    ["GET /busy", 503, "503", true, undefined],
    ["GET", 404, undefined, false, undefined],
  ]);
});

Deno.test("the span continues the caller's trace, and is active in handlers, also behind a wait", async () => {
  const app = quietApp().use(async (_req, _res, next) => {
    await undefined;
    next();
  });
  app.get("/", async (_req, res) => {
    await tracer.startActiveSpan("query", async (span) => {
      await undefined;
      span.end();
    });
    const { spanId } = trace.getActiveSpan()!.spanContext();
    res.json({ spanId, baggage: propagation.getActiveBaggage()?.getEntry("tenant")?.value });
  });
  const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: "a=b", baggage: "tenant=ada" };
  const active = await (await ask(app, "/", { headers })).json();
  const [query, server] = await ended(2) as [ReadableSpan, ReadableSpan];
  const { traceId, spanId, traceState } = server.spanContext();
  assertEquals(active, { spanId, baggage: "ada" });
  assertEquals([traceId, server.parentSpanContext?.spanId, traceState?.serialize()], [TRACE, CALLER, "a=b"]);
  assertEquals([query.name, query.parentSpanContext?.spanId], ["query", spanId]);
  assertEquals(trace.getActiveSpan(), undefined);
});

Deno.test("the span ends with the last byte of the response", async () => {
  const app = quietApp().get("/", async (_req, res) => {
    res.write("first");
    await gate;
    res.end("last");
  });
  let open!: () => void;
  const gate = new Promise<void>((resolve) => open = resolve);
  const response = await ask(app, "/");
  const reader = response.body!.getReader();
  await reader.read();
  assertEquals(exporter.getFinishedSpans().length, 0);
  open();
  while (!(await reader.read()).done);
  assertEquals((await ended())[0]!.attributes["http.response.status_code"], 200);
});

Deno.test("a client that disconnects ends the span, as 499 if there was no response yet", async () => {
  const controller = new AbortController();
  const app = quietApp().get("/", () => new Promise(() => controller.abort()));
  await ask(app, "/", { signal: controller.signal }).catch(() => {});
  const [span] = await ended();
  assertEquals([span!.attributes["http.response.status_code"], span!.status.code], [499, 0]);
});

Deno.test("a span that is active already is the only one, recorded or not", async () => {
  const app = quietApp().get("/", (_req, res) => void res.end());
  await tracer.startActiveSpan("around", { kind: SpanKind.SERVER }, async (span) => {
    await ask(app, "/");
    span.end();
  });
  assertEquals((await ended()).map(({ name }) => name), ["GET /"]);
  // as instrumentations do for requests they are configured to ignore
  const ignored = trace.wrapSpanContext({ traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 });
  await context.with(trace.setSpan(context.active(), ignored), () => ask(app, "/"));
  assertEquals(exporter.getFinishedSpans(), []);
});

Deno.test("what a handler asks in process belongs to its span", async () => {
  const inner = quietApp().get("/inner", (_req, res) => void res.end());
  const app = quietApp().get("/outer", async (_req, res) => {
    await inner.inject("/inner");
    res.end();
  });
  await ask(app, "/outer");
  assertEquals((await ended()).map(({ name }) => name), ["GET /outer"]);
});

Deno.test("a sampler that decides against a request is asked with its attributes, and the handler's spans are dropped too", async () => {
  const asked: unknown[] = [];
  sampler = {
    shouldSample(_context, _traceId, name, kind, attributes) {
      asked.push([name, kind, attributes["url.path"]]);
      return new AlwaysOffSampler().shouldSample();
    },
    toString: () => "asked",
  };
  const app = quietApp().get("/health", (_req, res) => {
    res.json({ flags: trace.getActiveSpan()!.spanContext().traceFlags });
  });
  const { flags } = await (await ask(app, "/health")).json();
  sampler = undefined;
  assertEquals([flags, asked], [0, [["GET", SpanKind.SERVER, "/health"]]]);
  assert(exporter.getFinishedSpans().length === 0);
});
