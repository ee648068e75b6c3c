import type { NodeRequest, ParsedQs, RouteParams } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import type { Request as TypedRequest, Response as TypedResponse } from "../response/request_and_response.ts";
import type { ParamsOfPath } from "./path_params.ts";

/**
 * A type argument that is explicit or its default, never inferred from handlers: a handler from npm would otherwise
 * change the types of its neighbors. Unlike `NoInfer`, it does not show up in editors.
 *
 * @internal
 */
export type Given<T> = [T][T extends unknown ? 0 : never];

/**
 * Calls the next layer. An error skips to the next error handler; `"route"` skips the rest of the route, `"router"` the
 * rest of the router.
 */
export type Next = (error?: unknown) => void;

/** A handler's return value: a web `Response` is sent; anything else is ignored. */
export type HandlerResult = void;

/**
 * The type of all values a handler may return, except the return type of middleware that declares what it adds to
 * requests. All objects and primitives have this method; `Made` has a different property with that name.
 *
 * @internal
 */
export type PlainResult = void | null | undefined | { propertyIsEnumerable(name: PropertyKey): boolean };

/**
 * Declared as a method, so parameters are bivariant: a handler may require more, such as `req & { user: User }`.
 *
 * @internal
 */
export interface HandlerShape<P, ResBody, ReqBody, ReqQuery, L extends Record<string, Any>, Result> {
  /** The handler. */
  call(
    req: TypedRequest<P, ResBody, ReqBody, ReqQuery, L>,
    res: TypedResponse<ResBody, L>,
    next: Next,
  ): Result;
}

/**
 * Declared as a method, for the same reason.
 *
 * @internal
 */
export interface ErrorHandlerShape<P, ResBody, ReqBody, ReqQuery, L extends Record<string, Any>, Result> {
  /** The error handler. */
  call(
    error: Any,
    req: TypedRequest<P, ResBody, ReqBody, ReqQuery, L>,
    res: TypedResponse<ResBody, L>,
    next: Next,
  ): Result;
}

/**
 * Declared as a method, for the same reason.
 *
 * @internal
 */
export interface ParamHandlerShape {
  /** The parameter handler. */
  call(req: TypedRequest, res: TypedResponse, next: Next, value: Any, name: string): HandlerResult;
}

/**
 * Parameters without specific names. This is a weak type (all properties optional), so the compiler rejects types that
 * share no property with it: types with named parameters, but not `Record<string, string>`.
 *
 * @internal
 */
export interface AnyNames {
  /** Never present: no parameter can have this name. */
  readonly "*"?: unknown;
}

/**
 * Parameters that a reusable handler may declare: any, if the parameters in the path or in enclosing paths (which a
 * router may merge) are unknown.
 *
 * @internal
 */
export type NamesFor<Params, Around = never> = string extends keyof Params ? Any
  : unknown extends Around ? Any
  : AnyNames;

/**
 * Declared as a method for the same reason, and twice: in a union with `Handler`, a second type with one signature
 * would leave inline handlers without contextual parameter types. Two signatures, one of them generic, cannot be
 * unified, so the compiler takes the contextual types from `Handler` alone. The generic one has the path's parameters,
 * from which generic wrappers around handlers infer their types.
 *
 * @internal
 */
export interface ReusableHandlerShape<
  L extends Record<string, Any>,
  Params = RouteParams,
  Names = NamesFor<Params>,
  Result = HandlerResult,
> {
  /** The handler. */
  call(req: TypedRequest<Names>, res: TypedResponse<Any, L>, next: Next): Result;
  /** The handler, repeated. */
  call<Req extends TypedRequest<Params>>(req: Req, res: TypedResponse<Any, L>, next: Next): Result;
}

/**
 * Declared as a method and twice, for the same reasons.
 *
 * @internal
 */
export interface ReusableErrorHandlerShape<L extends Record<string, Any>, Result, Names = AnyNames> {
  /** The error handler. */
  call(error: Any, req: TypedRequest<Names>, res: TypedResponse<Any, L>, next: Next): Result;
  /** The error handler, repeated. */
  call<_>(error: Any, req: TypedRequest<Names>, res: TypedResponse<Any, L>, next: Next): Result;
}

/**
 * Declared as a method and twice, for the same reasons: a handler may accept Express's request, which has more than
 * Node's. The response is not checked, because no response type from npm is compatible with ours.
 *
 * @internal
 */
export interface ForeignHandlerShape<Result> {
  /** The handler. */
  call(req: NodeRequest, res: Any, next: Any): Result;
  /** The handler, repeated. */
  call<_>(req: NodeRequest, res: Any, next: Any): Result;
}

