import type { LayerSource } from "../matching/layer.ts";
import { socketsExist } from "../matching/registrations.ts";
import type { AppFace } from "../request/app_face.ts";
import { Exchange } from "../request/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { finalResponse } from "./final_response.ts";
import { type Surroundings, surroundingsOf } from "./surroundings.ts";
import { Walk, type WalkContext, type WalkOwner } from "./walk.ts";

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
 * @param platformContext What the platform passes after that
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
  platformContext: unknown,
  app: AppFace,
  Req: new (exchange: Exchange) => FrameworkRequest,
  Res: new (exchange: Exchange, req: FrameworkRequest) => FrameworkResponse,
  context: RequestContext | null,
): Response | Promise<Response> {
  const exchange = new Exchange(request, info, platformContext, app);
  const req = new Req(exchange);
  const res = new Res(exchange, req);
  req.res = res;
  const around = surroundingsOf(request, info);
  const serving = new Serving(exchange, req, res, isUpgrade(layers, exchange) ? "WS" : undefined, around);
  try {
    around?.enter(exchange, req, res);
    if (app.enabled("x-powered-by")) res.setHeader("X-Powered-By", "Sluice");
    context?.setApp(req, res);
    new Walk(layers, serving, serving).start();
  } catch (error) {
    serving.walked(error);
  }
  return exchange.settled();
}

/**
 * One request being served: what its walks need, and where they end.
 *
 * A class rather than an object literal, because V8 may decide to allocate a literal's objects in the old generation;
 * then every request they point to survives with them, and half the time goes into collecting garbage.
 */
class Serving implements WalkContext, WalkOwner {
  readonly req: FrameworkRequest;
  readonly res: FrameworkResponse;
  readonly position: Exchange;
  readonly as: string | undefined;
  readonly #around: Surroundings | null;

  constructor(
    exchange: Exchange,
    req: FrameworkRequest,
    res: FrameworkResponse,
    as: string | undefined,
    around: Surroundings | null,
  ) {
    this.position = exchange;
    this.req = req;
    this.res = res;
    this.as = as;
    this.#around = around;
  }

  warn(message: string): void {
    const { app, method, originalUrl } = this.req;
    if (app.get("env") === "development") console.warn(`${message} (${method} ${originalUrl})`);
  }

  walked(error?: unknown): void {
    const { position, req, res } = this;
    if (this.#around?.leave(error)) return;
    try {
      finalResponse(req, res, error);
    } catch (failure) {
      position.app.logError(failure);
      position.settle(new Response("Internal Server Error", { status: 500 }));
      position.finish();
    }
  }
}

// the header is looked at only where a WebSocket route may lie: touching headers costs a microsecond
function isUpgrade(layers: LayerSource, exchange: Exchange): boolean {
  return socketsExist() && exchange.method === "GET" && layers.leadsToSocket(exchange.path) &&
    exchange.request.headers.get("upgrade")?.toLowerCase() === "websocket";
}
