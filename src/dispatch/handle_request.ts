import { asciiLowerCase } from "../util/ascii.ts";
import type { LayerSource } from "../matching/layer.ts";
import { socketsExist } from "../matching/registrations.ts";
import type { AppLike } from "../exchange/app_like.ts";
import { poweredBy } from "../exchange/app_profile.ts";
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
import { OPEN_TELEMETRY, type Registry } from "../exchange/open_telemetry.ts";
import { type Hosted, type HostServer, hostServerKey } from "./host_server.ts";
import type { SentryRegistry } from "./sentry.ts";
import { timingsExist } from "./server_timing.ts";
import { Walk, type WalkOwner } from "./walk.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** Classes for an application's requests and responses. */
export interface AppClasses {
  /** Its request class. */
  readonly Request: new (exchange: Exchange) => FrameworkRequest;
  /** Its response class. */
  readonly Response: new (exchange: Exchange, req: FrameworkRequest) => FrameworkResponse;
}

/**
 * Handles one request, from web request to web response.
 *
 * @param layers The application's layers
 * @param request The request
 * @param info The platform's second argument
 * @param platformContext The platform's third argument
 * @param app The application
 * @param classes The application's own classes, if any
 * @param context The application's context, if any
 * @returns The response; a promise if a handler was asynchronous
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
  if (observation !== null) return serveObserved(layers, exchange, req, context, observation);
  serveExchange(layers, exchange, req, context, null);
  return exchange.settled();
}

// a separate function, because otherwise every request would allocate the closure's variables
function serveObserved(
  layers: LayerSource,
  exchange: Exchange,
  req: FrameworkRequest,
  context: AppContext | null,
  observation: Observation,
): Response | Promise<Response> {
  return observation.follow(() => serveExchange(layers, exchange, req, context, observation));
}

/** The channel for publishing handler calls; `null` if there is none, `undefined` before the first request. */
let channel: TracingChannels | null | undefined = undefined;

// In this file, because it runs on every request. Only an active span, the setting and a subscriber matter.
function observationOf(exchange: Exchange, req: FrameworkRequest): Observation | null {
  let heard: TracingChannels | null = null;
  try {
    if (channel === undefined) channel = exchange.app[runtimeKey].handlerChannel?.() ?? null;
    if (channel !== null) {
      const { start, end, error, asyncStart, asyncEnd } = channel;
      // TracingChannel reports this itself, but not on Bun, nor on Node before 20.13
      const isHeard = start.hasSubscribers || end.hasSubscribers || error.hasSubscribers ||
        asyncStart.hasSubscribers || asyncEnd.hasSubscribers;
      if (isHeard) heard = channel;
    }
    const isNoted = (globalThis as Registry)[OPEN_TELEMETRY] !== undefined ||
      (globalThis as SentryRegistry).__SENTRY__ !== undefined;
    if (!isNoted && heard === null && !timingsExist) return null;
  } catch (error) {
    reportTelemetry(exchange.app, "what is registered", error);
  }
  return beginObservation(req, heard);
}

// separate from object creation, so both functions are small enough for V8 to inline
function serveExchange(
  layers: LayerSource,
  exchange: Exchange,
  req: FrameworkRequest,
  context: AppContext | null,
  observation: Observation | null,
): void {
  const { target, app, info } = exchange;
  // where the server has checked the header, the URL's parts cannot differ
  const isTrusted = target.doubt === TARGET_DOUBT.shared && app[runtimeKey].joinedHost === undefined;
  if (target.doubt !== TARGET_DOUBT.none && !isTrusted) {
    if (isNodeRequest(exchange)) return refuseNodeRequest(exchange);
    if (isImproper(exchange)) return refuseImproper(exchange);
  }
  const res = req.res as FrameworkResponse;
  const as = matchedAs(layers, target, app);
  const host = (info as Hosted | null | undefined)?.[hostServerKey]?.(target.request) ?? null;
  const next = host !== null && host.takesOver ? host : null;
  const serving = next === null && observation === null ? ALONE : new Serving(next, observation);
  try {
    host?.enter(exchange, req, res);
    if (app.settings["x-powered-by"]) res.setHeader("X-Powered-By", poweredBy(app));
    context?.setApp(req, res);
    const walked = observation === null ? layers : observation.over(layers);
    const first = walked.fastMatcher.stepsFor(target.path, as ?? target.method);
    new Walk(walked, serving, req, res, target, as).start(first);
  } catch (error) {
    serving.conclude(req, res, error);
  }
}

/** Continues after the last layer. */
class Serving implements WalkOwner {
  readonly #host: HostServer | null;
  readonly #observation: Observation | null;

  /**
   * @param host The surrounding server if it takes over
   * @param observation The request's observation, if any
   */
  constructor(host: HostServer | null, observation: Observation | null) {
    this.#host = host;
    this.#observation = observation;
  }

  walked(error: unknown, { req, res }: Walk): void {
    this.conclude(req as FrameworkRequest, res as FrameworkResponse, error);
  }

  // a rewrite may send an upgrade to a WebSocket route, or away from one
  rewritten(layers: LayerSource, { req }: Walk): string | undefined {
    const { target, app } = (req as FrameworkRequest)[exchangeKey];
    const { mount } = target;
    // matched by the whole path, as at the start
    target.consume(0);
    const as = matchedAs(layers, target, app);
    target.consume(mount);
    return as;
  }

  /** Responds with the error page or 404, unless the surrounding server takes over. */
  conclude(req: FrameworkRequest, res: FrameworkResponse, error: unknown): void {
    if (error === undefined) this.#observation?.passed();
    else this.#observation?.failed(error);
    if (this.#host?.leave(error)) return;
    try {
      sendErrorPage(req, res, error);
    } catch (failure) {
      const exchange = req[exchangeKey];
      exchange.app.reportError(failure, { req, phase: "handler" });
      exchange.settleWhole(new Response("Internal Server Error", { status: 500 }));
    }
  }
}

/** For nearly all requests: no server takes over, and nothing observes them. */
const ALONE = new Serving(null, null);

/**
 * Returns the method that layers match, if it is not the request's own: `WS` for an upgrade to a WebSocket route.
 *
 * The `Upgrade` header is read only if the path may match such a route, because reading headers costs a microsecond. It
 * counts only if the path does match one: otherwise clients could bypass `get()` guards by sending it.
 *
 * @param layers The layers
 * @param target The request; its path below the current mount is matched
 * @param app Reads the header
 */
export function matchedAs(layers: LayerSource, target: Target, app: AppLike): "WS" | undefined {
  return socketsExist ? upgradedAs(layers, target, app) : undefined;
}

function upgradedAs(
  layers: LayerSource,
  { method, path, request }: Target,
  { [runtimeKey]: runtime }: AppLike,
): "WS" | undefined {
  const isUpgrade = method === "GET" && layers.fastMatcher.leadsToSocket(path) &&
    asciiLowerCase(runtime.header(request, "upgrade") ?? "") === "websocket" && layers.fastMatcher.reachesSocket(path);
  return isUpgrade ? "WS" : undefined;
}
