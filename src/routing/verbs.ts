import type { ParsedQs, RouteParams } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import type { ErrorHandler, Given, NamesFor, ParamsOf, Path, PathHandler, PathOf, PlainResult } from "./handler.ts";
import type { HandlerChain, HandlerLists, PathHandlerChain } from "./handler_chain.ts";

/**
 * Registers handlers for one method on a path. Literal paths, including a group's prefix, type `req.params`. Express's
 * type arguments also work: `app.get<Params, ResBody, ReqBody, Query, Locals>(path, handler)`. `Around` is the type of
 * parameters from enclosing paths: a group's parameters, any parameters for a router that may merge them, none for an
 * application.
 *
 * Throws a `TypeError` if the path is invalid, or a handler is missing or not a function.
 */
export interface Verb<
  Self,
  L extends Record<string, Any> = Record<string, Any>,
  Outer = unknown,
  Around = Outer,
> extends PathHandlerChain<Self, L, Outer, Around> {
  /**
   * Registers handlers for requests with this method and a matching path.
   *
   * @param path The path, such as `"/users/:id"`
   * @param handlers Functions that take the request, the response and `next`, called in order
   * @throws {TypeError} If the path is invalid, or a handler is missing or not a function
   *
   * @example A route with a parameter
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.get("/users/:id", (req, res) => {
   *   res.json({ id: req.params.id });
   * });
   * ```
   */
  <const P = Path, ResBody = Any, ReqBody = Any, ReqQuery = ParsedQs, Ls extends Record<string, Any> = L>(
    path: PathOf<P>,
    ...handlers: PathHandler<
      ParamsOf<P> & Outer,
      Given<ResBody>,
      ReqBody,
      ReqQuery,
      Given<Ls>,
      NamesFor<ParamsOf<P>, Around>,
      PlainResult
    >[]
  ): Self;
}

/** Adds handlers for one method on a route. */
export interface RouteVerb<
  Self,
  Params = RouteParams,
  L extends Record<string, Any> = Record<string, Any>,
  Around = never,
> extends HandlerChain<Self, Params, L, Around>, HandlerLists<Self, Params, L, Around> {
  /** Adds handlers. */
  <P = Params, ResBody = Any, ReqBody = Any, ReqQuery = ParsedQs, Ls extends Record<string, Any> = L>(
    ...handlers: PathHandler<
      Given<P>,
      Given<ResBody>,
      ReqBody,
      ReqQuery,
      Given<Ls>,
      NamesFor<Given<P>, Around>,
      PlainResult
    >[]
  ): Self;
}

/**
 * Adds middleware, with or without explicit type arguments.
 *
 * @internal
 */
export interface TypedUse<Self, L extends Record<string, Any>, Outer> {
  /** Adds middleware for every path, with explicit type arguments. */
  <P, ResBody = Any, ReqBody = Any, ReqQuery = ParsedQs, Ls extends Record<string, Any> = L>(
    ...handlers: PathHandler<
      P & Outer,
      Given<ResBody>,
      ReqBody,
      ReqQuery,
      Given<Ls>,
      NamesFor<P & Outer>,
      PlainResult
    >[]
  ): Self;
}

/**
 * Adds middleware, error handlers, routers or apps, for every path or for paths below a prefix.
 *
 * Throws a `TypeError` if the path is invalid, or a handler is missing or not a function.
 *
 * @typeParam Params The parameters' type if no path is given
 */
export interface Use<
  Self,
  L extends Record<string, Any> = Record<string, Any>,
  Params = RouteParams,
  Outer = unknown,
  Around = Outer,
