import { asciiLowerCase } from "../util/ascii.ts";
import type { LayerSource } from "../matching/layer.ts";
import { socketsExist } from "../matching/registrations.ts";
import type { AppLike } from "../exchange/app_like.ts";
import { Exchange, exchangeKey } from "../exchange/exchange.ts";
import { FrameworkRequest } from "../request/framework_request.ts";
import type { TracingChannels } from "../exchange/runtime_support.ts";
import { reportTelemetry } from "../exchange/telemetry_guard.ts";
import { TARGET_DOUBT } from "../exchange/target_doubt.ts";
import type { Target } from "../exchange/target.ts";
import { FrameworkResponse } from "../response/framework_response.ts";
import type { AppContext } from "./app_context.ts";
import { sendErrorPage } from "./error_page.ts";
import { isImproper, refuseImproper } from "./improper_host.ts";
import { isNodeRequest, refuseNodeRequest } from "./node_request.ts";
import { beginObservation, type Observation } from "./observation.ts";
import { OPEN_TELEMETRY } from "./request_span.ts";
import { noteReturned, type Returned } from "./returned_value.ts";
import { type Hosted, type HostServer, hostServerKey } from "./host_server.ts";
import { timingsExist } from "./server_timing.ts";
import { Walk, type WalkContext, type WalkOwner } from "./walk.ts";

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
  const req = classes === null ? new FrameworkRequest(exchange) : new classes.Request(exchange);
  req.res = classes === null ? new FrameworkResponse(exchange, req) : new classes.Response(exchange, req);
  const observation = observationOf(exchange, req);
  serve(layers, exchange, req, info, context, observation);
  return observation === null ? exchange.settled() : observation.follow(exchange.settled());
}

/** Where an OpenTelemetry API may be registered. */
interface Noted {
  readonly [OPEN_TELEMETRY]?: unknown;
}

/** The channel on which calls of handlers are published, `null` for none, `undefined` before the first request. */
let channel: TracingChannels | null | undefined = undefined;

// In this file, because it is asked for every request. An active span, the setting and a subscriber are all there is.
function observationOf(exchange: Exchange, req: FrameworkRequest): Observation | null {
  let heard: TracingChannels | null = null;
  try {
    if (channel === undefined) channel = exchange.app.runtimeSupport.handlerChannel?.() ?? null;
    if (channel !== null) {
      const { start, end, error, asyncStart, asyncEnd } = channel;
      // TracingChannel tells by itself, but not on Bun, nor on Node before 20.13
      const isHeard = start.hasSubscribers || end.hasSubscribers || error.hasSubscribers ||
        asyncStart.hasSubscribers || asyncEnd.hasSubscribers;
      if (isHeard) heard = channel;
    }
    const isNoted = (globalThis as Noted)[OPEN_TELEMETRY] !== undefined;
    if (!isNoted && heard === null && !timingsExist) return null;
  } catch (error) {
    reportTelemetry(exchange.app, "what is registered", error);
  }
  return beginObservation(exchange, req.res as FrameworkResponse, heard);
}

/** What few requests have: another method to be matched by, a server around the application, somebody who observes. */
class RareData {
  readonly as: string | undefined;
  readonly host: HostServer | null;
  readonly observation: Observation | null;

  constructor(as: string | undefined, host: HostServer | null, observation: Observation | null) {
    this.as = as;
    this.host = host;
    this.observation = observation;
  }
}

// apart from what makes the objects, so that both are small enough for V8 to inline
function serve(
  layers: LayerSource,
  exchange: Exchange,
  req: FrameworkRequest,
  info: unknown,
  context: AppContext | null,
  observation: Observation | null,
): void {
  const { target, app } = exchange;
  if (target.doubt !== TARGET_DOUBT.none) {
    if (isNodeRequest(exchange)) return refuseNodeRequest(exchange, info);
    if (isImproper(exchange)) return refuseImproper(exchange);
  }
  const res = req.res as FrameworkResponse;
  const as = matchedAs(layers, target);
  const found = (info as Hosted | null | undefined)?.[hostServerKey];
  const host = found?.isOf(target.request) ? found : null;
  const isRare = as !== undefined || host !== null || observation !== null;
  const rareData = isRare ? new RareData(as, host, observation) : null;
  try {
    host?.enter(exchange, req, res);
    if (app.settings["x-powered-by"]) res.setHeader("X-Powered-By", "Sluice");
    context?.setApp(req, res);
    const serving = new Serving(req, res, rareData);
    const walked = observation === null ? layers : observation.over(layers);
    new Walk(walked, serving, serving).start(walked.stepsFor(target.path, as ?? target.method));
  } catch (error) {
    conclude(req, res, rareData, error);
  }
}

// what follows the last layer
function conclude(req: FrameworkRequest, res: FrameworkResponse, rareData: RareData | null, error: unknown): void {
  if (error === undefined) rareData?.observation?.passed();
  else rareData?.observation?.failed(error);
  if (rareData?.host?.leave(error)) return;
  try {
    sendErrorPage(req, res, error);
  } catch (failure) {
    const exchange = req[exchangeKey];
    exchange.app.reportError(failure, { req, phase: "handler" });
    exchange.settle(new Response("Internal Server Error", { status: 500 }));
    exchange.finish();
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
  #rareData: RareData | null;

  constructor(req: FrameworkRequest, res: FrameworkResponse, rareData: RareData | null) {
    this.req = req;
    this.res = res;
    this.#rareData = rareData;
  }

  get exchange(): Exchange {
    return this.req[exchangeKey];
  }

  get as(): string | undefined {
    return this.#rareData?.as;
  }

  // a rewrite may lead an upgrade to a WebSocket route, or away from one
  rewritten(layers: LayerSource): void {
    const { target } = this.exchange;
    const { mount } = target;
    // matched by the whole path, as in the beginning
    target.mount = 0;
    const as = matchedAs(layers, target);
    if (as !== this.as) {
      this.#rareData = new RareData(as, this.#rareData?.host ?? null, this.#rareData?.observation ?? null);
    }
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

  returned(returned: Returned): void {
    noteReturned(this.exchange, returned);
  }

  late(error: unknown): void {
    this.exchange.app.reportError(error, { req: this.req, phase: "handler" });
  }

  walked(error?: unknown): void {
    conclude(this.req, this.res, this.#rareData, error);
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
  return socketsExist ? upgradedAs(layers, target) : undefined;
}

function upgradedAs(layers: LayerSource, { method, path, request }: Target): "WS" | undefined {
  const isUpgrade = method === "GET" && layers.leadsToSocket(path) &&
    asciiLowerCase(request.headers.get("upgrade") ?? "") === "websocket" && layers.reachesSocket(path);
  return isUpgrade ? "WS" : undefined;
}
