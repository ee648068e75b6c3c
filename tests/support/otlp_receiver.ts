/**
 * A receiver of OpenTelemetry's protocol on this machine: OTLP over HTTP in JSON, which exporters send with
 * `OTEL_EXPORTER_OTLP_PROTOCOL=http/json`.
 */

/** What programs send, each in a request of its own. */
export type OtlpSignal = "traces" | "metrics" | "logs";

/** A span, as far as tests look at it. */
export interface ReceivedSpan {
  /** Its name. */
  readonly name: string;
  /** 2 for a server's. */
  readonly kind: number;
  /** Its attributes by name. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 if it is an error's. */
  readonly status: number;
  /** Its events: an exception has the attributes `exception.type`, `exception.message` and `exception.stacktrace`. */
  readonly events: readonly { readonly name: string; readonly attributes: Readonly<Record<string, unknown>> }[];
}

/** The receiver. */
export interface OtlpReceiver extends AsyncDisposable {
  /** What `OTEL_EXPORTER_OTLP_ENDPOINT` has to be. */
  readonly endpoint: string;
  /** The bodies that have come so far, of one kind, in order. */
  // deno-lint-ignore no-explicit-any -- three messages of the protocol, which tests know
  bodies(signal: OtlpSignal): readonly any[];
  /** All spans of them. */
  spans(): ReceivedSpan[];
}

/** Starts a receiver. */
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
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly attributes?: KeyValue[];
  readonly status?: { readonly code?: number };
  readonly events?: { readonly name: string; readonly attributes?: KeyValue[] }[];
}

function spansOf({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }): ReceivedSpan[] {
  return scopeSpans.flatMap(({ spans }) => spans).map(({ name, kind, attributes, status, events = [] }) => ({
    name,
    kind,
    attributes: recordOf(attributes),
    status: status?.code ?? 0,
    events: events.map((event) => ({ name: event.name, attributes: recordOf(event.attributes) })),
  }));
}

// a value is an object whose only property is named after its type
function recordOf(attributes: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