> extends
  HandlerChain<Self, Params, L, Around>,
  PathHandlerChain<Self, L, Outer, Around>,
  TypedUse<Self, L, Outer>,
  HandlerLists<Self, Params, L, Around> {
  /**
   * Adds middleware, error handlers, routers or apps, for every path.
   *
   * @param handlers Handlers that requests pass through, in order
   * @throws {TypeError} If a handler is missing or not a function
   *
   * @example A body parser, and a middleware
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.use(sluice.json());
   * app.use((req, _res, next) => {
   *   console.log(req.method, req.url);
   *   next();
   * });
   * ```
   */
  (...handlers: PathHandler<Params, Any, Any, ParsedQs, L, NamesFor<Params>, PlainResult>[]): Self;
  /**
   * Adds error handlers, for every path.
   *
   * @param handlers Functions that take the error, the request, the response and `next`
   * @throws {TypeError} If a handler is missing or not a function
   *
   * @example Errors as JSON
   * ```ts
   * import sluice, { type ErrorHandler } from "@sluice/sluice";
   *
   * const asJson: ErrorHandler = (error, _req, res, _next) => {
   *   res.status(error.status ?? 500).json({ error: error.expose ? error.message : "Something went wrong" });
   * };
   * const app = sluice();
   * app.use(asJson);
   * ```
   */
  (...handlers: ErrorHandler<Params, Any, Any, ParsedQs, L, PlainResult>[]): Self;
  /**
   * Adds middleware, error handlers, routers or apps, for paths below a prefix.
   *
   * @param path The prefix, such as `"/api"`
   * @param handlers Handlers that requests pass through, in order; they see the rest of the path in `req.url`
   * @throws {TypeError} If the path is invalid, or a handler is missing or not a function
   *
   * @example A router
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const books = sluice.Router();
   * books.get("/:id", (req, res) => res.json({ id: req.params.id }));
   *
   * const app = sluice();
   * app.use("/books", books);
   * ```
   */
  <const P = Path, ResBody = Any, ReqBody = Any, ReqQuery = ParsedQs, Ls extends Record<string, Any> = L>(
    path: PathOf<P>,
    ...handlers: PathHandler<
      ParamsOf<P> & Outer,
      Given<ResBody>,
      ReqBody,
      ReqQuery,
      Given<Ls>,
      NamesFor<ParamsOf<P>, Around>,
      PlainResult
    >[]
  ): Self;
}

/** `all`, and a method for each HTTP method except GET, because `app.get` also reads settings. */
export interface RouterVerbs<
  L extends Record<string, Any> = Record<string, Any>,
  Outer = unknown,
  Around = Outer,
