/**
 * All of Sluice's types: those the main entry exports, and those that appear only in its signatures, such as parameter
 * types. Import them from here; the entry contains no code. Aliased as `express-serve-static-core`, it replaces that
 * package's types.
 *
 * @example A function that accepts `req.socket`
 * ```ts
 * import type { RequestSocket } from "@sluice/sluice/types";
 *
 * export const isLocal = (socket: RequestSocket): boolean => socket.remoteAddress === "127.0.0.1";
 * ```
 *
 * @module
 */
export type * from "./mod.ts";
export type {
  ApplicationRequestHandler,
  Dictionary,
  DownloadOptions,
  ILayer,
  Params,
  ParamsDictionary,
  ParamsFlatDictionary,
  PathParams,
  Query,
  RequestHandlerParams,
  RequestRanges,
  RouteParameters,
} from "./src/app/express_names.ts";
export type { AppContext } from "./src/dispatch/app_context.ts";
export type { SettingOrVerb } from "./src/app/framework_app.ts";
export type { AnySettingName, SettingName, SpelledSetting } from "./src/app/setting_names.ts";
export type { ErrorListener } from "./src/app/report_error.ts";
export type { ListenCallback } from "./src/app/lifecycle.ts";
export type { BodyLimits, BodyLimitSetting } from "./src/request/body/body_settings.ts";
export type { AnyFunction, Callable } from "./src/util/callable.ts";
export type { Emitter } from "./src/util/emitter.ts";
export type { EmitterMethods, EventName, Listener } from "./src/util/emitter_methods.ts";
export type { ByteRange, ByteRanges } from "./src/http/byte_range.ts";
export type { TrustFunction, TrustSetting } from "./src/http/trust_proxy.ts";
export type { ForeignVerify, RawBytes } from "./src/middleware/body/body_options.ts";
export type { BodyParser } from "./src/middleware/body/body_parser.ts";
export type { LoadFigures } from "./src/middleware/overload/load.ts";
export type { RequestPriority } from "./src/middleware/overload/options.ts";
export type { Validate } from "./limiting/mistakes.ts";
export type { RateLimitMiddleware } from "./src/middleware/rate_limit/rate_limit.ts";
export type { StaticFiles, StaticFileStat } from "./src/middleware/static_files.ts";
export type { ServerCounts, ServerTimeouts } from "./src/platform/shared/platform.ts";
export type { AppLike, RenderCallback, SettingValue } from "./src/exchange/app_like.ts";
export type { ErrorPhase } from "./src/exchange/error_context.ts";
export type { NodeRequest, ParsedQs, RouteParams } from "./src/request/framework_request.ts";
export type { CommonExtras, Declared, RateLimitQuota } from "./src/request/request_extras.ts";
export type { ResponseLike } from "./src/exchange/response_like.ts";
export type { Any } from "./src/util/any.ts";
export type { IncomingMessage } from "./src/request/node/incoming_message.ts";
export type { HeaderName, HeaderRecord, NamedHeaders } from "./src/request/node/header_record.ts";
export type { Destination } from "./src/request/node/body_pipes.ts";
export type { PeerCertificate, RequestSocket } from "./src/request/node/request_socket.ts";
export type { Peer } from "./src/exchange/peer.ts";
export type { CommonResponseExtras, FormatHandlers, SendBody } from "./src/response/framework_response.ts";
export type { Chunk } from "./src/util/chunk_bytes.ts";
export type { DotfilePolicy } from "./src/response/files/file_path.ts";
export type { FileOptions } from "./src/response/files/file_transfer.ts";
export type { HeaderValue } from "./src/response/web/outgoing_headers.ts";
export type { BodySource } from "./src/response/web/streamed_body.ts";
export type { HeaderInit, HeaderMethods } from "./src/response/node/header_methods.ts";
export type { EndCallback, OutgoingMessage, WriteCallback } from "./src/response/node/outgoing_message.ts";
export type { FileError, SendFileCallback } from "./src/response/files/send_file.ts";
export type {
  ForeignErrorHandler,
  ForeignHandler,
  HandlerList,
  Path,
  PathHandler,
  ReusableErrorHandler,
  ReusableHandler,
} from "./src/routing/handler.ts";
export type {
  LayerViews,
  PrefixMiddleware,
  RouteDefinition,
  SubRouter,
  WebSocketRouteDefinition,
} from "./src/routing/layer_views.ts";
export type { HandlerBehind, HandlersBehind } from "./src/routing/making_middleware.ts";
export type { ParamsOfPath } from "./src/routing/path_params.ts";
export type { FetchApp, FetchHandler } from "./src/routing/fetch_mount.ts";
export type { RouteEntry } from "./src/routing/route.ts";
export type { RouteInfo } from "./src/routing/route_listing.ts";
export type { BaseRouter, GroupCallback, RouterConstructor } from "./src/routing/router.ts";
export type { ListRoutesOptions, PrintRoutesOptions } from "./src/routing/router_options.ts";
export type { RouterVerbs, RouteVerb, RouteVerbs, Use, Verb } from "./src/routing/verbs.ts";
export type { ViewOptions } from "./src/views/view.ts";
export type { SocketData } from "./src/websocket/socket_data.ts";
export type { ConnectionData, ConnectionEvents } from "./src/websocket/ws_connection.ts";
