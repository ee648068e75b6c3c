import type { Request } from "@sluice/sluice";
import { runtimeKey } from "@sluice/shared";
import type { TraceContext } from "./trace_context.ts";

/** An application's error reporting. */
type ErrorReporter = Pick<Request["app"], "reportError">;

/** What an application knows about its runtime: part of its platform. */
interface RuntimeSupport {
  fetchAppendsTrace?(manager: unknown): boolean;
}

/** The part of the object under {@linkcode REGISTERED} used here. */
interface OpenTelemetry {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
  readonly propagation?: { fields(): readonly string[] };
}

/** The part of a span used here. */
interface Span {
  spanContext(): {
    readonly traceId: string;
    readonly spanId: string;
    readonly traceFlags: number;
    readonly traceState?: { serialize(): string };
  };
}

/** Where version 1 of `@opentelemetry/api` registers what all its copies in a process share: its public contract. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");

/** Valid ids of a trace and a span: not all zeros. */
const IDS = /^(?!0+-)[0-9a-f]{32}-(?!0+$)[0-9a-f]{16}$/;

/** The global object, where an API may be registered. */
interface Registry {
  readonly [REGISTERED]?: OpenTelemetry;
}

/** Applications that have already reported an error: a broken agent would fail on every request. */
const told = new WeakSet<object>();

/**
 * Returns the trace that OpenTelemetry's active span belongs to.
 *
 * @param app Reports an agent that fails, once
 * @returns The trace; `undefined` if no span is active, or its context is invalid
 */
export function activeTrace(app: ErrorReporter): TraceContext | undefined {
  return guarded(app, () => {
    const span = (globalThis as Registry)[REGISTERED]?.context?.active().getValue(SPAN) as Span | null | undefined;
    const context = span?.spanContext();
    if (context === undefined || !IDS.test(`${context.traceId}-${context.spanId}`)) return undefined;
    const { traceId, spanId, traceFlags, traceState } = context;
    const state = traceState?.serialize() || undefined;
    return { traceId, spanId, sampled: (traceFlags & 1) === 1, ...state !== undefined && { state } };
  });
}

/**
 * Whether OpenTelemetry makes `fetch` append `traceparent` to the headers it is given, which would duplicate an
 * existing one.
 *
 * @param app Identifies the runtime, and reports an agent that fails, once
 */
export function isTraceAppended(app: ErrorReporter): boolean {
  const runtime = (app as { [runtimeKey]?: RuntimeSupport })[runtimeKey];
  return guarded(app, () => {
    const { context, propagation } = (globalThis as Registry)[REGISTERED] ?? {};
    const isSent = propagation?.fields().includes("traceparent") ?? false;
    return isSent && runtime?.fetchAppendsTrace?.(context);
  }) ?? false;
}

function guarded<T>(app: ErrorReporter, call: () => T): T | undefined {
  try {
    return call();
  } catch (cause) {
    if (!told.has(app)) {
      told.add(app);
      const message = "requestId: OpenTelemetry failed; this is reported once and fails no request";
      app.reportError(new Error(message, { cause }), { phase: "telemetry" });
    }
    return undefined;
  }
}
