import { readCaptures } from "../matching/capture.ts";
import type { LayerSource, Step } from "../matching/layer.ts";
import { socketsExist } from "../matching/registrations.ts";
import type { AppLike } from "../request/app_like.ts";
import { Exchange, exchangeKey } from "../request/exchange.ts";
import { FrameworkRequest } from "../request/framework_request.ts";
import type { Target } from "../request/target.ts";
import { FrameworkResponse } from "../response/framework_response.ts";
import type { AppContext } from "./app_context.ts";
import { finalResponse } from "./final_response.ts";
import { type Surroundings, surroundingsOf } from "./surroundings.ts";
import { takeResult, Walk, type WalkContext, type WalkOwner } from "./walk.ts";

/** An application's own request and response classes. */
export interface AppClasses {
  /** Class of its requests. */
  readonly Request: new (exchange: Exchange) => FrameworkRequest;
  /** Class of its responses. */
  readonly Response: new (exchange: Exchange, req: FrameworkRequest) => FrameworkResponse;
}

/**
 * Handles one request, from the web request to the one web response.
 *
 * @param layers The application's layers
 * @param request The request
 * @param info The platform's second argument
 * @param platformContext The platform's third argument
 * @param app The application
 * @param classes The application's own classes, if it has any
 * @param context The application's context, if it has one
 * @returns The response; a promise if a handler had to wait
 */
export function handleRequest(
  layers: LayerSource,
  request: Request,
  info: unknown,
  platformContext: unknown,
  app: AppLike,
  classes: AppClasses | null,
  context: AppContext | null,
): Response | Promise<Response> {
  const exchange = new Exchange(request, info, platformContext, app);
  const serving = new Serving(exchange, classes);
  serving.run(layers, info, context);
  return exchange.settled();
}

/** What few requests have: another method to be matched by, or a server around the application. */
class Special {
  readonly as: string | undefined;
  readonly around: Surroundings | null;

  constructor(as: string | undefined, around: Surroundings | null) {
    this.as = as;
    this.around = around;
  }
}

/**
 * Serves one exchange: context and owner of its walks.
 *
 * A class rather than an object literal, because V8 may come to allocate the objects of a literal in the old
 * generation. They would keep all requests they refer to alive, and half the time would go into collecting garbage.
 */
class Serving implements WalkContext, WalkOwner {
  readonly req: FrameworkRequest;
  readonly res: FrameworkResponse;
  /** The layers, and the step that was run without a walk; `null` if there was a walk from the beginning. */
  layers: LayerSource | null = null;
  first: Step | null = null;
  /** Whether its handler has not returned yet. */
  isRunning = false;
  /** The walk behind that step, once there is one. */
  walk: Walk | null = null;
  #special: Special | null = null;

  constructor(exchange: Exchange, classes: AppClasses | null) {
    const req = classes === null ? new FrameworkRequest(exchange) : new classes.Request(exchange);
    this.req = req;
    this.res = req.res = classes === null ? new FrameworkResponse(exchange, req) : new classes.Response(exchange, req);
  }

  // apart from the constructor, so that both are small enough for V8 to inline
  run(layers: LayerSource, info: unknown, context: AppContext | null): void {
    const { exchange } = this;
    const { target, app } = exchange;
    const as = matchedAs(layers, target);
    const around = surroundingsOf(target.request, info);
    if (as !== undefined || around !== null) this.#special = new Special(as, around);
    try {
      around?.enter(exchange, this.req, this.res);
      if (app.settings["x-powered-by"]) this.res.setHeader("X-Powered-By", "Sluice");
      context?.setApp(this.req, this.res);
      const steps = layers.stepsFor(target.path, as ?? target.method);
      const first = steps[0];
      // a server around the application may have consumed part of the path
      const isWhole = target.mount === 0 && context === null;
      if (isWhole && first === undefined) this.walked();
      else if (isWhole && this.enter(first!, layers)) this.call(first!);
      else new Walk(layers, this, this).start(steps);
    } catch (error) {
      this.walked(error);
    }
  }

