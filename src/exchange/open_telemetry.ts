/** The used part of a span of OpenTelemetry. */
export interface Span {
  /** Those of the SDK show them, and take others in their stead; Deno's do neither. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  isRecording(): boolean;
  updateName(name: string): unknown;
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { code: number }): unknown;
  recordException(exception: object | string): void;
  end(): void;
}

/** The used part of a context. */
export interface Context {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): Context;
}

/** How a propagator reads headers. */
interface Getter {
  get(headers: Headers, name: string): string | undefined;
  keys(headers: Headers): string[];
}

/** What a span is begun with. */
interface SpanOptions {
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** The used part of what is registered under {@linkcode OPEN_TELEMETRY}. */
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
 * Where version 1 of `@opentelemetry/api` registers what all its copies in a process share, and Deno its own.
 * Contexts keep values under registered symbols, too (`createContextKey` of the same package).
 */
export const OPEN_TELEMETRY: unique symbol = Symbol.for("opentelemetry.js.api.1");

/** Where a context keeps its span. */
export const SPAN: unique symbol = Symbol.for("OpenTelemetry Context Key SPAN");

/** The global object, where an API may be registered. */
export interface Registry {
  readonly [OPEN_TELEMETRY]?: OpenTelemetry;
}

/** The methods that a name may have; any other one is `HTTP`, because clients may invent as many as they like. */
const METHODS = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|QUERY|TRACE)$/;

/**
 * Names a span by the semantic conventions.
 *
 * @param method The method of the request
 * @param route The whole path of its route, if one is known
 */
export function spanName(method: string, route?: string): string {
  const shown = isKnownMethod(method) ? method : "HTTP";
  return route === undefined ? shown : `${shown} ${route}`;
}

/** Returns whether a standard defines a method. */
export function isKnownMethod(method: string): boolean {
  return METHODS.test(method);
}
