import { type Exchange, exchangeKey } from "../exchange/exchange.ts";
import type { TracingChannels } from "../exchange/runtime_support.ts";
import { guarded } from "../exchange/telemetry_guard.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import type { LayerSource, Step } from "../matching/layer.ts";
import { HandlerEvents } from "./handler_events.ts";
import { type CallObserver, ObservedSource } from "./observed_source.ts";
import { type Span, spanName } from "../exchange/open_telemetry.ts";
import { RequestSpan } from "./request_span.ts";
import { type SentryRequest, sentryRequest } from "./sentry.ts";
import { ServerTiming } from "./server_timing.ts";
import { routePathKey } from "../exchange/app_like.ts";

/**
 * Starts observing a request if there are observers.
 *
 * It uses the spans active when the request arrives. Later, in a handler, a different span might be active.
 *
 * @param req The request
 * @param channel The channel for handler calls if it has subscribers
 * @returns `null` if there are no observers
 */
export function beginObservation(req: FrameworkRequest, channel: TracingChannels | null): Observation | null {
  const { app } = req[exchangeKey];
  const span = RequestSpan.of(req);
  const sentry = guarded(app, "the scopes of Sentry", sentryRequest) ?? null;
  const events = channel === null ? null : new HandlerEvents(channel, app);
  const timing = app.settings["server timing"] ? new ServerTiming(req.res as FrameworkResponse) : null;
  const isObserved = span !== null || sentry !== null || events !== null || timing !== null;
  return isObserved ? new Observation(req[exchangeKey], span, sentry, events, timing) : null;
}

/** Records one request for its observers. */
export class Observation implements CallObserver {
  readonly #exchange: Exchange;
  /** OpenTelemetry's span, and Sentry's if different. */
  readonly #spans: readonly RequestSpan[];
  readonly #sentry: SentryRequest | null;
  readonly #timing: ServerTiming | null;
  readonly events: HandlerEvents | null;
  /** The full route path for the handler called last, `null` for middleware. */
  #route: string | null = null;
  #isResponded = false;

  /**
   * @param exchange The exchange
   * @param span Its span
   * @param sentry Sentry's data for it
   * @param events Publishes handler calls
   * @param timing Measures handler calls
   */
  constructor(
    exchange: Exchange,
    span: RequestSpan | null,
    sentry: SentryRequest | null,
    events: HandlerEvents | null,
    timing: ServerTiming | null,
  ) {
    this.#exchange = exchange;
    const other = sentry?.span === undefined ? null : RequestSpan.active(exchange.app, sentry.span as Span);
    this.#spans = [span, other].filter((one) => one !== null);
    this.#sentry = sentry;
    this.events = events;
    this.#timing = timing;
    if (span?.isOwn) exchange.onEnd(() => this.#ended());
  }

  /** Returns the layers with their calls observed, if any observer needs that. */
  over(layers: LayerSource): LayerSource {
    const isKept = this.events !== null || this.#timing !== null || this.#sentry !== null ||
      this.#spans.some((span) => span.isRecorded);
    return isKept ? ObservedSource.over(this.#exchange, layers, this) : layers;
  }

  called({ fn, layer: { route: declared } }: Step): void {
    const { app, response, target } = this.#exchange;
    if (response !== null) return;
    this.#route = declared === null ? null : app[routePathKey](declared, target.baseUrl + target.path) ?? null;
    this.#timing?.called(fn!, this.#route);
    const route = this.#route;
    if (this.#sentry === null || route === null) return;
    // before the handler, which may capture an error or a message
    guarded(app, "setTransactionName", () => this.#sentry!.setTransactionName(spanName(target.originalMethod, route)));
  }

  /** Records an error that reaches an error handler or the error page. */
  failed(error: unknown): void {
    const { response, finished } = this.#exchange;
    for (const span of this.#spans) {
      if (response === null) span.failed(error);
      else span.failedLate(error, !finished);
    }
  }

  /** Records that no handler responded. */
  passed(): void {
    if (this.#exchange.response === null) this.#route = null;
  }

  /**
   * Serves the request in its span's context, and records the response before the platform gets it.
   *
   * @param serve Serves the request
   * @returns The response
   */
  follow(serve: () => void): Response | Promise<Response> {
    const [span] = this.#spans;
    if (span === undefined) serve();
    else span.within(serve);
    const settled = this.#exchange.settled();
    if (settled instanceof Promise) void settled.then((response) => this.#responded(response));
    else this.#responded(settled);
    return settled;
  }

  #responded({ status }: Response): void {
    if (this.#isResponded) return;
    this.#isResponded = true;
    for (const span of this.#spans) {
      span.responded(this.#exchange.target.originalMethod, this.#route, status);
      // a WebSocket may stay open for days
      if (status === 101) span.end();
    }
  }

  #ended(): void {
    const { response } = this.#exchange;
    if (response !== null) this.#responded(response);
    for (const span of this.#spans) span.end();
  }
}
