/** The part of an OpenTelemetry span used here. */
export interface Span {
  /** The SDK's spans expose attributes and accept replacements; Deno's do neither. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  isRecording(): boolean;
  updateName(name: string): unknown;
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { code: number }): unknown;
  recordException(exception: object | string): void;
  end(): void;
}

/** The part of a context used here. */
export interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
}

/** Reads headers for a propagator. */
interface Getter {
  get(headers: Headers, name: string): string | undefined;
  keys(headers: Headers): string[];
}

/** Options for starting a span. */
interface SpanOptions {
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** The part of the API registered under {@linkcode OPEN_TELEMETRY} used here. */
export interface OpenTelemetry {
  readonly context?: {
    active(): Context;
    with(context: Context, call: () => void): void;
  };
  readonly propagation?: { extract(context: Context, headers: Headers, getter: Getter): Context };
  readonly trace?: {
    getTracer(name: string): { startSpan(name: string, options: SpanOptions, parent: Context): Span };
  };
}

/**
 * Key under which version 1 of `@opentelemetry/api` registers the state that all its copies in a process share, and
 * Deno its own. Contexts also keep values under registered symbols (`createContextKey` in the same package).
 */
export const OPEN_TELEMETRY: unique symbol = Symbol.for("opentelemetry.js.api.1");

/** Key of the span in a context. */
export const SPAN: unique symbol = Symbol.for("OpenTelemetry Context Key SPAN");

/** The global object, where an API may be registered. */
export interface Registry {
  readonly [OPEN_TELEMETRY]?: OpenTelemetry;
}

/** Methods allowed in a span name; other methods become `HTTP`, because clients can invent any number of them. */
const METHODS = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|QUERY|TRACE)$/;

/**
 * Returns a span's name under the semantic conventions.
 *
 * @param method The request method
 * @param route Full path of its route, if known
 */
export function spanName(method: string, route?: string): string {
  const shown = isKnownMethod(method) ? method : "HTTP";
  return route === undefined ? shown : `${shown} ${route}`;
}

/** Returns whether a standard defines a method. */
export function isKnownMethod(method: string): boolean {
  return METHODS.test(method);
}
