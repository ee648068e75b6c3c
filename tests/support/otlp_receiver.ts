/**
 * An OpenTelemetry receiver on this machine: OTLP over HTTP in JSON, which exporters send with
 * `OTEL_EXPORTER_OTLP_PROTOCOL=http/json`.
 */

/** Signals that programs send, each in its own request. */
export type OtlpSignal = "traces" | "metrics" | "logs";

/** The span properties that tests check. */
export interface ReceivedSpan {
  /** Its trace id. */
  readonly traceId: string;
  /** Its own id. */
  readonly spanId: string;
  /** Its parent's id; empty if there is no parent. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 2 for a server span. */
  readonly kind: number;
  /** Its attributes by name. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly status: number;
  /** Its events. An exception has the attributes `exception.type`, `exception.message` and `exception.stacktrace`. */
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
}

export interface OtlpReceiver extends AsyncDisposable {
  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string;
  /** The bodies received so far for one signal, in order. */
  // deno-lint-ignore no-explicit-any -- three messages of the protocol, which tests know
  bodies(signal: OtlpSignal): readonly any[];
  /** All received spans. */
  spans(): ReceivedSpan[];
  /** A scope's latest request duration counts: route, status and count. */
  durations(scope: string): string[];
}

export function receiveOtlp(): OtlpReceiver {
  // deno-lint-ignore no-explicit-any -- the same
  const received: { path: string; body: any }[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const isJson = request.headers.get("content-type")?.startsWith("application/json");
    if (!isJson) return new Response("this receiver takes JSON only", { status: 415 });
    received.push({ path: new URL(request.url).pathname, body: await request.json() });
    return Response.json({});
  });
  const bodies = (signal: OtlpSignal) =>
    received.filter(({ path }) => path === `/v1/${signal}`).map(({ body }) => body);
  return {
    endpoint: `http://127.0.0.1:${server.addr.port}`,
    bodies,
    spans: () => bodies("traces").flatMap(({ resourceSpans }) => resourceSpans).flatMap(spansOf),
    durations: (scope) => durationsIn(bodies("metrics").at(-1), scope),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: KeyValue[];
  readonly status?: { readonly code?: number };
  readonly events?: { readonly name: string; readonly attributes?: KeyValue[] }[];
}

function spansOf({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }): ReceivedSpan[] {
  return scopeSpans.flatMap(({ spans }) => spans).map(({ attributes, status, events = [], ...span }) => ({
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? "",
    name: span.name,
    kind: span.kind,
    attributes: recordOf(attributes),
    status: status?.code ?? 0,
    events: events.map((event) => ({ name: event.name, attributes: recordOf(event.attributes) })),
  }));
}

// a value is an object with one property, named after its type
function recordOf(attributes: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

interface Metric {
  readonly name: string;
  readonly histogram?: { readonly dataPoints: { readonly attributes: KeyValue[]; readonly count: number }[] };
}

interface ScopeMetrics {
  readonly scope: { readonly name: string };
  readonly metrics: Metric[];
}

function durationsIn(
  body: { resourceMetrics: { scopeMetrics: ScopeMetrics[] }[] } | undefined,
  name: string,
): string[] {
  const scopes = body?.resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics) ?? [];
  return scopes.filter(({ scope }) => scope.name === name).flatMap(({ metrics }) => metrics)
    .filter((metric) => metric.name === "http.server.request.duration")
    .flatMap(({ histogram }) => histogram!.dataPoints)
    .map(({ attributes, count }) => {
      const { "http.route": route, "http.response.status_code": status } = recordOf(attributes);
      return `${route} ${status} ${count}`;
    });
}
