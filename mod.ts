/**
 * Sluice: Express's API on a pure Fetch core.
 *
 * The default export makes an application; `app.fetch` serves it on any runtime with a Fetch API, `app.listen` where
 * the runtime can listen.
 *
 * @example A small application
 * ```ts
 * import sluice, { rateLimit } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(sluice.json());
 * app.use("/api", rateLimit({ windowMs: 60_000, max: 100 }));
 * app.get("/api/users/:id", (req, res) => res.json({ id: req.params.id }));
 *
 * const response = await app.handle(new Request("http://localhost/api/users/7"));
 * console.log(await response.json());
 * ```
 *
 * @module
 */
// what require() returns; it adds nothing to the types
export * from "./src/app/common_js.js";
export { application, createApp as default, request, response } from "./src/app/create_app.ts";
export type { CreateApp } from "./src/app/create_app.ts";
export type {
  Application,
  ApplicationRequestHandler,
  Dictionary,
  DownloadOptions,
  Errback,
  ErrorRequestHandler,
  Express,
  ILayer,
  IRoute,
  IRouter,
  IRouterHandler,
  IRouterMatcher,
  NextFunction,
  Params,
  ParamsDictionary,
  ParamsFlatDictionary,
  PathParams,
  Query,
  RequestHandler,
  RequestHandlerParams,
  RequestParamHandler,
  RequestRanges,
  RouteParameters,
  Send,
} from "./src/app/express_names.ts";
export { type ApplicationExtras, FrameworkApp } from "./src/app/framework_app.ts";
export type { AppContext } from "./src/dispatch/app_context.ts";
export type { ErrorListener } from "./src/app/report_error.ts";
export type { CloseOptions, ListenCallback } from "./src/app/lifecycle.ts";
export type { Server } from "./src/app/server.ts";
export type { AppSettings } from "./src/app/settings.ts";
export type { BodyLimits, BodyLimitSetting } from "./src/request/body/body_settings.ts";
export { type AnyFunction, Callable } from "./src/util/callable.ts";
export { Emitter } from "./src/util/emitter.ts";
export type { EmitterMethods, EventName, Listener } from "./src/util/emitter_methods.ts";
export type { ByteRange, ByteRanges } from "./src/http/byte_range.ts";
export type { TrustFunction, TrustSetting } from "./src/http/trust_proxy.ts";
export { HttpError, type HttpErrorOptions } from "./src/http/http_error.ts";
export { FastMatcher } from "./src/matching/fast_matcher.ts";
export { Layer } from "./src/matching/layer.ts";

export type {
  BodyOptions,
  ForeignVerify,
  JsonOptions,
  RawBytes,
  UrlencodedOptions,
  Verify,
} from "./src/middleware/body/body_options.ts";
export type { BodyParser } from "./src/middleware/body/body_parser.ts";
export { json } from "./src/middleware/body/json.ts";
export { raw } from "./src/middleware/body/raw.ts";
export { text } from "./src/middleware/body/text.ts";
export { urlencoded } from "./src/middleware/body/urlencoded.ts";
export type { LoadFigures } from "./src/middleware/overload/load.ts";
export type { RequestPriority, ShedLoadOptions } from "./src/middleware/overload/options.ts";
export { type LoadShedder, shedLoad } from "./src/middleware/overload/shed_load.ts";
export { clientKey, type ClientKeyOptions } from "./limiting/client_key.ts";
export type { Validate } from "./limiting/mistakes.ts";
export type { RateLimitOptions } from "./src/middleware/rate_limit/options.ts";
export { rateLimit, type RateLimitMiddleware } from "./src/middleware/rate_limit/rate_limit.ts";
export {
  serveStatic,
  serveStatic as static,
  type ServeStaticOptions,
  type StaticFiles,
  type StaticFileStat,
} from "./src/middleware/static_files.ts";
export type { ListenOptions, ServerCounts, ServerTimeouts } from "./src/platform/shared/platform.ts";
export type { AppLike, RenderCallback, SettingValue } from "./src/exchange/app_like.ts";
export type { ErrorContext, ErrorPhase } from "./src/exchange/error_context.ts";
export {
  FrameworkRequest,
  type NodeRequest,
  type ParsedQs,
  type RouteParams,
} from "./src/request/framework_request.ts";
export type { CommonExtras, Declared, RequestExtras } from "./src/request/request_extras.ts";
export type { ResponseLike } from "./src/exchange/response_like.ts";
export type { Any } from "./src/util/any.ts";
export { IncomingMessage } from "./src/request/node/incoming_message.ts";
export type { HeaderName, HeaderRecord, NamedHeaders } from "./src/request/node/header_record.ts";
export type { Destination } from "./src/request/node/body_pipes.ts";
export { type PeerCertificate, RequestSocket } from "./src/request/node/request_socket.ts";
export type { Peer } from "./src/exchange/peer.ts";
export {
  type FormatHandlers,
  FrameworkResponse,
  type Locals,
  type ResponseExtras,
  type SendBody,
} from "./src/response/framework_response.ts";
export type { Request, Response } from "./src/response/request_and_response.ts";
export type { Chunk } from "./src/util/chunk_bytes.ts";
export type { DotfilePolicy } from "./src/response/files/file_path.ts";
export type { FileOptions } from "./src/response/files/file_transfer.ts";
export type { HeaderValue } from "./src/response/web/outgoing_headers.ts";
export type { BodySource } from "./src/response/web/streamed_body.ts";
export { type HeaderInit, HeaderMethods } from "./src/response/node/header_methods.ts";
export { type EndCallback, OutgoingMessage, type WriteCallback } from "./src/response/node/outgoing_message.ts";
export type { FileError, SendFileCallback, SendFileOptions } from "./src/response/files/send_file.ts";
export type { CookieOptions } from "./src/response/set_cookie.ts";
export type {
  ErrorHandler,
  ForeignErrorHandler,
  ForeignHandler,
  Handler,
  HandlerList,
  HandlerResult,
  Next,
  ParamHandler,
  ParamsOf,
  Path,
  PathHandler,
  ReusableErrorHandler,
  ReusableHandler,
} from "./src/routing/handler.ts";
export type {
  PrefixMiddleware,
  RouteDefinition,
  SubRouter,
  WebSocketRouteDefinition,
} from "./src/routing/layer_views.ts";
export type { ParamsOfPath } from "./src/routing/path_params.ts";
export type { FetchApp, FetchHandler } from "./src/routing/fetch_mount.ts";
export { Route, type RouteEntry } from "./src/routing/route.ts";
export type { RegisteredRoute, RouteInfo } from "./src/routing/route_listing.ts";
export { BaseRouter, type GroupCallback, Router, type RouterConstructor } from "./src/routing/router.ts";
export type { GroupOptions, PrintRoutesOptions, RouterOptions } from "./src/routing/router_options.ts";
export type { RouterVerbs, RouteVerb, RouteVerbs, Verb } from "./src/routing/verbs.ts";
export { type Engine, View, type ViewOptions } from "./src/views/view.ts";
export { Connections, type Member } from "./src/websocket/connections.ts";
export type { SocketData } from "./src/websocket/socket_data.ts";
export type { TopicBroker, TopicHost } from "./src/websocket/topic_broker.ts";
export { type ConnectionData, type ConnectionEvents, WebSocketConnection } from "./src/websocket/ws_connection.ts";
export type { WebSocketHandlers } from "./src/websocket/ws_handlers.ts";
