import type { FrameworkRequest, NodeRequest, QueryValues, RouteParams } from "../request/framework_request.ts";
import type { Untyped } from "../request/untyped.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import type { PathParams } from "./path_params.ts";

/** Values of `res.locals`. */
export type Locals = Record<string, Untyped>;

/**
 * Continues with the next layer. An error makes it the next error handler; `"route"` skips what is left of the route,
 * `"router"` what is left of the router.
 */
export type Next = (error?: unknown) => void;

/** What handlers may return: nothing that counts, or a web `Response`, which is then the answer. */
// deno-lint-ignore no-explicit-any -- Express handlers return whatever their last call returned
export type HandlerResult = any;

/** Declared as a method, so that a handler may ask for more than a plain request, such as `req & { user: User }`. */
export interface HandlerShape<Params, Body, L extends Locals, Query = QueryValues> {
  /** The handler. */
  call(req: FrameworkRequest<Params, Body, Query>, res: FrameworkResponse<L>, next: Next): HandlerResult;
}

/** Declared as a method, for the same reason. */
export interface ErrorHandlerShape<Params, Body, L extends Locals, Query = QueryValues> {
  /** The error handler. */
  call(
    error: Untyped,
    req: FrameworkRequest<Params, Body, Query>,
    res: FrameworkResponse<L>,
    next: Next,
  ): HandlerResult;
}

/** Declared as a method, for the same reason. */
export interface ParamHandlerShape {
  /** The parameter handler. */
  call(req: FrameworkRequest, res: FrameworkResponse, next: Next, value: Untyped, name: string): HandlerResult;
}

/**
 * Parameters of no names in particular. Of types that have nothing but an optional key, the compiler keeps away those
 * that share no key with them: whatever names its parameters is not taken for this, `Record<string, string>` is.
 */
export interface AnyNames {
  /** Never there: no parameter can have this name. */
  readonly "*"?: unknown;
}

/**
 * What a handler that was written for no path may ask of its parameters: anything where those of the path are unknown, or
 * those of the paths around it, which a router that merges them may see.
 */
export type NamesFor<Params, Around = never> = string extends keyof Params ? Untyped
  : unknown extends Around ? Untyped
  : AnyNames;

/**
 * Declared as a method, for the same reason, and twice: in a union with `Handler`, a second type of one signature would
 * leave a handler written in place without types for its parameters. Where two signatures cannot become one, because
 * one of them is generic, the compiler takes the types from `Handler` alone. That one has the path's parameters: a
 * generic wrapper of handlers learns its types from it.
 */
export interface ReusableHandlerShape<L extends Locals, Params = RouteParams, Names = NamesFor<Params>> {
  /** The handler. */
  call(req: FrameworkRequest<Names>, res: FrameworkResponse<L>, next: Next): HandlerResult;
  /** The handler, once more. */
  call<Req extends FrameworkRequest<Params>>(req: Req, res: FrameworkResponse<L>, next: Next): HandlerResult;
}

/** Declared as a method, and twice, for the same reasons. */
export interface ReusableErrorHandlerShape<L extends Locals> {
  /** The error handler. */
  call(error: Untyped, req: FrameworkRequest<AnyNames>, res: FrameworkResponse<L>, next: Next): HandlerResult;
  /** The error handler, once more. */
  call<_>(error: Untyped, req: FrameworkRequest<AnyNames>, res: FrameworkResponse<L>, next: Next): HandlerResult;
}

/**
 * Declared as a method, and twice, for the same reasons: Express's request is more than a request of Node. What it takes
 * of the response is not asked, for no type of npm's is one of ours.
 */
export interface ForeignHandlerShape {
  /** The handler. */
  call(req: NodeRequest, res: Untyped, next: Untyped): HandlerResult;
  /** The handler, once more. */
  call<_>(req: NodeRequest, res: Untyped, next: Untyped): HandlerResult;
}

/**
 * What tells responses of Node by their type from a function: a handler that is typed for little of its request, as those
 * of express-validator are, would be taken for one of errors, and those written behind it have no types for their
 * parameters then.
 */
export interface ForeignResponse {
  /** Whether the answer is to have a date. */
  readonly sendDate: boolean;
}

/** Declared as a method, and twice, for the same reasons. */
export interface ForeignErrorHandlerShape {
  /** The error handler. */
  call(error: Untyped, req: NodeRequest, res: ForeignResponse, next: Untyped): HandlerResult;
  /** The error handler, once more. */
  call<_>(error: Untyped, req: NodeRequest, res: ForeignResponse, next: Untyped): HandlerResult;
}

/** A middleware or route handler. */
export type Handler<
  Params = RouteParams,
  Body = Untyped,
  L extends Locals = Locals,
  Query = QueryValues,
> = HandlerShape<Params, Body, L, Query>["call"];

/** An error handler, told from a handler by its four declared parameters, as in Express. */
export type ErrorHandler<
  Params = RouteParams,
  Body = Untyped,
  L extends Locals = Locals,
  Query = QueryValues,
> = ErrorHandlerShape<Params, Body, L, Query>["call"];

/** A handler that was written for no path in particular, and may be used on any. */
export type ReusableHandler<
  L extends Locals = Locals,
  Params = RouteParams,
  Names = NamesFor<Params>,
> = ReusableHandlerShape<L, Params, Names>["call"];

/** An error handler that was written for no path in particular. */
export type ReusableErrorHandler<L extends Locals = Locals> = ReusableErrorHandlerShape<L>["call"];

/** A middleware of npm's, typed for the request and the response of Express or Node. */
export type ForeignHandler = ForeignHandlerShape["call"];

/** An error handler typed for the request and the response of Express or Node. */
export type ForeignErrorHandler = ForeignErrorHandlerShape["call"];

/** What may stand for a handler of a path: one that knows its parameters, one that does not care, or one of npm's. */
export type PathHandler<
  Params = RouteParams,
  L extends Locals = Locals,
  Body = Untyped,
  Query = QueryValues,
  Names = NamesFor<Params>,
> =
  | Handler<Params, Body, L, Query>
  | ReusableHandler<L, Params, Names>
  | ForeignHandler;

/** Runs before the handlers of a path that has a parameter of a certain name, once per request and value. */
export type ParamHandler = ParamHandlerShape["call"];

/** A path, or several of them. */
export type Path = string | RegExp | readonly (string | RegExp)[];

/** Handlers and error handlers, in lists nested as one likes. */
export type HandlerList<
  Params = RouteParams,
  L extends Locals = Locals,
  Body = Untyped,
  Query = QueryValues,
  Names = NamesFor<Params>,
> =
  | PathHandler<Params, L, Body, Query, Names>
  | ErrorHandler<Params, Body, L, Query>
  | ReusableErrorHandler<L>
  | ForeignErrorHandler
  | readonly HandlerList<Params, L, Body, Query, Names>[];

/** Parameters of a path: typed for a literal string, any names otherwise. What is no path is their type itself. */
export type ParamsOf<P> = P extends string ? (string extends P ? RouteParams : PathParams<P>)
  : P extends Path ? RouteParams
  : P;

/** A path of a known type; any path where what is known is the type of the parameters, as in Express's `get<Params>`. */
export type PathOf<P> = [P] extends [never] ? Path : P extends Path ? P : Path;
