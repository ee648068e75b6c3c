import type { Request } from "@sluice/sluice";
import { runtimeKey } from "@sluice/shared";
import type { TraceContext } from "./trace_context.ts";

/** An application, as far as it reports errors. */
type ErrorReporter = Pick<Request["app"], "reportError">;

/** What an application knows of the runtime: a part of its platform. */
interface RuntimeSupport {
  fetchAppendsTrace?(manager: unknown): boolean;
}

/** The used part of what is registered under {@linkcode REGISTERED}. */
interface OpenTelemetry {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
  readonly propagation?: { fields(): readonly string[] };
}

/** The used part of a span. */
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

/** Ids of a trace and a span that are valid: not only zeros. */
const IDS = /^(?!0+-)[0-9a-f]{32}-(?!0+$)[0-9a-f]{16}$/;

/** The global object, where an API may be registered. */
interface Registry {
  readonly [REGISTERED]?: OpenTelemetry;
}

/** Applications that were told: a broken agent would fail in every request. */
const told = new WeakSet<object>();

/**
 * The trace of the span that is active now in OpenTelemetry.
 *
 * @param app Reports an agent that fails, once
 * @returns The trace; `undefined` if no span is active, or its context is not valid
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
 * Whether OpenTelemetry makes `fetch` append `traceparent` to the headers that it is given: a second one, if it is among
 * them.
 *
 * @param app Knows the runtime, and reports an agent that fails, once
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
      const message = "requestId: OpenTelemetry failed, which is reported once and fails no request";
      app.reportError(new Error(message, { cause }), { phase: "telemetry" });
    }
    return undefined;
  }
}
