/** `requestId` and `traceHeaders` with an active OpenTelemetry trace. */
import { context, trace } from "@opentelemetry/api";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import sluice, { type FrameworkApp, type Request } from "@sluice/sluice";
import { requestId, type RequestIdExtras, traceHeaders } from "@sluice/middleware/request-id";
import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";

type Named = Request & RequestIdExtras;

new NodeTracerProvider().register();
const tracer = trace.getTracer("test");
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const SENT = { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: "a=b" };

function quiet(): FrameworkApp {
  return sluice().set("env", "test");
}

Deno.test("the trace of a request is that of its span, for the log and for what it asks of others", async () => {
  const app = quiet().use(requestId({ useTraceId: true }));
  app.get("/", (req, res) => {
    const { traceId, spanId } = trace.getActiveSpan()!.spanContext();
    const { id, trace: own } = req as Named;
    res.json({ id, own, active: { traceId, spanId }, headers: traceHeaders(req) });
  });
  const { id, own, active, headers } = await (await app.inject("/", { headers: SENT })).json();
  assertEquals(own, { ...active, sampled: true, state: "a=b" });
  assertEquals([id, active.traceId], [TRACE, TRACE]);
  assertEquals(headers, { traceparent: `00-${TRACE}-${active.spanId}-01`, tracestate: "a=b" });
});

Deno.test("a trusted caller whose trace the span continues is its parent", async () => {
  const app = quiet().use(requestId({ trust: true })).get("/", (req, res) => void res.json((req as Named).trace));
  assertEquals((await (await app.inject("/", { headers: SENT })).json()).parentId, CALLER);
});

Deno.test("in a span of the handler, traceHeaders continues that one", async () => {
  const app = quiet().use(requestId()).get("/", (req, res) =>
    tracer.startActiveSpan("stock", (span) => {
      res.json({ spanId: span.spanContext().spanId, headers: traceHeaders(req), trace: (req as Named).trace });
      span.end();
    }));
  const { spanId, headers, trace: own } = await (await app.inject("/")).json();
  assertEquals(headers.traceparent, `00-${own.traceId}-${spanId}-01`);
  assertNotEquals(spanId, own.spanId);
});

Deno.test("a span of another trace, such as that of a queue, does not get what the request asks of others", async () => {
  const other = trace.wrapSpanContext({ traceId: "1".repeat(32), spanId: "2".repeat(16), traceFlags: 1 });
  const app = quiet().use(requestId()).get("/", (req, res) => {
    const headers = context.with(trace.setSpan(context.active(), other), () => traceHeaders(req));
    res.json({ headers, trace: (req as Named).trace });
  });
  const { headers, trace: own } = await (await app.inject("/")).json();
  assertEquals(headers.traceparent, `00-${own.traceId}-${own.spanId}-01`);
});

Deno.test("a request that the sampler dropped says so to the services behind", async () => {
  const dropped = trace.wrapSpanContext({ traceId: TRACE, spanId: CALLER, traceFlags: 0 });
  const app = quiet().use(requestId()).get("/", (req, res) => void res.json(traceHeaders(req)));
  const response = await context.with(trace.setSpan(context.active(), dropped), () => app.inject("/"));
  assertEquals(await response.json(), { traceparent: `00-${TRACE}-${CALLER}-00` });
});

Deno.test("a span that is not valid is none", async () => {
  const invalid = trace.wrapSpanContext({ traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 });
  const app = quiet().use(requestId()).get("/", (req, res) => void res.json(traceHeaders(req)));
  const response = await context.with(trace.setSpan(context.active(), invalid), () => app.inject("/"));
  assertMatch((await response.json()).traceparent, /^00-(?!0{32})[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

Deno.test("a second requestId keeps the id and the trace of the first, and sends the id under its header too", async () => {
  let generated = 0;
  const generate = () => `n-${++generated}`;
  const seen: unknown[] = [];
  const inner = quiet().use(requestId({ headerName: "X-Correlation-Id", trust: true, generator: generate }));
  inner.get("/", (req, res) => {
    seen.push((req as Named).id, (req as Named).trace);
    res.end();
  });
  const app = quiet().use(requestId({ generator: generate })).use((req, _res, next) => {
    seen.push((req as Named).id, (req as Named).trace);
    next();
  }).use("/inner", inner);
  const headers = { "x-correlation-id": "theirs" };
  const response = await app.inject("/inner", { headers });
  assertEquals([seen[2], seen[3], generated], [seen[0], seen[1], 1]);
  assertEquals([response.headers.get("x-request-id"), response.headers.get("x-correlation-id")], ["n-1", "n-1"]);
});

Deno.test("an agent that fails is reported once, and the request has a trace of its own", async () => {
  const broken = {
    spanContext: () => {
      throw new Error("the agent is broken");
    },
  };
  const app = quiet().use(requestId()).get("/", (req, res) => void res.json(traceHeaders(req)));
  const reported: unknown[] = [];
  app.on("error", (error, { phase }) => reported.push([error.message, error.cause.message, phase]));
  const span = trace.setSpan(context.active(), broken as never);
  for (let i = 0; i < 2; i++) {
    const response = await context.with(span, () => app.inject("/"));
    assertMatch((await response.json()).traceparent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  }
  assertEquals(reported.filter((one) => (one as string[])[0]!.startsWith("requestId")), [
    [
      "requestId: OpenTelemetry failed; this is reported once and fails no request",
      "the agent is broken",
      "telemetry",
    ],
  ]);
});
