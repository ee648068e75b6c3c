import type { ParsedQs } from "../request/framework_request.ts";
import type { RequestExtras } from "../request/request_extras.ts";
import type { Any } from "../util/any.ts";
import type { Request as TypedRequest, Response as TypedResponse } from "../response/request_and_response.ts";
import type {
  ForeignErrorHandler,
  ForeignHandler,
  HandlerResult,
  Next,
  ReusableErrorHandler,
  ReusableHandler,
} from "./handler.ts";

/**
 * What a middleware makes of requests, for the compiler alone: the property is never there. Its name is text, because a
 * symbol of each copy of these types would be another.
 *
 * @internal
 */
export interface Making<Makes> {
  /** Never there. */
  readonly "~makes": Makes;
}

/**
 * A middleware that says what it makes of requests: handlers behind it, in the same call, have it in their types.
 *
 * `params`, `query` and `body` replace the types of these properties, all others are added to the request.
 *
 * @typeParam Makes What it makes, as properties of the request: `{ user: User }`
 */
export type Middleware<Makes> = ReusableHandler & Making<Makes>;

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
export type Added<Makes> = [Exclude<keyof Makes, Replaced>] extends [never] ? unknown
  : { [Name in keyof Makes as Exclude<Name, Replaced>]: Makes[Name] };

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
  : [keyof Makes] extends [never] ? TypedRequest<P, Any, Any, ParsedQs, L>
  : RequestMade<Makes, P, L> & Added<Makes>;

/**
 * Declared as a method, as all handlers are.
 *
 * @internal
 */
export interface HandlerBehindShape<Makes, P, L extends Record<string, Any>> {
  /** The handler. */
  call(req: RequestBehind<Makes, P, L>, res: TypedResponse<Any, L>, next: Next): HandlerResult;
}

/** What is accepted behind a middleware that makes something of requests. */
export type HandlerBehind<Makes, P, L extends Record<string, Any> = Record<string, Any>> =
  | HandlerBehindShape<Makes, P, L>["call"]
  | ReusableHandler<L, P, Any>
  | ReusableErrorHandler<L>
  | ForeignHandler
  | ForeignErrorHandler
  | readonly HandlerBehind<Makes, P, L>[];

/**
 * A request of which a middleware is making something: it may not be there yet, and can be assigned.
 *
 * @internal
 */
export type RequestBeing<Makes> = RequestBehind<
  & { [Name in Exclude<keyof Makes, "params" | "query" | "body">]?: Makes[Name] | undefined }
  & { params: Any; query: Any; body: Any },
  Any
>;

/**
 * Declared as a method, as all handlers are.
 *
 * @internal
 */
export interface MakingHandlerShape<Makes> {
  /** The handler. */
  call(req: RequestBeing<Makes>, res: TypedResponse, next: Next): HandlerResult;
}

/**
 * Makes a middleware say, to the compiler alone, what it makes of requests. Handlers behind it in the same call have it
 * in their types: those of `app.post(path, …)`, of a router's, and of `app.route(path).post(…)`.
 *
 * @typeParam Makes What it makes, as properties of the request
 * @param handler The middleware
 * @returns The same middleware
 *
 * @example A middleware that sets the user
 * ```ts
 * import sluice, { makes } from "@sluice/sluice";
 *
 * const signedIn = makes<{ account: { name: string } }>((req, res, next) => {
 *   const name = req.get("x-user");
 *   if (name === undefined) return res.sendStatus(401);
 *   req.account = { name };
 *   next();
 * });
 *
 * const app = sluice();
 * app.get("/me", signedIn, (req, res) => res.send(req.account.name));
 * ```
 */
export function makes<Makes extends object>(handler: MakingHandlerShape<Makes>["call"]): Middleware<Makes> {
  return handler as unknown as Middleware<Makes>;
}
