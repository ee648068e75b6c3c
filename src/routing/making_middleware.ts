import type { ParsedQs } from "../request/framework_request.ts";
import type { RequestExtras } from "../request/request_extras.ts";
import type { Any } from "../util/any.ts";
import type { Request as TypedRequest, Response as TypedResponse } from "../response/request_and_response.ts";
import type {
  ForeignErrorHandler,
  ForeignHandler,
  Given,
  HandlerResult,
  Next,
  PlainResult,
  ReusableErrorHandler,
  ReusableHandler,
} from "./handler.ts";

/**
 * What a middleware may return, to the compiler, that says what it makes of requests. It never does: `Made` has the name
 * of a method that all values have, so that it is no `PlainResult`, and is refused where only handlers are tried that
 * say nothing.
 *
 * @internal
 */
export type MakingResult<Makes> = PlainResult | Made<Makes>;

/**
 * Carries the type.
 *
 * @internal
 */
export interface Made<Makes> {
  /** Never there. */
  readonly propertyIsEnumerable: { readonly "~makes": Makes };
}

/**
 * Properties of requests whose types a middleware replaces: of type `any`, they would stay so if they were intersected.
 *
 * @internal
 */
export type Replaced = "params" | "query" | "body" | "session" | "user" | "file" | "files" | "cookies";

/**
 * The type of a property, or a default if a middleware does not make it.
 *
 * @internal
 */
export type MadeOr<Makes, Name extends Replaced, Otherwise> = Name extends keyof Makes ? Makes[Name] : Otherwise;

/**
 * The type that a program has declared in `RequestExtras`, any without. It is that of a property which is there: with
 * `exactOptionalPropertyTypes`, one that may be missing could not take its place in an interface.
 *
 * @internal
 */
export type DeclaredExtra<Name extends string> = Name extends keyof RequestExtras
  ? { [_ in Name]: undefined } extends Pick<RequestExtras, Name> ? RequestExtras[Name]
  : Required<RequestExtras>[Name]
  : Any;

/**
 * The type of a property that requests have anyway: what the program has declared stays true.
 *
 * @internal
 */
export type ExtraOr<Makes, Name extends Replaced> = MadeOr<
  Makes,
  Name,
  unknown
> extends infer Made ? 0 extends 1 & DeclaredExtra<Name> ? unknown extends Made ? Any : Made
  : Made & DeclaredExtra<Name>
  : never;

/**
 * What is added to a request; nothing, and not an empty object, if there is nothing, because editors would show it.
 *
 * @internal
 */
export type Added<Makes> = [Exclude<keyof Makes, Replaced | "~responses">] extends [never] ? unknown
  : { [Name in keyof Makes as Exclude<Name, Replaced | "~responses">]: Makes[Name] };

/**
 * A request with what a middleware makes of it.
 *
 * @internal
 */
export interface RequestMade<Makes, P, L extends Record<string, Any>>
  extends
    TypedRequest<MadeOr<Makes, "params", P>, Any, MadeOr<Makes, "body", Any>, MadeOr<Makes, "query", ParsedQs>, L> {
  /** The session. */
  session: ExtraOr<Makes, "session">;
  /** The authenticated user. */
  user: ExtraOr<Makes, "user">;
  /** An uploaded file. */
  file: ExtraOr<Makes, "file">;
  /** Uploaded files. */
  files: ExtraOr<Makes, "files">;
  /** The cookies. */
  cookies: ExtraOr<Makes, "cookies">;
}

/**
 * A request, as it is behind a middleware that makes something of it.
 *
 * @typeParam Makes What the middleware makes
 * @typeParam P Type of the path's parameters
 * @typeParam L Type of `res.locals`
 */
export type RequestBehind<Makes, P, L extends Record<string, Any> = Record<string, Any>> = string extends keyof Makes
  ? TypedRequest<P, Any, Any, ParsedQs, L>
  : [Exclude<keyof Makes, "params" | "query" | "body" | "~responses">] extends [never]
    ? TypedRequest<MadeOr<Makes, "params", P>, Any, MadeOr<Makes, "body", Any>, MadeOr<Makes, "query", ParsedQs>, L>
  : RequestMade<Makes, P, L> & Added<Makes>;

/**
 * A response, as it is behind a middleware that says what is sent: `{ "~responses": { 200: User, 404: Problem } }`.
 *
 * @typeParam Makes What the middleware makes
 * @typeParam L Type of `res.locals`
 */
export type ResponseBehind<Makes, L extends Record<string, Any> = Record<string, Any>> = string extends keyof Makes
  ? TypedResponse<Any, L>
  : "~responses" extends keyof Makes ? ResponseWith<Makes["~responses"], 200, L>
  : TypedResponse<Any, L>;

