import type { ParsedQs } from "../request/framework_request.ts";
import type { RequestExtras } from "../request/request_extras.ts";
import type { Any } from "../util/any.ts";
import type { Request as TypedRequest } from "../response/request_and_response.ts";
import type { ReusableHandler } from "./handler.ts";

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
 * A middleware that says what it makes of requests. The type of a request behind it is {@linkcode RequestBehind}.
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
