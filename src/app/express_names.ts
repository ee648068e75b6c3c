/**
 * Types under their names in Express, with Express's type parameters in the same order, for programs that are ported.
 *
 * Two of them shadow the web's `Request` and `Response`, so only mod.ts may import this file.
 *
 * @module
 */
import type { ByteRanges } from "../http/byte_range.ts";
import type { FrameworkRequest, QueryValues, RouteParams } from "../request/framework_request.ts";
import type { Untyped } from "../request/untyped.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import type { SendFileOptions } from "../response/send_file.ts";
import type {
  ErrorHandler,
  Handler,
  HandlerList,
  Locals,
  Next,
  ParamHandler,
  ParamsOf,
  Path,
} from "../routing/handler.ts";
import type { Route } from "../routing/route.ts";
import type { Router } from "../routing/router.ts";
import type { RouteVerb, Verb } from "../routing/verbs.ts";
import type { FrameworkApp } from "./framework_app.ts";

/**
 * Express's name for {@linkcode FrameworkRequest}.
 *
 * @typeParam P Type of `req.params`
 * @typeParam _ResBody Type of the response, which is not checked
 * @typeParam ReqBody Type of `req.body`
 * @typeParam ReqQuery Type of `req.query`
 * @typeParam _L Type of `res.locals`; not used, the response has it
 */
export interface Request<
  P = RouteParams,
  _ResBody = Untyped,
  ReqBody = Untyped,
  ReqQuery = QueryValues,
  _L extends Locals = Locals,
> extends FrameworkRequest<P, ReqBody, ReqQuery> {}

/**
 * Express's name for {@linkcode FrameworkResponse}.
 *
 * @typeParam ResBody Type of the response
 * @typeParam L Type of `res.locals`
 * @typeParam Status Which statuses are allowed
 */
export interface Response<
  ResBody = Untyped,
  L extends Locals = Locals,
  Status extends number = number,
> extends FrameworkResponse<L> {
  /** Responds with a body. */
  send(body?: ResBody): this;
  /** Responds with a value as JSON. */
  json(value?: ResBody): this;
  /** Responds with JSON wrapped in a call. */
  jsonp(value?: ResBody): this;
  /** Sets the status. */
  status(code: Status): this;
  /** Responds with a status and its usual text as the body. */
  sendStatus(code: Status): this;
}

/** Express's name for {@linkcode Next}. */
export type NextFunction = Next;

/** Express's name for {@linkcode Handler}; its type parameters are those of {@linkcode Request}. */
export type RequestHandler<
  P = RouteParams,
  _ResBody = Untyped,
  ReqBody = Untyped,
  ReqQuery = QueryValues,
  L extends Locals = Locals,
> = Handler<P, ReqBody, L, ReqQuery>;

/** Express's name for {@linkcode ErrorHandler}; its type parameters are those of {@linkcode Request}. */
export type ErrorRequestHandler<
  P = RouteParams,
  _ResBody = Untyped,
  ReqBody = Untyped,
  ReqQuery = QueryValues,
  L extends Locals = Locals,
> = ErrorHandler<P, ReqBody, L, ReqQuery>;

/** Express's name for {@linkcode ParamHandler}. */
export type RequestParamHandler = ParamHandler;

/** Express's name for {@linkcode FrameworkApp}. */
export type Application<L extends Locals = Locals> = FrameworkApp<L>;

/** Express's other name for {@linkcode FrameworkApp}: what `express()` returns. */
export type Express = FrameworkApp;

/** Express's other name for {@linkcode Router}. */
export type IRouter = Router;

/** Express's name for {@linkcode Route}. */
export type IRoute = Route<Untyped>;

/** Express's name for the type of `app.get` and the other methods of an application. */
export type IRouterMatcher<T, _Method extends string = string> = Verb<T>;

/** Express's name for the type of `route.get` and the other methods of a route. */
export type IRouterHandler<T, _Path extends string = string> = RouteVerb<T>;

/** Express's name for what may follow a path: handlers and error handlers, in lists or not. */
export type RequestHandlerParams<
  P = RouteParams,
  _ResBody = Untyped,
  ReqBody = Untyped,
  ReqQuery = QueryValues,
  L extends Locals = Locals,
> = HandlerList<P, L, ReqBody, ReqQuery>;

/** Express's name for {@linkcode RouteParams}. */
export type ParamsDictionary = RouteParams;

/** Express's name for {@linkcode ParamsOf}: the parameters of a literal path. */
export type RouteParameters<P extends string> = ParamsOf<P>;

/** Express's name for the parameters of a path with wildcards. */
export type ParamsFlatDictionary = RouteParams;

/** Express's name for {@linkcode Path}. */
export type PathParams = Path;

/** Express's name for what `req.range` returns. */
export type RequestRanges = ByteRanges;

/** Express's name for {@linkcode SendFileOptions}. */
export type DownloadOptions = SendFileOptions;

/** Express's name for {@linkcode QueryValues}. */
export type Query = QueryValues;

/** Express's name for what `res.send` and `res.json` are. */
export type Send<ResBody = Untyped, T = Response<ResBody>> = (body?: ResBody) => T;

/** Express's name for a callback that is told what went wrong. */
export type Errback = (error?: Error) => void;