> {
  /** Registers handlers for every method on a path. */
  readonly all: Verb<this, L, Outer, Around>;
  /** Registers handlers for ACL. */
  readonly acl: Verb<this, L, Outer, Around>;
  /** Registers handlers for BIND. */
  readonly bind: Verb<this, L, Outer, Around>;
  /** Registers handlers for CHECKOUT. */
  readonly checkout: Verb<this, L, Outer, Around>;
  /** Registers handlers for CONNECT. */
  readonly connect: Verb<this, L, Outer, Around>;
  /** Registers handlers for COPY. */
  readonly copy: Verb<this, L, Outer, Around>;
  /** Registers handlers for DELETE. */
  readonly delete: Verb<this, L, Outer, Around>;
  /** Registers handlers for HEAD. */
  readonly head: Verb<this, L, Outer, Around>;
  /** Registers handlers for LINK. */
  readonly link: Verb<this, L, Outer, Around>;
  /** Registers handlers for LOCK. */
  readonly lock: Verb<this, L, Outer, Around>;
  /** Registers handlers for M-SEARCH. */
  readonly "m-search": Verb<this, L, Outer, Around>;
  /** Registers handlers for MERGE. */
  readonly merge: Verb<this, L, Outer, Around>;
  /** Registers handlers for MKACTIVITY. */
  readonly mkactivity: Verb<this, L, Outer, Around>;
  /** Registers handlers for MKCALENDAR. */
  readonly mkcalendar: Verb<this, L, Outer, Around>;
  /** Registers handlers for MKCOL. */
  readonly mkcol: Verb<this, L, Outer, Around>;
  /** Registers handlers for MOVE. */
  readonly move: Verb<this, L, Outer, Around>;
  /** Registers handlers for NOTIFY. */
  readonly notify: Verb<this, L, Outer, Around>;
  /** Registers handlers for OPTIONS. */
  readonly options: Verb<this, L, Outer, Around>;
  /** Registers handlers for PATCH. */
  readonly patch: Verb<this, L, Outer, Around>;
  /** Registers handlers for POST. */
  readonly post: Verb<this, L, Outer, Around>;
  /** Registers handlers for PROPFIND. */
  readonly propfind: Verb<this, L, Outer, Around>;
  /** Registers handlers for PROPPATCH. */
  readonly proppatch: Verb<this, L, Outer, Around>;
  /** Registers handlers for PURGE. */
  readonly purge: Verb<this, L, Outer, Around>;
  /** Registers handlers for PUT. */
  readonly put: Verb<this, L, Outer, Around>;
  /** Registers handlers for QUERY. */
  readonly query: Verb<this, L, Outer, Around>;
  /** Registers handlers for REBIND. */
  readonly rebind: Verb<this, L, Outer, Around>;
  /** Registers handlers for REPORT. */
  readonly report: Verb<this, L, Outer, Around>;
  /** Registers handlers for SEARCH. */
  readonly search: Verb<this, L, Outer, Around>;
  /** Registers handlers for SOURCE. */
  readonly source: Verb<this, L, Outer, Around>;
  /** Registers handlers for SUBSCRIBE. */
  readonly subscribe: Verb<this, L, Outer, Around>;
  /** Registers handlers for TRACE. */
  readonly trace: Verb<this, L, Outer, Around>;
  /** Registers handlers for UNBIND. */
  readonly unbind: Verb<this, L, Outer, Around>;
  /** Registers handlers for UNLINK. */
  readonly unlink: Verb<this, L, Outer, Around>;
  /** Registers handlers for UNLOCK. */
  readonly unlock: Verb<this, L, Outer, Around>;
  /** Registers handlers for UNSUBSCRIBE. */
  readonly unsubscribe: Verb<this, L, Outer, Around>;
}

/** `all`, and a method on a route for each HTTP method. */
export interface RouteVerbs<
  Params = RouteParams,
  L extends Record<string, Any> = Record<string, Any>,
  Around = never,
> {
  /** Adds handlers for every method. */
  readonly all: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for ACL. */
  readonly acl: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for BIND. */
  readonly bind: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for CHECKOUT. */
  readonly checkout: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for CONNECT. */
  readonly connect: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for COPY. */
  readonly copy: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for DELETE. */
  readonly delete: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for GET. */
  readonly get: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for HEAD. */
  readonly head: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for LINK. */
  readonly link: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for LOCK. */
  readonly lock: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for M-SEARCH. */
  readonly "m-search": RouteVerb<this, Params, L, Around>;
  /** Adds handlers for MERGE. */
  readonly merge: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for MKACTIVITY. */
  readonly mkactivity: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for MKCALENDAR. */
  readonly mkcalendar: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for MKCOL. */
  readonly mkcol: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for MOVE. */
  readonly move: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for NOTIFY. */
  readonly notify: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for OPTIONS. */
  readonly options: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for PATCH. */
  readonly patch: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for POST. */
  readonly post: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for PROPFIND. */
  readonly propfind: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for PROPPATCH. */
  readonly proppatch: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for PURGE. */
  readonly purge: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for PUT. */
  readonly put: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for QUERY. */
  readonly query: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for REBIND. */
  readonly rebind: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for REPORT. */
  readonly report: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for SEARCH. */
  readonly search: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for SOURCE. */
  readonly source: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for SUBSCRIBE. */
  readonly subscribe: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for TRACE. */
  readonly trace: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for UNBIND. */
  readonly unbind: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for UNLINK. */
  readonly unlink: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for UNLOCK. */
  readonly unlock: RouteVerb<this, Params, L, Around>;
  /** Adds handlers for UNSUBSCRIBE. */
  readonly unsubscribe: RouteVerb<this, Params, L, Around>;
}
