/** A Worker with the OpenTelemetry SDK, which returns the ended spans. */
import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node";
import { requestId, traceHeaders } from "@sluice/middleware/request-id";
import sluice from "@sluice/sluice";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
/** Number of spans exported when the Worker stopped waiting, by request. */
const exported: number[] = [];

const app = sluice().set("env", "production").use(requestId());
app.on("error", () => {});
// as in docs/production.md
app.use((req, res, next) => {
  const flushed = new Promise((resolve) => res.on("close", resolve)).then(() => provider.forceFlush());
  req.waitUntil(flushed.then(() => exported.push(exporter.getFinishedSpans().length)));
  next();
});
app.get("/users/:id", async (req, res) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  await trace.getTracer("users").startActiveSpan("SELECT users", async (span) => {
    await undefined;
    span.end();
  });
  res.json(traceHeaders(req));
});
app.get("/fails", () => {
  throw new TypeError("out of order");
});

const spans = sluice().get("/", (_req, res) => {
  const ended = exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    ...span.spanContext(),
    parentSpanId: span.parentSpanContext?.spanId,
    status: span.attributes["http.response.status_code"],
    isError: span.status.code === 2,
  }));
  res.json({ spans: ended, exported });
});
app.use("/spans", spans);

export default { fetch: app.fetch };
