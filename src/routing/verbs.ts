import type { Untyped } from "../request/framework_request.ts";
import type { Handler, HandlerList, Locals, ParamsOf, Path } from "./handler.ts";

/**
 * Registers handlers for one method of a path; literal paths type `req.params`.
 *
 * Throws a `TypeError` if the path cannot be understood, or a handler is missing or no function.
 */
export interface Verb<Self, L extends Locals = Locals> {
  /** Registers handlers. */
  <const P extends Path>(path: P, ...handlers: Handler<ParamsOf<P>, Untyped, L>[]): Self;
  /** Registers handlers and error handlers, in lists nested as one likes. */
  <const P extends Path>(path: P, ...handlers: HandlerList<ParamsOf<P>, L>[]): Self;
}

/** Adds handlers for one method of a route. */
export interface RouteVerb<Self> {
  /** Adds handlers. */
  (...handlers: Handler[]): Self;
  /** Adds handlers and error handlers, in lists nested as one likes. */
  (...handlers: HandlerList[]): Self;
}

/** One function for each method but GET, whose name an app shares with its settings. */
export interface RouterVerbs<L extends Locals = Locals> {
  /** Registers handlers for ACL. */
  readonly acl: Verb<this, L>;
  /** Registers handlers for BIND. */
  readonly bind: Verb<this, L>;
  /** Registers handlers for CHECKOUT. */
  readonly checkout: Verb<this, L>;
  /** Registers handlers for CONNECT. */
  readonly connect: Verb<this, L>;
  /** Registers handlers for COPY. */
  readonly copy: Verb<this, L>;
  /** Registers handlers for DELETE. */
  readonly delete: Verb<this, L>;
  /** Registers handlers for HEAD. */
  readonly head: Verb<this, L>;
  /** Registers handlers for LINK. */
  readonly link: Verb<this, L>;
  /** Registers handlers for LOCK. */
  readonly lock: Verb<this, L>;
  /** Registers handlers for M-SEARCH. */
  readonly "m-search": Verb<this, L>;
  /** Registers handlers for MERGE. */
  readonly merge: Verb<this, L>;
  /** Registers handlers for MKACTIVITY. */
  readonly mkactivity: Verb<this, L>;
  /** Registers handlers for MKCALENDAR. */
  readonly mkcalendar: Verb<this, L>;
  /** Registers handlers for MKCOL. */
  readonly mkcol: Verb<this, L>;
  /** Registers handlers for MOVE. */
  readonly move: Verb<this, L>;
  /** Registers handlers for NOTIFY. */
  readonly notify: Verb<this, L>;
  /** Registers handlers for OPTIONS. */
  readonly options: Verb<this, L>;
  /** Registers handlers for PATCH. */
  readonly patch: Verb<this, L>;
  /** Registers handlers for POST. */
  readonly post: Verb<this, L>;
  /** Registers handlers for PROPFIND. */
  readonly propfind: Verb<this, L>;
  /** Registers handlers for PROPPATCH. */
  readonly proppatch: Verb<this, L>;
  /** Registers handlers for PURGE. */
  readonly purge: Verb<this, L>;
  /** Registers handlers for PUT. */
  readonly put: Verb<this, L>;
  /** Registers handlers for QUERY. */
  readonly query: Verb<this, L>;
  /** Registers handlers for REBIND. */
  readonly rebind: Verb<this, L>;
  /** Registers handlers for REPORT. */
  readonly report: Verb<this, L>;
  /** Registers handlers for SEARCH. */
  readonly search: Verb<this, L>;
  /** Registers handlers for SOURCE. */
  readonly source: Verb<this, L>;
  /** Registers handlers for SUBSCRIBE. */
  readonly subscribe: Verb<this, L>;
  /** Registers handlers for TRACE. */
  readonly trace: Verb<this, L>;
  /** Registers handlers for UNBIND. */
  readonly unbind: Verb<this, L>;
  /** Registers handlers for UNLINK. */
  readonly unlink: Verb<this, L>;
  /** Registers handlers for UNLOCK. */
  readonly unlock: Verb<this, L>;
  /** Registers handlers for UNSUBSCRIBE. */
  readonly unsubscribe: Verb<this, L>;
}

/** One function for each method of a route. */
export interface RouteVerbs {
  /** Adds handlers for ACL. */
  readonly acl: RouteVerb<this>;
  /** Adds handlers for BIND. */
  readonly bind: RouteVerb<this>;
  /** Adds handlers for CHECKOUT. */
  readonly checkout: RouteVerb<this>;
  /** Adds handlers for CONNECT. */
  readonly connect: RouteVerb<this>;
  /** Adds handlers for COPY. */
  readonly copy: RouteVerb<this>;
  /** Adds handlers for DELETE. */
  readonly delete: RouteVerb<this>;
  /** Adds handlers for GET. */
  readonly get: RouteVerb<this>;
  /** Adds handlers for HEAD. */
  readonly head: RouteVerb<this>;
  /** Adds handlers for LINK. */
  readonly link: RouteVerb<this>;
  /** Adds handlers for LOCK. */
  readonly lock: RouteVerb<this>;
  /** Adds handlers for M-SEARCH. */
  readonly "m-search": RouteVerb<this>;
  /** Adds handlers for MERGE. */
  readonly merge: RouteVerb<this>;
  /** Adds handlers for MKACTIVITY. */
  readonly mkactivity: RouteVerb<this>;
  /** Adds handlers for MKCALENDAR. */
  readonly mkcalendar: RouteVerb<this>;
  /** Adds handlers for MKCOL. */
  readonly mkcol: RouteVerb<this>;
  /** Adds handlers for MOVE. */
  readonly move: RouteVerb<this>;
  /** Adds handlers for NOTIFY. */
  readonly notify: RouteVerb<this>;
  /** Adds handlers for OPTIONS. */
  readonly options: RouteVerb<this>;
  /** Adds handlers for PATCH. */
  readonly patch: RouteVerb<this>;
  /** Adds handlers for POST. */
  readonly post: RouteVerb<this>;
  /** Adds handlers for PROPFIND. */
  readonly propfind: RouteVerb<this>;
  /** Adds handlers for PROPPATCH. */
  readonly proppatch: RouteVerb<this>;
  /** Adds handlers for PURGE. */
  readonly purge: RouteVerb<this>;
  /** Adds handlers for PUT. */
  readonly put: RouteVerb<this>;
  /** Adds handlers for QUERY. */
  readonly query: RouteVerb<this>;
  /** Adds handlers for REBIND. */
  readonly rebind: RouteVerb<this>;
  /** Adds handlers for REPORT. */
  readonly report: RouteVerb<this>;
  /** Adds handlers for SEARCH. */
  readonly search: RouteVerb<this>;
  /** Adds handlers for SOURCE. */
  readonly source: RouteVerb<this>;
  /** Adds handlers for SUBSCRIBE. */
  readonly subscribe: RouteVerb<this>;
  /** Adds handlers for TRACE. */
  readonly trace: RouteVerb<this>;
  /** Adds handlers for UNBIND. */
  readonly unbind: RouteVerb<this>;
  /** Adds handlers for UNLINK. */
  readonly unlink: RouteVerb<this>;
  /** Adds handlers for UNLOCK. */
  readonly unlock: RouteVerb<this>;
  /** Adds handlers for UNSUBSCRIBE. */
  readonly unsubscribe: RouteVerb<this>;
}