/**
 * Lets the types distinguish Node's responses from functions. Without it, a loosely typed handler, such as
 * express-validator's, would count as an error handler, and inline handlers after it would lose their types.
 *
 * @internal
 */
export interface ForeignResponse {
  /** Whether the response gets a date. */
  readonly sendDate: boolean;
}

/**
 * Declared as a method and twice, for the same reasons.
 *
 * @internal
 */
export interface ForeignErrorHandlerShape<Result> {
  /** The error handler. */
  call(error: Any, req: NodeRequest, res: ForeignResponse, next: Any): Result;
  /** The error handler, repeated. */
  call<_>(error: Any, req: NodeRequest, res: ForeignResponse, next: Any): Result;
}

/**
 * A middleware or route handler. It has the same type parameters as Express's `RequestHandler`.
 *
 * @typeParam P Type of `req.params`
 * @typeParam ResBody Type of the response body
 * @typeParam ReqBody Type of `req.body`
 * @typeParam ReqQuery Type of `req.query`
 * @typeParam L Type of `res.locals`
 */
export type Handler<
  P = RouteParams,
  ResBody = Any,
  ReqBody = Any,
  ReqQuery = ParsedQs,
  L extends Record<string, Any> = Record<string, Any>,
  Result = HandlerResult,
> = HandlerShape<P, ResBody, ReqBody, ReqQuery, L, Result>["call"];

/** An error handler; its four declared parameters identify it, as in Express. */
export type ErrorHandler<
  P = RouteParams,
  ResBody = Any,
  ReqBody = Any,
  ReqQuery = ParsedQs,
  L extends Record<string, Any> = Record<string, Any>,
  Result = HandlerResult,
> = ErrorHandlerShape<P, ResBody, ReqBody, ReqQuery, L, Result>["call"];

/** A handler that is not tied to a path and can be used on any. */
export type ReusableHandler<
  L extends Record<string, Any> = Record<string, Any>,
  Params = RouteParams,
  Names = NamesFor<Params>,
  Result = HandlerResult,
> = ReusableHandlerShape<L, Params, Names, Result>["call"];

/** An error handler that is not tied to a path. */
export type ReusableErrorHandler<
  L extends Record<string, Any> = Record<string, Any>,
  Result = HandlerResult,
  Names = AnyNames,
> = ReusableErrorHandlerShape<L, Result, Names>["call"];

/** A middleware from npm, typed for Express's or Node's request and response. */
export type ForeignHandler<Result = HandlerResult> = ForeignHandlerShape<Result>["call"];

/** An error handler typed for Express's or Node's request and response. */
export type ForeignErrorHandler<Result = HandlerResult> = ForeignErrorHandlerShape<Result>["call"];

/** Any handler that a path accepts: typed for its parameters, reusable, or from npm. */
export type PathHandler<
  P = RouteParams,
  ResBody = Any,
  ReqBody = Any,
  ReqQuery = ParsedQs,
  L extends Record<string, Any> = Record<string, Any>,
  Names = NamesFor<P>,
  Result = HandlerResult,
> =
  | Handler<P, ResBody, ReqBody, ReqQuery, L, Result>
  | ReusableHandler<L, P, Names, Result>
  | ForeignHandler<Result>;

/** Runs before the handlers for a path that has a parameter with the given name, once per request and value. */
export type ParamHandler = ParamHandlerShape["call"];

/** A path or several paths. */
export type Path = string | RegExp | readonly (string | RegExp)[];

/** Handlers and error handlers, in lists nested to any depth. */
export type HandlerList<
  P = RouteParams,
  ResBody = Any,
  ReqBody = Any,
  ReqQuery = ParsedQs,
  L extends Record<string, Any> = Record<string, Any>,
  Names = NamesFor<P>,
  Result = HandlerResult,
> =
  | PathHandler<P, ResBody, ReqBody, ReqQuery, L, Names, Result>
  | ErrorHandler<P, ResBody, ReqBody, ReqQuery, L, Result>
  | ReusableErrorHandler<L, Result>
  | ForeignErrorHandler<Result>
  | readonly HandlerList<P, ResBody, ReqBody, ReqQuery, L, Names, Result>[];

/** A path's parameters: named for a literal string, any names otherwise. A non-path type stands for itself. */
export type ParamsOf<P> = P extends string ? (string extends P ? RouteParams : ParamsOfPath<P>)
  : P extends Path ? RouteParams
  : P;

/**
 * The path if the type argument is one; any path if it is the parameters' type, as in Express's `get<Params>`.
 *
 * @internal
 */
export type PathOf<P> = [P] extends [never] ? Path : P extends Path ? P : Path;
