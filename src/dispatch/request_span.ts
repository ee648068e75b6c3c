import type { ErrorReporter } from "../exchange/call_guarded.ts";
import { guarded } from "../exchange/telemetry_guard.ts";

/** The used part of a span of OpenTelemetry. */
interface Span {
  isRecording(): boolean;
  updateName(name: string): unknown;
  setAttribute(name: string, value: string): unknown;
  setStatus(status: { code: number }): unknown;
  recordException(exception: object | string): void;
}

/** What OpenTelemetry's instrumentation of a server keeps of the request; it puts the route into its metrics. */
interface RpcMetadata {
  route?: string;
}

/** The used part of what is registered under {@linkcode OPEN_TELEMETRY}. */
interface OpenTelemetry {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

/**
 * Where version 1 of `@opentelemetry/api` registers what all its copies in a process share, and Deno its own.
 * Contexts keep values under registered symbols, too (`createContextKey` of the same package).
 */
export const OPEN_TELEMETRY: unique symbol = Symbol.for("opentelemetry.js.api.1");
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");
const RPC_METADATA = Symbol.for("OpenTelemetry SDK Context Key RPC_METADATA");

/** `SpanStatusCode.ERROR` */
const ERROR = 2;

/** The methods that a name may have; any other one is `HTTP`, because clients may invent as many as they like. */
const METHODS = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|QUERY|TRACE)$/;

/** Spans that belong to a request: one that its handler makes in process must not give it another name. */
const taken = new WeakSet<Span>();

/** Methods of a span that change it. */
type SpanMethod = Exclude<keyof Span, "isRecording">;

/**
 * The span of a request: it gets the route, a name, and the error, as the semantic conventions of OpenTelemetry say.
 * Agents register spans of their own classes, which may lack methods or throw, so each call is guarded by itself.
 */
export class RequestSpan {
  readonly #app: ErrorReporter;
  readonly #span: Span;
  readonly #metadata: RpcMetadata | undefined;
  #error: unknown = undefined;

  private constructor(app: ErrorReporter, span: Span, metadata: RpcMetadata | undefined) {
    this.#app = app;
    this.#span = span;
    this.#metadata = metadata;
  }

  /**
   * The span that is active now, if it is recorded and no other request's.
   *
   * @param app Reports what fails
   * @returns `null` if there is none
   */
  static active(app: ErrorReporter): RequestSpan | null {
    return guarded(app, "the active span", () => {
      const context = (globalThis as Record<symbol, OpenTelemetry | undefined>)[OPEN_TELEMETRY]?.context?.active();
      const span = context?.getValue(SPAN) as Span | null | undefined;
      if (span === undefined || span === null || taken.has(span)) return null;
      if (guarded(app, "span.isRecording", () => span.isRecording()) !== true) return null;
      taken.add(span);
      return new RequestSpan(app, span, context!.getValue(RPC_METADATA) as RpcMetadata | undefined);
    }) ?? null;
  }

  /** Notes an error; what becomes of it shows with the response. */
  failed(error: unknown): void {
    this.#error = error;
  }

  /**
   * Notes an error that came after the response had begun.
   *
   * @param error The error
   * @param isCut Whether the client does not get all of the response
   */
  failedLate(error: unknown, isCut: boolean): void {
    this.#record(error);
    if (isCut) this.#change("setStatus", { code: ERROR });
  }

  /**
   * Names the span. An error is recorded if the server is to blame for it.
   *
   * @param method The method of the request
   * @param route The whole path of the route that responded, `null` if none did
   * @param status Status of the response
   */
  responded(method: string, route: string | null, status: number): void {
    if (route !== null) {
      guarded(this.#app, "the metadata of RPC", () => {
        if (this.#metadata !== undefined) this.#metadata.route = route;
      });
      this.#change("setAttribute", "http.route", route);
      this.#change("updateName", `${METHODS.test(method) ? method : "HTTP"} ${route}`);
    }
    if (status < 500) return;
    if (this.#error !== undefined) this.#record(this.#error);
    this.#change("setStatus", { code: ERROR });
  }

  #record(error: unknown): void {
    const isObject = typeof error === "object" && error !== null;
    this.#change("recordException", isObject ? error : String(error));
  }

  #change<M extends SpanMethod>(method: M, ...args: Parameters<Span[M]>): void {
    const span = this.#span as unknown as Record<M, (...args: Parameters<Span[M]>) => unknown>;
    guarded(this.#app, `span.${method}`, () => span[method](...args));
  }
}
