import { type Exchange, exchangeOf } from "../exchange/exchange.ts";
import { rooted } from "../exchange/target.ts";
import { type AnyHandler, type LayerIndex, type LayerSource, Step, type WalkObserver } from "../matching/layer.ts";
import { rootOf } from "../matching/scope.ts";
import { calledLayer, withMounts } from "../matching/steps.ts";
import type { HandlerEvents } from "./handler_events.ts";

/** Observes handler calls. */
export interface CallObserver {
  /** Publishes them if there are subscribers. */
  readonly events: HandlerEvents | null;
  /** Called when a step's handler is called. */
  called(step: Step): void;
  /** Called with the error that an error handler gets. */
  failed(error: unknown): void;
}

/** The observer of each request being observed. */
const observers = new WeakMap<Exchange, CallObserver>();

/**
 * Returns the layers for a router called by a handler, observed if the request is.
 *
 * @param req The request
 * @param layers The layers
 */
export function observedOf(req: unknown, layers: LayerSource): LayerSource {
  const exchange = exchangeOf(req);
  const observer = exchange === null ? undefined : observers.get(exchange);
  return observer === undefined ? layers : new ObservedSource(layers, observer);
}

/** A router's observed layers. Walks treat them as the router. */
export class ObservedSource implements LayerSource, LayerIndex, WalkObserver {
  readonly #source: LayerSource;
  readonly #observer: CallObserver;
  /** The path matched last. */
  #path = "";

  /**
   * @param source The layers
   * @param observer Observes the calls
   */
  constructor(source: LayerSource, observer: CallObserver) {
    this.#source = source;
    this.#observer = observer;
  }

  /**
   * Returns the layers for a request's application, observed; routers that its handlers call are also observed.
   *
   * @param exchange The request
   * @param layers The layers
   * @param observer Observes the calls
   */
  static over(exchange: Exchange, layers: LayerSource, observer: CallObserver): ObservedSource {
    observers.set(exchange, observer);
    return new ObservedSource(layers, observer);
  }

  get paramHandlers(): LayerSource["paramHandlers"] {
    return this.#source.paramHandlers;
  }

  get mergeParams(): boolean {
    return this.#source.mergeParams;
  }

  get hasSockets(): boolean {
    return this.#source.fastMatcher.hasSockets;
  }

  leadsToSocket(path: string): boolean {
    return this.#source.fastMatcher.leadsToSocket(path);
  }

  reachesSocket(path: string): boolean {
    return this.#source.fastMatcher.reachesSocket(path);
  }

  /** Itself. */
  get fastMatcher(): this {
    return this;
  }

  /** Itself. */
  get observer(): this {
    return this;
  }

  stepsFor(path: string, method: string): readonly Step[] {
    this.#path = path;
    const steps = this.#source.fastMatcher.stepsFor(path, method);
    if (this.#observer.events === null) return steps.map((step) => this.#observed(step, path, method));
    if (steps.length === 0) return steps;
    // calls to mounted routers are also published, so each is called separately
    return withMounts(steps, rootOf(steps[0]!.scope)).map((step) =>
      this.#observed(step.kind === "mount" ? callingRouter(step) : step, path, method)
    );
  }

  below(step: Step): LayerSource {
    return new ObservedSource(step.layer.mounted!.source, this.#observer);
  }

  param(step: Step, name: string, handler: AnyHandler): AnyHandler {
    const { events } = this.#observer;
    if (events === null) return handler;
    const { layer } = step;
    const route = layerPath(step, this.#path, events);
    return (req, res, next, value) => {
      const event = { req, res, layer, handler, route, param: name };
      return events.publish(event, next, (pass) => handler(req, res, pass, value, name));
    };
  }

  #observed(step: Step, path: string, method: string): Step {
    if (step.fn === null) return step;
    const observer = this.#observer;
    const { events } = observer;
    const call = step.fn;
    const { layer } = step;
    if (isWholeRoute(step)) {
      // its handlers are observed when it calls them
      return events === null ? step : step.calling((req, res, next) => {
        events.paths.set(layer.route!, layerPath(step, path, events));
        return call(req, res, next);
      });
    }
    const handler = layer.mounted === null ? calledLayer(step)?.handle ?? call : layer.handle;
    const event = (req: unknown, res: unknown) => {
      return { req, res, layer: layerOf(step, method), handler, route: layerPath(step, path, events!) };
    };
    if (step.kind === "error") {
      return step.calling((error, req, res, next) => {
        observer.failed(error);
        if (events === null) return call(error, req, res, next);
        const failure = { ...event(req, res), errorHandler: true, incomingError: error } as const;
        return events.publish(failure, next, (pass) => call(error, req, res, pass));
      });
    }
    return step.calling((req, res, next) => {
      observer.called(step);
      if (events === null) return call(req, res, next);
      return events.publish(event(req, res), next, (pass) => call(req, res, pass));
    });
  }
}

// like Express's routers, it continues a tick later, after its end has been published
function callingRouter(step: Step): Step {
  const { layer } = step;
  const fn: AnyHandler = (req, res, next) =>
    layer.handle(req, res, (error: unknown) => queueMicrotask(() => next(error)));
  return new Step({ ...step, kind: "handler", fn });
}

function isWholeRoute(step: Step): boolean {
  const { layer, fn } = step;
  return layer.route !== null && (layer.wrapper?.fn === fn || calledLayer(step) === layer);
}

// as in Express, a route has a layer for each of its handlers
function layerOf(step: Step, method: string): unknown {
  const { layer, fn } = step;
  return calledLayer(step) ?? layer.route?.entriesFor(method).find((entry) => entry.fn === fn) ?? layer;
}

// a layer's registered path; if it has several, the one that matches
function layerPath(
  { layer: { patterns, route }, scope }: Step,
  path: string,
  { paths }: HandlerEvents,
): string | RegExp {
  const known = route === null ? undefined : paths.get(route);
  if (known !== undefined) return known;
  if (patterns.length === 1) return patterns[0]!.source;
  const below = rooted(path.slice(scope.consumed));
  return (patterns.find((pattern) => pattern.match(below) !== null) ?? patterns[0]!).source;
}
