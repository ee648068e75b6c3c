import type { FrameworkRequest } from "../request/framework_request.ts";
import { exchangeKey } from "../exchange/exchange.ts";
import { guarded, runInside } from "../exchange/telemetry_guard.ts";
import { redactedTarget } from "../util/redacted_text.ts";
import {
  type Context,
  isKnownMethod,
  type OpenTelemetry,
  SPAN,
  type Span,
  spanName,
} from "../exchange/open_telemetry.ts";

/** A span, and the context in which it is active. */
export interface ServerSpan {
  readonly span: Span;
  /** Runs a function in the context. */
  within(call: () => void): void;
}

/** `SpanKind.SERVER` */
const SERVER = 1;

const HEADERS = {
  get: (headers: Headers, name: string): string | undefined => headers.get(name) ?? undefined,
  keys: (headers: Headers): string[] => [...headers.keys()],
};

/**
 * Starts a span for a request without one: from Bun's server, a Worker, or Node's server without instrumentation. As
 * with any instrumentation, the registered propagator decides which trace it continues, and the sampler whether it is
 * recorded.
 *
 * @param api The registered API
 * @param active The active context, which has no span
 * @param req The request
 * @returns `null` without a tracer or a context manager
 */
export function beginServerSpan(api: OpenTelemetry, active: Context, req: FrameworkRequest): ServerSpan | null {
  const { app, target } = req[exchangeKey];
  const { context: manager, propagation, trace } = api;
  if (manager === undefined || trace === undefined) return null;
  const extract = (): Context | undefined => propagation?.extract(active, target.request.headers, HEADERS);
  const parent = guarded(app, "propagation.extract", extract) ?? active;
  const span = guarded(app, "tracer.startSpan", () => {
    const options = { kind: SERVER, attributes: attributesOf(req) };
    return trace.getTracer("@sluice/sluice").startSpan(spanName(target.originalMethod), options, parent);
  });
  if (span === undefined || span === null) return null;
  const context = guarded(app, "context.setValue", () => parent.setValue(SPAN, span));
  return {
    span,
    within: (call) =>
      context === undefined ? call() : runInside(app, "context.with", (once) => manager.with(context, once), call),
  };
}

/** The attributes that samplers may use (semantic conventions for HTTP spans), without secrets. */
function attributesOf(req: FrameworkRequest): Record<string, string | number> {
  const { originalMethod: method, originalUrl } = req[exchangeKey].target;
  const [path = "", query] = redactedTarget(originalUrl, {}).split(/\?(.*)/s);
  const { protocol, host, hostname, ip } = req;
  const port = /:(\d+)$/.exec(host ?? "")?.[1];
  const agent = req.get("user-agent");
  return {
    "http.request.method": isKnownMethod(method) ? method : "_OTHER",
    ...!isKnownMethod(method) && { "http.request.method_original": method },
    "url.scheme": protocol,
    "url.path": path,
    ...query !== undefined && { "url.query": query },
    ...hostname && { "server.address": hostname },
    ...port !== undefined && { "server.port": Number(port) },
    ...agent !== undefined && { "user_agent.original": agent },
    ...ip !== undefined && { "client.address": ip },
  };
}
