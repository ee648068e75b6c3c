import type { ErrorReporter } from "../exchange/call_guarded.ts";
import { exchangeKey } from "../exchange/exchange.ts";
import { guarded } from "../exchange/telemetry_guard.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { redactedTarget, redactedText } from "../util/redacted_text.ts";
import { OPEN_TELEMETRY, type Registry, SPAN, type Span, spanName } from "../exchange/open_telemetry.ts";
import { beginServerSpan, type ServerSpan } from "./server_span.ts";

/** Data kept for the request by OpenTelemetry's server instrumentation, which adds the route to its metrics. */
interface RpcMetadata {
  route?: string;
}

const RPC_METADATA = Symbol.for("OpenTelemetry SDK Context Key RPC_METADATA");

/** Attributes with a URL or a part of it, in both versions of the semantic conventions. */
const URLS = ["url.full", "url.path", "url.query", "http.url", "http.target"];

/** `SpanStatusCode.ERROR` */
const ERROR = 2;

/** Spans that belong to a request; its handler's own in-process requests must not rename them. */
const taken = new WeakSet<Span>();

/** Methods that modify a span. */
type SpanMethod = Exclude<keyof Span, "attributes" | "isRecording">;

/**
 * A request's span: it gets the route, a name, and the error, following OpenTelemetry's semantic conventions. Agents
 * register spans with their own classes, which may lack methods or throw, so each call is guarded separately.
 */
export class RequestSpan {
  readonly #app: ErrorReporter;
  readonly #span: Span;
  readonly #metadata: RpcMetadata | undefined;
  /** Set if the span was started here and therefore has to end here. */
  readonly #own: ServerSpan | null;
  /** Whether the span's data is kept; the sampler may have decided against it. */
  readonly isRecorded: boolean;
  #error: unknown = undefined;
  #isEnded = false;

  private constructor(app: ErrorReporter, span: Span, metadata?: RpcMetadata, own: ServerSpan | null = null) {
    this.#app = app;
    this.#span = span;
    this.#metadata = metadata;
    this.#own = own;
    this.isRecorded = own === null || guarded(app, "span.isRecording", () => span.isRecording()) === true;
  }

  /**
   * Returns OpenTelemetry's active span when a request arrives, if it is recorded and does not belong to another
   * request. Without an active span, it starts one.
   *
   * @param req The request
   * @returns `null` if there is none
   */
  static of(req: FrameworkRequest): RequestSpan | null {
    const { app } = req[exchangeKey];
    return guarded(app, "the active span", () => {
      const api = (globalThis as Registry)[OPEN_TELEMETRY];
      const context = api?.context?.active();
      if (api === undefined || context === undefined) return null;
      const span = context.getValue(SPAN) as Span | null | undefined;
      if (span !== undefined && span !== null) {
        return RequestSpan.active(app, span, context.getValue(RPC_METADATA) as RpcMetadata | undefined);
      }
      const own = beginServerSpan(api, context, req);
      if (own === null) return null;
      taken.add(own.span);
      return new RequestSpan(app, own.span, undefined, own);
    }) ?? null;
  }

  /**
   * Wraps a span that is already active.
   *
   * @param app Reports failures
   * @param span The span
   * @param metadata Data that the server's instrumentation keeps with the span
   * @returns `null` if it is not recorded, or belongs to another request
   */
  static active(app: ErrorReporter, span: Span, metadata?: RpcMetadata): RequestSpan | null {
    if (taken.has(span)) return null;
    if (guarded(app, "span.isRecording", () => span.isRecording()) !== true) return null;
    taken.add(span);
    return new RequestSpan(app, span, metadata);
  }

  /** Whether the span was started here: the request is served inside it, and it ends with the exchange. */
  get isOwn(): boolean {
    return this.#own !== null;
  }

  /** Serves the request, inside the span if it was started here. */
  within(serve: () => void): void {
    if (this.#own === null) serve();
    else this.#own.within(serve);
  }

  /** Ends the span if it was started here. */
  end(): void {
    if (this.#own === null || this.#isEnded) return;
    this.#isEnded = true;
    this.#change("end");
  }

  /** Keeps an error; the response's status decides whether it is recorded. */
  failed(error: unknown): void {
    this.#error = error;
  }

  /**
   * Records an error that occurred after the response had begun.
   *
   * @param error The error
   * @param isCut Whether the client does not get the whole response
   */
  failedLate(error: unknown, isCut: boolean): void {
    this.#record(error);
    if (isCut) this.#change("setStatus", { code: ERROR });
  }

  /**
   * Names the span. An error is recorded if the server caused it.
   *
   * @param method The request method
   * @param route Full path of the route that responded, `null` if none did
   * @param status The response status
   */
  responded(method: string, route: string | null, status: number): void {
    if (route !== null) {
      guarded(this.#app, "the metadata of RPC", () => {
        if (this.#metadata !== undefined) this.#metadata.route = route;
      });
      this.#change("setAttribute", "http.route", route);
      this.#change("updateName", spanName(method, route));
    }
    if (this.#own !== null) this.#change("setAttribute", "http.response.status_code", status);
    for (const name of URLS) this.#hideSecrets(name, route ?? undefined);
    if (status < 500) return;
    if (this.#error !== undefined) this.#record(this.#error);
    if (this.#own !== null) this.#change("setAttribute", "error.type", typeOf(this.#error) ?? String(status));
    this.#change("setStatus", { code: ERROR });
  }

  // the server's instrumentation has the URL as sent by the client
  #hideSecrets(name: string, route: string | undefined): void {
    const value = guarded(this.#app, "span.attributes", () => this.#span.attributes?.[name]);
    if (typeof value !== "string") return;
    const mark = name === "url.query" ? "?" : "";
    const [origin] = /^(?:[a-z]+:\/\/[^/?#]*)?/i.exec(value)!;
    const shown = origin +
      redactedTarget(mark + value.slice(origin.length), {}, route).slice(mark.length);
    if (shown !== value) this.#change("setAttribute", name, shown);
  }

  #record(error: unknown): void {
    this.#change("recordException", withoutSecrets(error));
  }

  #change<M extends SpanMethod>(method: M, ...args: Parameters<Span[M]>): void {
    const span = this.#span as unknown as Record<M, (...args: Parameters<Span[M]>) => unknown>;
    guarded(this.#app, `span.${method}`, () => span[method](...args));
  }
}

// its class name, because there are few classes
function typeOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

// Keeps only the parts of an error that a span uses: other properties may hold the body, or the command that failed.
// The result is an Error, because Elastic's spans read messages only from errors.
function withoutSecrets(error: unknown): object | string {
  if (typeof error !== "object" || error === null) return redactedText(String(error));
  const { name, code, message, stack } = error as Record<string, unknown>;
  const shown = { name, code, message: redacted(message), stack: redacted(stack) };
  return Object.assign(Object.create(Error.prototype), shown);
}

function redacted(text: unknown): unknown {
  return typeof text === "string" ? redactedText(text) : text;
}
