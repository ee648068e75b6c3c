import type { Exchange } from "../exchange/exchange.ts";
import type { TracingChannels } from "../exchange/runtime_support.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import type { LayerSource, Step } from "../matching/layer.ts";
import { HandlerEvents } from "./handler_events.ts";
import { type CallObserver, ObservedSource } from "./observed_source.ts";
import { RequestSpan } from "./request_span.ts";
import { ServerTiming } from "./server_timing.ts";

/**
 * Begins to observe a request for those who want to know what becomes of it.
 *
 * The span is the one that is active when the request comes. Later, in a handler, it might be one of the program's own.
 *
 * @param exchange The exchange
 * @param res Its response
 * @param channel Where calls of handlers are published, if somebody subscribes
 * @returns `null` if it turns out that nobody does
 */
export function beginObservation(
  exchange: Exchange,
  res: FrameworkResponse,
  channel: TracingChannels | null,
): Observation | null {
  const { app } = exchange;
  const span = RequestSpan.active(app);
  const events = channel === null ? null : new HandlerEvents(channel, app);
  const timing = app.settings["server timing"] ? new ServerTiming(res) : null;
  return span === null && events === null && timing === null ? null : new Observation(exchange, span, events, timing);
}

/** What is noted of a request for those who observe it. */
export class Observation implements CallObserver {
  readonly #exchange: Exchange;
  readonly #span: RequestSpan | null;
  readonly #timing: ServerTiming | null;
  readonly events: HandlerEvents | null;
  /** The whole path of the route whose handler was called last, `null` if a middleware was. */
  #route: string | null = null;

  /**
   * @param exchange The exchange
   * @param span Its span
   * @param events Publishes calls of handlers
   * @param timing Measures them
   */
  constructor(
    exchange: Exchange,
    span: RequestSpan | null,
    events: HandlerEvents | null,
    timing: ServerTiming | null,
  ) {
    this.#exchange = exchange;
    this.#span = span;
    this.events = events;
    this.#timing = timing;
  }

  /** The layers with their calls observed. */
  over(layers: LayerSource): LayerSource {
    return new ObservedSource(layers, this);
  }

  called({ fn, route }: Step): void {
    const { app, response, target } = this.#exchange;
    if (response !== null) return;
    this.#route = route === null ? null : app.routePathOf(route, target.baseUrl + target.path) ?? null;
    this.#timing?.called(fn!, this.#route);
  }

  /** Notes an error that an error handler gets, or nobody but the error page. */
  failed(error: unknown): void {
    const { response, finished } = this.#exchange;
    if (response === null) this.#span?.failed(error);
    else this.#span?.failedLate(error, !finished);
  }

  /** Notes that no handler responded. */
  passed(): void {
    if (this.#exchange.response === null) this.#route = null;
  }

  /**
   * Notes the response before the platform gets it.
   *
   * @param settled The response
   * @returns The same
   */
  follow(settled: Response | Promise<Response>): Response | Promise<Response> {
    if (this.#span === null) return settled;
    if (settled instanceof Promise) void settled.then((response) => this.#responded(response));
    else this.#responded(settled);
    return settled;
  }

  #responded({ status }: Response): void {
    this.#span!.responded(this.#exchange.target.originalMethod, this.#route, status);
  }
}
