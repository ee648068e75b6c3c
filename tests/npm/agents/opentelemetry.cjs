/** OpenTelemetry with its instrumentations for http, Express and router. */
"use strict";
const { registerInstrumentations } = require("@opentelemetry/instrumentation");
const { ExpressInstrumentation } = require("@opentelemetry/instrumentation-express");
const { HttpInstrumentation } = require("@opentelemetry/instrumentation-http");
const { RouterInstrumentation } = require("@opentelemetry/instrumentation-router");
const { InMemorySpanExporter, SimpleSpanProcessor } = require("@opentelemetry/sdk-trace-base");
const { NodeTracerProvider } = require("@opentelemetry/sdk-trace-node");
const { spansByRequest } = require("./spans.cjs");

const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({ ignoreOutgoingRequestHook: () => true }),
    new ExpressInstrumentation(),
    ...(process.env.WITHOUT_ROUTER ? [] : [new RouterInstrumentation()]),
  ],
});
spansByRequest(exporter);