/**
 * A response of a status, whose body is what is sent with that.
 *
 * @internal
 * @typeParam Bodies What is sent, by status
 * @typeParam Status The status
 * @typeParam L Type of `res.locals`
 */
export type ResponseWith<Bodies, Status, L extends Record<string, Any>> =
  & StatusMethod<Bodies, L>
  & TypedResponse<Status extends keyof Bodies ? Bodies[Status] : Any, L>;

/**
 * Sets the status, and with it the type of the body.
 *
 * @internal
 */
export interface StatusMethod<Bodies, L extends Record<string, Any>> {
  /** Sets the status. */
  status<const Status extends number>(code: Status): ResponseWith<Bodies, Status, L>;
}

/**
 * Declared as a method, as all handlers are.
 *
 * @internal
 */
export interface HandlerBehindShape<Makes, P, L extends Record<string, Any>, Result> {
  /** The handler. */
  call(req: RequestBehind<Makes, P, L>, res: ResponseBehind<Makes, L>, next: Next): Result;
}

/**
 * What a {@linkcode Middleware} is. Declared twice, as reusable handlers are, so that inline handlers have their types
 * from elsewhere.
 *
 * @internal
 */
export interface MakingShape<Makes, Names> {
  /** The middleware. */
  call(req: RequestBeing<Makes, Names>, res: TypedResponse, next: Next): MakingResult<Makes>;
  /** The middleware, once more. */
  call<_>(req: RequestBeing<Makes, Names>, res: TypedResponse, next: Next): MakingResult<Makes>;
}

/**
 * One of several handlers of a call: it may say what it makes of requests, and stands behind others that do.
 *
 * @typeParam Makes What it makes, inferred
 * @typeParam Before What those before it make
 * @typeParam P Type of the path's parameters
 * @typeParam L Type of `res.locals`
 * @typeParam Names Parameters that a reusable handler may declare
 */
export type HandlerBehind<Makes, Before, P, L extends Record<string, Any>, Names> =
  | HandlerBehindShape<Given<Before>, P, L, MakingResult<Makes>>["call"]
  | MakingShape<Makes, Names>["call"]
  | ReusableHandler<L, P, Names>
  | ForeignHandler;

/** The last handlers of a call, behind all that say what they make: error handlers, too, in lists nested to any depth. */
export type HandlersBehind<Before, P, L extends Record<string, Any>, Names> =
  | HandlerBehind<unknown, Before, P, L, Names>
  | ReusableErrorHandler<L, HandlerResult, Any>
  | ForeignErrorHandler
  | readonly HandlersBehind<Before, P, L, Names>[];

/**
 * A request of which a middleware is making something: what it adds may not be there yet, and can be assigned. Requests
 * of all middleware share the larger part of this type, because the compiler compares it often.
 *
 * @internal
 */
export type RequestBeing<Makes, Params = Any> =
  & TypedRequest<Params, Any, Any, Any>
  & ([Exclude<keyof Makes, Replaced | "~responses">] extends [never] ? unknown
    : { [Name in Exclude<keyof Makes, Replaced | "~responses">]?: Makes[Name] | undefined });

/**
 * Declared as a method, as all handlers are.
 *
 * @internal
 */
export interface MiddlewareShape<Makes> {
  /** The middleware. */
  call(req: RequestBeing<Makes>, res: TypedResponse, next: Next): MakingResult<Makes>;
}

/**
 * Something besides the function. The compiler looks at generic calls last that return nothing but a function: without
 * this, handlers behind `validate(…)` would have their types before it is known what that makes.
 *
 * @internal
 */
export interface MakingMark<Makes> {
  /** Never there. */
  readonly "~makes"?: Makes;
}

/**
 * A middleware that says what it makes of requests: handlers behind it have that in their types, in the same call of
 * `app.get(path, …)`, `app.use(…)`, a router's, or `app.route(path).get(…)`.
 *
 * `params`, `query` and `body` replace the types of these properties, all others are added to the request. In the
 * middleware itself they may be missing, until it has made them. It is only a type: what it says is not checked.
 *
 * @typeParam Makes What it makes, as properties of the request
 *
 * @example A middleware that sets the account
 * ```ts
 * import sluice, { type Middleware } from "@sluice/sluice";
 *
 * const names = new Map([["key-of-ann", "ann"]]);
 * const signedIn: Middleware<{ account: { name: string } }> = (req, res, next) => {
 *   const name = names.get(req.get("x-api-key") ?? "");
 *   if (name === undefined) return res.sendStatus(401);
 *   req.account = { name };
 *   next();
 * };
 *
 * const app = sluice();
 * app.get("/me", signedIn, (req, res) => res.send(req.account.name));
 * ```
 */
export type Middleware<Makes> = MiddlewareShape<Makes>["call"] & MakingMark<Makes>;