  /**
   * Enters the first layer without a walk, if it is a route with a single handler that can be called right away. Nearly
   * always that handler answers, and a walk takes as much memory as request and response together. It is made if the
   * handler calls `next()` or fails.
   *
   * @param step The first step
   * @param layers The layers
   * @returns Whether the handler may be called
   */
  enter(step: Step, layers: LayerSource): boolean {
    const { target } = this.exchange;
    if (step.route === null || step.end !== 1 || target.method === "OPTIONS") return false;
    const { captures, direct } = step;
    const { mergeParams, paramHandlers } = step.scope.source ?? layers;
    if (mergeParams || (!direct && (captures === null || paramHandlers.size > 0))) return false;
    target.mount = step.taken;
    if (!direct) {
      const params = readCaptures(captures!, target.path);
      if (params === null) {
        target.mount = 0;
        return false;
      }
      target.params = params;
    }
    this.req.route = step.route;
    this.layers = layers;
    this.first = step;
    return true;
  }

  /** Calls the handler of the layer that was entered, as a walk would. */
  call(step: Step): void {
    const { req, res } = this;
    const { fn } = step;
    const next = (signal: unknown) => this.behind().continue(signal);
    req.next = next as FrameworkRequest["next"];
    this.isRunning = true;
    let result: unknown;
    try {
      result = fn!(req, res, next);
    } catch (failure) {
      this.isRunning = false;
      return this.resume(failure);
    }
    this.isRunning = false;
    this.walk?.returned();
    if (result !== undefined && result !== res) takeResult(result, this, this);
  }

  /** Continues after the first handler, which has failed. */
  resume(failure: unknown): void {
    const walk = this.behind();
    walk.returned();
    walk.resume(failure);
  }

  /** The walk that continues after the first handler. */
  behind(): Walk {
    if (this.walk !== null) return this.walk;
    const { target } = this.exchange;
    // the state before the first handler
    target.mount = 0;
    target.params = undefined;
    this.req.next = undefined as unknown as FrameworkRequest["next"];
    return this.walk = Walk.behind(this.first!, this.isRunning, this.layers!, this, this);
  }

  get exchange(): Exchange {
    return this.req[exchangeKey];
  }

  get as(): string | undefined {
    return this.#special?.as;
  }

  // a rewrite may lead an upgrade to a WebSocket route, or away from one
  rewritten(layers: LayerSource): void {
    const { target } = this.exchange;
    const { mount } = target;
    // matched by the whole path, as in the beginning
    target.mount = 0;
    const as = matchedAs(layers, target);
    if (as !== this.as) this.#special = new Special(as, this.#special?.around ?? null);
    target.mount = mount;
  }

  get position(): Target {
    return this.exchange.target;
  }

  handlerBegan(): void {
    this.exchange.handlerBegan();
  }

  handlerEnded(): void {
    this.exchange.handlerEnded();
  }

  warn(message: string): void {
    const { app, target } = this.exchange;
    if (app.get("env") === "development") console.warn(`${message} (${target.method} ${target.originalUrl})`);
  }

  walked(error?: unknown): void {
    if (this.#special?.around?.leave(error)) return;
    try {
      finalResponse(this.req, this.res, error);
    } catch (failure) {
      const { exchange } = this;
      exchange.app.logError(failure);
      exchange.settle(new Response("Internal Server Error", { status: 500 }));
      exchange.finish();
    }
  }
}

/**
 * The method by which layers are matched, if it is not the request's own: `WS` for an upgrade to a WebSocket route.
 *
 * The `Upgrade` header is read only if the path may lead to such a route, because reading headers costs a microsecond.
 * And it counts only if the path does lead to one: otherwise clients could bypass guards of `get()` by sending it.
 *
 * @param layers The layers
 * @param target The request; its path below the present mount is matched
 */
export function matchedAs(layers: LayerSource, target: Target): "WS" | undefined {
  return socketsExist() ? upgradedAs(layers, target) : undefined;
}

function upgradedAs(layers: LayerSource, { method, path, request }: Target): "WS" | undefined {
  const isUpgrade = method === "GET" && layers.leadsToSocket(path) &&
    request.headers.get("upgrade")?.toLowerCase() === "websocket" && layers.reachesSocket(path);
  return isUpgrade ? "WS" : undefined;
}
