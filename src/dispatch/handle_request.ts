import type { LayerSource } from "../matching/layer.ts";
import { socketsExist } from "../matching/registrations.ts";
import type { AppFace } from "../request/app_face.ts";
import { Exchange } from "../request/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { finalResponse } from "./final_response.ts";
import { Walk } from "./walk.ts";

/** Puts an application's own things onto a request before its first layer. */
export interface RequestContext {
  /** Called with the pair of every request. */
  setApp(req: FrameworkRequest, res: FrameworkResponse): void;
}

/**
 * One request's life: from the web request to the one web response.
 *
 * @param layers The application's layers
 * @param request The request
 * @param info What the platform passes beside it
 * @param app The application
 * @param Req The application's request class
 * @param Res The application's response class
 * @param context The application's context, if it has one
 * @returns The response, at once if no handler had to wait
 */
export function handleRequest(
  layers: LayerSource,
  request: Request,
  info: unknown,
  app: AppFace,
  Req: new (exchange: Exchange) => FrameworkRequest,
  Res: new (exchange: Exchange, req: FrameworkRequest) => FrameworkResponse,
  context: RequestContext | null,
): Response | Promise<Response> {
  const exchange = new Exchange(request, info, app);
  const req = new Req(exchange);
  const res = new Res(exchange, req);
  req.res = res;
  try {
    if (app.enabled("x-powered-by")) res.setHeader("X-Powered-By", "Sluice");
    context?.setApp(req, res);
    const as = isUpgrade(layers, exchange) ? "WS" : undefined;
    const warn = (message: string) => warnDeveloper(app, req, message);
    new Walk(layers, { req, res, position: exchange, as, warn }, (error) => finish(exchange, req, res, error)).start();
  } catch (error) {
    finish(exchange, req, res, error);
  }
  return exchange.settled();
}

// the header is looked at only where a WebSocket route may lie: touching headers costs a microsecond
function isUpgrade(layers: LayerSource, exchange: Exchange): boolean {
  return socketsExist() && exchange.method === "GET" && layers.leadsToSocket(exchange.path) &&
    exchange.request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

function warnDeveloper(app: AppFace, req: FrameworkRequest, message: string): void {
  if (app.get("env") === "development") console.warn(`${message} (${req.method} ${req.originalUrl})`);
}

function finish(exchange: Exchange, req: FrameworkRequest, res: FrameworkResponse, error: unknown): void {
  try {
    finalResponse(req, res, error);
  } catch (failure) {
    exchange.app.logError(failure);
    exchange.settle(new Response("Internal Server Error", { status: 500 }));
    exchange.finish();
  }
}
