/**
 * Express's type names, with Express's type parameters in the same order, for ported programs.
 *
 * @module
 */
import type { ByteRanges } from "../http/byte_range.ts";
import type { Layer } from "../matching/layer.ts";
import type { ParsedQs, RouteParams } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import type { Response } from "../response/request_and_response.ts";
import type { SendFileOptions } from "../response/files/send_file.ts";
import type { ErrorHandler, Handler, HandlerList, Next, ParamHandler, ParamsOf, Path } from "../routing/handler.ts";
import type { Route } from "../routing/route.ts";
import type { Router } from "../routing/router.ts";
import type { RouteVerb, Verb } from "../routing/verbs.ts";
import type { FrameworkApp } from "./framework_app.ts";

/** Express's name for {@linkcode Next}. */
export type NextFunction = Next;

/** Express's name for {@linkcode Handler}. */
export type RequestHandler<
  P = RouteParams,
  ResBody = Any,
  ReqBody = Any,
  ReqQuery = ParsedQs,
  L extends Record<string, Any> = Record<string, Any>,
> = Handler<P, ResBody, ReqBody, ReqQuery, L>;

/** Express's name for {@linkcode ErrorHandler}. */
export type ErrorRequestHandler<
  P = RouteParams,
  ResBody = Any,
  ReqBody = Any,
  ReqQuery = ParsedQs,
  L extends Record<string, Any> = Record<string, Any>,
> = ErrorHandler<P, ResBody, ReqBody, ReqQuery, L>;

/** Express's name for {@linkcode ParamHandler}. */
export type RequestParamHandler = ParamHandler;

/**
 * Express's name for {@linkcode FrameworkApp}.
 *
 * @typeParam L Type of `app.locals`
 */
export type Application<L extends Record<string, Any> = Record<string, Any>> = FrameworkApp<
  Record<string, Any>,
  L
>;

/** Express's other name for {@linkcode FrameworkApp}: the return type of `express()`. */
export type Express = FrameworkApp;

/** Express's other name for {@linkcode Router}. */
export type IRouter = Router;

/** Express's name for {@linkcode Route}. */
export type IRoute = Route<Any>;

/** Express's name for the type of `app.get` and an application's other methods. */
export type IRouterMatcher<T, _Method extends string = string> = Verb<T>;

/** Express's name for the type of `route.get` and a route's other methods. */
export type IRouterHandler<T, _Path extends string = string> = RouteVerb<T>;

/** Express's name for the type of `app.use`, and of `app.get` with settings. */
export type ApplicationRequestHandler<T> = Verb<T> & RouteVerb<T>;

/** Express's name for the arguments after a path: handlers and error handlers, flat or in arrays. */
export type RequestHandlerParams<
  P = RouteParams,
  ResBody = Any,
  ReqBody = Any,
  ReqQuery = ParsedQs,
  L extends Record<string, Any> = Record<string, Any>,
> = HandlerList<P, ResBody, ReqBody, ReqQuery, L>;

/** Express's name for {@linkcode RouteParams}. */
export type ParamsDictionary = RouteParams;

/** Express's name for {@linkcode ParamsOf}: the parameters in a literal path. */
export type RouteParameters<P extends string> = ParamsOf<P>;

/** Express's name for the parameters in a path with wildcards. */
export type ParamsFlatDictionary = RouteParams;

/** Express's name for {@linkcode Path}. */
export type PathParams = Path;

/** Express's name for the return type of `req.range`. */
export type RequestRanges = ByteRanges;

/**
 * Express's name for {@linkcode SendFileOptions}.
 *
 * @example A download under a different name
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/report", (_req, res) => res.download("/srv/reports/7.pdf", "report.pdf", { maxAge: "1d" }));
 * ```
 */
export type DownloadOptions = SendFileOptions;

/** Express's name for the parameters in any path. */
export type Params = ParamsDictionary | ParamsFlatDictionary;

/** Express's name for an object whose values share one type. */
export type Dictionary<T> = Record<string, T>;

/** Express's name for {@linkcode Layer}. */
export type ILayer = Layer;

/** Express's name for {@linkcode ParsedQs}. */
export type Query = ParsedQs;

/** Express's name for the type of `res.send` and `res.json`. */
export type Send<ResBody = Any, T = Response<ResBody>> = (body?: ResBody) => T;

/** Express's name for a callback that receives an error. */
export type Errback = (error?: Error) => void;
