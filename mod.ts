/**
 * Sluice: Express's API on a pure Fetch core.
 *
 * The default export creates an application. `app.fetch` serves it on any runtime with the Fetch API; `app.listen`
 * works wherever the runtime can listen.
 *
 * @example A small application
 * ```ts
 * import sluice, { rateLimit } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(sluice.json());
 * app.use("/api", rateLimit({ windowMs: 60_000, limit: 100 }));
 * app.get("/api/users/:id", (req, res) => res.json({ id: req.params.id }));
 *
 * const response = await app.handle(new Request("http://localhost/api/users/7"));
 * console.log(await response.json());
 * ```
 *
 * @module
 */
// the value that require() returns; it adds nothing to the types
export * from "./src/app/common_js.js";
export { application, createApp as default, request, response } from "./src/app/create_app.ts";
export type { CreateApp } from "./src/app/create_app.ts";
export { type ApplicationExtras, FrameworkApp } from "./src/app/framework_app.ts";
export type { AppSettings } from "./src/app/settings.ts";
export type { CloseOptions } from "./src/app/lifecycle.ts";
export type { InjectInit, InjectRequest, InjectTarget } from "./src/app/injected_request.ts";
export type { Server } from "./src/app/server.ts";
export { HttpError, type HttpErrorOptions } from "./src/http/http_error.ts";
export { Layer } from "./src/matching/layer.ts";
export { FastMatcher } from "./src/matching/fast_matcher.ts";
export type { ListenOptions } from "./src/platform/shared/platform.ts";
export type { ErrorContext } from "./src/exchange/error_context.ts";

// routes and handlers
export type { Middleware, RequestBehind, ResponseBehind } from "./src/routing/making_middleware.ts";
export type { ErrorHandler, Handler, HandlerResult, Next, ParamHandler, ParamsOf } from "./src/routing/handler.ts";
export { Route } from "./src/routing/route.ts";
export type { DetailedRoute, ListedHandler } from "./src/routing/detailed_routes.ts";
export type { RegisteredRoute } from "./src/routing/route_listing.ts";
export type { HandlerDetails, Registration } from "./src/util/handler_details.ts";
export { Router } from "./src/routing/router.ts";
export type { GroupOptions, RouterOptions } from "./src/routing/router_options.ts";

// requests and responses
export { FrameworkRequest } from "./src/request/framework_request.ts";
export type { RequestExtras } from "./src/request/request_extras.ts";
export { FrameworkResponse, type Locals, type ResponseExtras } from "./src/response/framework_response.ts";
export type { Request, Response } from "./src/response/request_and_response.ts";
export type { SendFileOptions } from "./src/response/files/send_file.ts";
export type { CookieOptions } from "./src/response/set_cookie.ts";
export { type Engine, View } from "./src/views/view.ts";

// middleware
export type { BodyOptions, JsonOptions, UrlencodedOptions, Verify } from "./src/middleware/body/body_options.ts";
export { json } from "./src/middleware/body/json.ts";
export { raw } from "./src/middleware/body/raw.ts";
export { text } from "./src/middleware/body/text.ts";
export { urlencoded } from "./src/middleware/body/urlencoded.ts";
export { serveStatic, serveStatic as static, type ServeStaticOptions } from "./src/middleware/static_files.ts";
export { clientKey, type ClientKeyOptions } from "./limiting/client_key.ts";
export { parseSubnet, type SubnetTest } from "./src/http/ip_address.ts";
export type { RateLimitOptions } from "./src/middleware/rate_limit/options.ts";
export { rateLimit } from "./src/middleware/rate_limit/rate_limit.ts";
export type { ShedLoadOptions } from "./src/middleware/overload/options.ts";
export { type LoadShedder, shedLoad } from "./src/middleware/overload/shed_load.ts";

// WebSockets
export { Connections, type Member } from "./src/websocket/connections.ts";
export type { TopicBroker, TopicHost } from "./src/websocket/topic_broker.ts";
export type { WebSocketConnection } from "./src/websocket/ws_connection.ts";
export type { WebSocketHandlers } from "./src/websocket/ws_handlers.ts";

// Express's own type names
export type {
  Application,
  Errback,
  ErrorRequestHandler,
  Express,
  IRoute,
  IRouter,
  IRouterHandler,
  IRouterMatcher,
  NextFunction,
  RequestHandler,
  RequestParamHandler,
  Send,
} from "./src/app/express_names.ts";
