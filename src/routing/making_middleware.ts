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
 * The return type of middleware that declares what it adds to requests, for the compiler only. It never returns this:
 * `Made`'s property is named like a method that all values have, so it is not a `PlainResult`, and is rejected where
 * only plain handlers are tried.
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
  /** Never present. */
  readonly propertyIsEnumerable: { readonly "~makes": Makes };
}

/**
 * Request properties whose types a middleware replaces: intersecting with their type, `any`, would leave `any`.
 *
 * @internal
 */
export type Replaced = "params" | "query" | "body" | "session" | "user" | "file" | "files" | "cookies";

/**
 * The type of a property, or a default if a middleware does not declare it.
 *
 * @internal
 */
export type MadeOr<Makes, Name extends Replaced, Otherwise> = Name extends keyof Makes ? Makes[Name] : Otherwise;

/**
 * The type that a program declared in `RequestExtras`, otherwise any. It is the property's type when present: with
 * `exactOptionalPropertyTypes`, an optional property could not replace it in an interface.
 *
 * @internal
 */
export type DeclaredExtra<Name extends string> = Name extends keyof RequestExtras
  ? { [_ in Name]: undefined } extends Pick<RequestExtras, Name> ? RequestExtras[Name]
  : Required<RequestExtras>[Name]
  : Any;

/**
 * The type of a property that requests already have: the program's declaration stays valid.
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
 * The properties added to a request. If there are none, this is not an empty object, because editors would show it.
 *
 * @internal
 */
export type Added<Makes> = [Exclude<keyof Makes, Replaced | "~responses">] extends [never] ? unknown
  : { [Name in keyof Makes as Exclude<Name, Replaced | "~responses">]: Makes[Name] };

/**
 * A request with the properties that a middleware declares.
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
 * A request after a middleware that declares what it adds.
 *
 * @typeParam Makes What the middleware declares
 * @typeParam P Type of the path's parameters
 * @typeParam L Type of `res.locals`
 */
export type RequestBehind<Makes, P, L extends Record<string, Any> = Record<string, Any>> = string extends keyof Makes
  ? TypedRequest<P, Any, Any, ParsedQs, L>
  : [Exclude<keyof Makes, "params" | "query" | "body" | "~responses">] extends [never]
    ? TypedRequest<MadeOr<Makes, "params", P>, Any, MadeOr<Makes, "body", Any>, MadeOr<Makes, "query", ParsedQs>, L>
  : RequestMade<Makes, P, L> & Added<Makes>;

/**
 * A response after a middleware that declares which bodies are sent: `{ "~responses": { 200: User, 404: Problem } }`.
 *
 * @typeParam Makes What the middleware declares
 * @typeParam L Type of `res.locals`
 */
export type ResponseBehind<Makes, L extends Record<string, Any> = Record<string, Any>> = string extends keyof Makes
  ? TypedResponse<Any, L>
  : "~responses" extends keyof Makes ? ResponseWith<Makes["~responses"], 200, L>
  : TypedResponse<Any, L>;

/**
 * A response with a status, whose body has the type declared for that status.
 *
 * @internal
 * @typeParam Bodies Body types by status
 * @typeParam Status The status
 * @typeParam L Type of `res.locals`
 */
export type ResponseWith<Bodies, Status, L extends Record<string, Any>> =
  & StatusMethod<Bodies, L>
  & TypedResponse<Status extends keyof Bodies ? Bodies[Status] : Any, L>;

/**
 * Sets the status and, with it, the body's type.
 *
 * @internal
 */
export interface StatusMethod<Bodies, L extends Record<string, Any>> {
  /** Sets the status. */
  status<const Status extends number>(code: Status): ResponseWith<Bodies, Status, L>;
}

/**
 * Declared as a method, like all handlers.
 *
 * @internal
 */
export interface HandlerBehindShape<Makes, P, L extends Record<string, Any>, Result> {
  /** The handler. */
  call(req: RequestBehind<Makes, P, L>, res: ResponseBehind<Makes, L>, next: Next): Result;
}

/**
 * The shape of a {@linkcode Middleware}. Declared twice, like reusable handlers, so inline handlers get their types
 * elsewhere.
 *
 * @internal
 */
export interface MakingShape<Makes, Names> {
  /** The middleware. */
  call(req: RequestBeing<Makes, Names>, res: TypedResponse, next: Next): MakingResult<Makes>;
  /** The middleware, repeated. */
  call<_>(req: RequestBeing<Makes, Names>, res: TypedResponse, next: Next): MakingResult<Makes>;
}

/**
 * One of several handlers in a call: it may declare what it adds to requests, and it follows others that may.
 *
 * @typeParam Makes What it declares, inferred
 * @typeParam Before What the handlers before it declare
 * @typeParam P Type of the path's parameters
 * @typeParam L Type of `res.locals`
 * @typeParam Names Parameters that a reusable handler may declare
 */
export type HandlerBehind<Makes, Before, P, L extends Record<string, Any>, Names> =
  | HandlerBehindShape<Given<Before>, P, L, MakingResult<Makes>>["call"]
  | MakingShape<Makes, Names>["call"]
  | ReusableHandler<L, P, Names>
  | ForeignHandler;

/** A call's last handlers, after all declarations; includes error handlers, in lists nested to any depth. */
export type HandlersBehind<Before, P, L extends Record<string, Any>, Names> =
  | HandlerBehind<unknown, Before, P, L, Names>
  | ReusableErrorHandler<L, HandlerResult, Any>
  | ForeignErrorHandler
  | readonly HandlersBehind<Before, P, L, Names>[];

/**
 * A request that a middleware is still adding to: the properties may still be missing, and can be assigned. All
 * middleware's requests share most of this type, because the compiler compares it often.
 *
 * @internal
 */
export type RequestBeing<Makes, Params = Any> =
  & TypedRequest<Params, Any, Any, Any>
  & ([Exclude<keyof Makes, Replaced | "~responses">] extends [never] ? unknown
    : { [Name in Exclude<keyof Makes, Replaced | "~responses">]?: Makes[Name] | undefined });

/**
 * Declared as a method, like all handlers.
 *
 * @internal
 */
export interface MiddlewareShape<Makes> {
  /** The middleware. */
  call(req: RequestBeing<Makes>, res: TypedResponse, next: Next): MakingResult<Makes>;
}

/**
 * A property besides the function. The compiler resolves generic calls that return a bare function last; without this
 * property, handlers after `validate(…)` would be typed before its declared properties are known.
 *
 * @internal
 */
export interface MakingMark<Makes> {
  /** Never present. */
  readonly "~makes"?: Makes;
}

/**
 * A middleware that declares what it adds to requests. Handlers after it see those types, within the same call to
 * `app.get(path, …)`, `app.use(…)`, the same methods on a router, or `app.route(path).get(…)`.
 *
 * `params`, `query` and `body` replace these properties' types; all others are added to the request. Inside the
 * middleware itself they may be missing until it sets them. This is only a type: nothing checks it at run time.
 *
 * @typeParam Makes Request properties that it declares
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
