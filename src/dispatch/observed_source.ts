import type { AnyHandler, LayerIndex, LayerSource, Step, WalkObserver } from "../matching/layer.ts";
import type { HandlerEvents } from "./handler_events.ts";

/** Notes the calls of handlers. */
export interface CallObserver {
  /** Publishes them, if somebody subscribes. */
  readonly events: HandlerEvents | null;
  /** Notes that the handler of a step is called. */
  called(step: Step): void;
  /** Notes the error that an error handler gets. */
  failed(error: unknown): void;
}

/** The layers of a router whose calls are observed. Walks take it for the router. */
export class ObservedSource implements LayerSource, LayerIndex, WalkObserver {
  readonly #source: LayerSource;
  readonly #observer: CallObserver;
  /** The path that was matched last. */
  #path = "";

  /**
   * @param source The layers
   * @param observer Notes the calls
   */
  constructor(source: LayerSource, observer: CallObserver) {
    this.#source = source;
    this.#observer = observer;
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
    return this.#source.fastMatcher.stepsFor(path, method).map((step) =>
      step.fn === null ? step : this.#observed(step, path, method)
    );
  }

  below(step: Step): LayerSource {
    return new ObservedSource(step.layer.mounted!.source, this.#observer);
  }

  param(step: Step, name: string, handler: AnyHandler): AnyHandler {
    const { events } = this.#observer;
    if (events === null) return handler;
    const { layer } = step;
    const route = layerPath(step, this.#path);
    return (req, res, next, value) => {
      const event = { req, res, layer, handler, route, param: name };
      return events.publish(event, next, (pass) => handler(req, res, pass, value, name));
    };
  }

  #observed(step: Step, path: string, method: string): Step {
    const observer = this.#observer;
    const { events } = observer;
    const handler = step.fn!;
    const event = (req: unknown, res: unknown) => {
      return { req, res, layer: layerOf(step, method), handler, route: layerPath(step, path) };
    };
    if (step.kind === "error") {
      return step.calling((error, req, res, next) => {
        observer.failed(error);
        if (events === null) return handler(error, req, res, next);
        const failure = { ...event(req, res), errorHandler: true, incomingError: error } as const;
        return events.publish(failure, next, (pass) => handler(error, req, res, pass));
      });
    }
    return step.calling((req, res, next) => {
      observer.called(step);
      if (events === null) return handler(req, res, next);
      return events.publish(event(req, res), next, (pass) => handler(req, res, pass));
    });
  }
}

// as in Express, a route has a layer for each of its handlers
function layerOf({ layer, fn }: Step, method: string): unknown {
  return layer.route?.entriesFor(method).find((entry) => entry.fn === fn) ?? layer;
}

// the path of a layer as it was registered; of a list of paths, the one that matches
function layerPath({ layer: { patterns }, scope }: Step, path: string): string | RegExp {
  if (patterns.length === 1) return patterns[0]!.source;
  const below = path.slice(scope.consumed);
  const rooted = below.startsWith("/") ? below : `/${below}`;
  return (patterns.find((pattern) => pattern.match(rooted) !== null) ?? patterns[0]!).source;
}
