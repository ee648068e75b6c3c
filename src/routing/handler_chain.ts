import type { ParsedQs } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import type { Given, HandlerList, NamesFor, ParamsOf, Path, PathOf } from "./handler.ts";
import type { HandlerBehind, HandlersBehind } from "./making_middleware.ts";

/**
 * Handlers for a path, each typed by the declarations of the handlers before it. Interfaces that extend this one try
 * plain handlers first, for two reasons: these infer the type arguments of Express's handlers, and the first overload
 * tried decides for good how the compiler types functions in a middleware's options. There is one overload per number
 * of handlers, because a handler's type depends only on those to its left.
 *
 * @internal
 */
export interface PathHandlerChain<Self, L extends Record<string, Any>, Outer, Around> {
  /**
   * Registers two handlers; the second is typed by what the first adds to requests.
   *
   * @param path The path
   * @param first Called first; calls `next()` to continue
   * @param last Called next
   *
   * @example A body parser in front of a handler
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.post("/notes", sluice.json(), (req, res) => {
   *   res.status(201).json(req.body);
   * });
   * ```
   */
  <M1, const P extends Path>(
    path: P,
    first: HandlerBehind<M1, unknown, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    last: HandlersBehind<M1, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
  ): Self;
  /** Registers three handlers. */
  <M1, M2, const P extends Path>(
    path: P,
    first: HandlerBehind<M1, unknown, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    second: HandlerBehind<M2, M1, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    last: HandlersBehind<M1 & M2, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
  ): Self;
  /** Registers four handlers. */
  <M1, M2, M3, const P extends Path>(
    path: P,
    first: HandlerBehind<M1, unknown, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    second: HandlerBehind<M2, M1, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    third: HandlerBehind<M3, M1 & M2, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    last: HandlersBehind<M1 & M2 & M3, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
  ): Self;
  /** Registers five handlers. */
  <M1, M2, M3, M4, const P extends Path>(
    path: P,
    first: HandlerBehind<M1, unknown, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    second: HandlerBehind<M2, M1, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    third: HandlerBehind<M3, M1 & M2, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    last: HandlersBehind<M1 & M2 & M3 & M4, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
  ): Self;
  /** Registers six handlers. */
  <M1, M2, M3, M4, M5, const P extends Path>(
    path: P,
    first: HandlerBehind<M1, unknown, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    second: HandlerBehind<M2, M1, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    third: HandlerBehind<M3, M1 & M2, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fifth: HandlerBehind<M5, M1 & M2 & M3 & M4, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    last: HandlersBehind<M1 & M2 & M3 & M4 & M5, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
  ): Self;
  /** Registers seven handlers. */
  <M1, M2, M3, M4, M5, M6, const P extends Path>(
    path: P,
    first: HandlerBehind<M1, unknown, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    second: HandlerBehind<M2, M1, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    third: HandlerBehind<M3, M1 & M2, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fifth: HandlerBehind<M5, M1 & M2 & M3 & M4, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    sixth: HandlerBehind<M6, M1 & M2 & M3 & M4 & M5, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    last: HandlersBehind<M1 & M2 & M3 & M4 & M5 & M6, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
  ): Self;
  /** Registers eight handlers. */
  <M1, M2, M3, M4, M5, M6, M7, const P extends Path>(
    path: P,
    first: HandlerBehind<M1, unknown, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    second: HandlerBehind<M2, M1, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    third: HandlerBehind<M3, M1 & M2, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fifth: HandlerBehind<M5, M1 & M2 & M3 & M4, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    sixth: HandlerBehind<M6, M1 & M2 & M3 & M4 & M5, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    seventh: HandlerBehind<M7, M1 & M2 & M3 & M4 & M5 & M6, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    last: HandlersBehind<M1 & M2 & M3 & M4 & M5 & M6 & M7, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
  ): Self;
  /** Registers nine or more handlers. */
  <M1, M2, M3, M4, M5, M6, M7, M8, const P extends Path>(
    path: P,
    first: HandlerBehind<M1, unknown, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    second: HandlerBehind<M2, M1, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    third: HandlerBehind<M3, M1 & M2, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    fifth: HandlerBehind<M5, M1 & M2 & M3 & M4, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    sixth: HandlerBehind<M6, M1 & M2 & M3 & M4 & M5, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    seventh: HandlerBehind<M7, M1 & M2 & M3 & M4 & M5 & M6, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    eighth: HandlerBehind<M8, M1 & M2 & M3 & M4 & M5 & M6 & M7, ParamsOf<P> & Outer, L, NamesFor<ParamsOf<P>, Around>>,
    ...others: HandlersBehind<
      M1 & M2 & M3 & M4 & M5 & M6 & M7 & M8,
      ParamsOf<P> & Outer,
      L,
      NamesFor<ParamsOf<P>, Around>
    >[]
  ): Self;
  /** Registers handlers and error handlers, in lists nested to any depth. */
  <const P = Path, ResBody = Any, ReqBody = Any, ReqQuery = ParsedQs, Ls extends Record<string, Any> = L>(
    path: PathOf<P>,
    ...handlers: HandlerList<
      ParamsOf<P> & Outer,
      Given<ResBody>,
      ReqBody,
      ReqQuery,
      Given<Ls>,
      NamesFor<ParamsOf<P>, Around>
    >[]
  ): Self;
}

/**
 * Handlers without a path, each typed by the declarations of the handlers before it.
 *
 * @internal
 */
export interface HandlerChain<Self, Params, L extends Record<string, Any>, Around> {
  /**
   * Adds two handlers; the second is typed by what the first adds to requests.
   *
   * @param first Called first; calls `next()` to continue
   * @param last Called next
   *
   * @example Two body parsers
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.use(sluice.json(), sluice.urlencoded());
   * ```
   */
  <M1>(
    first: HandlerBehind<M1, unknown, Params, L, NamesFor<Params, Around>>,
    last: HandlersBehind<M1, Params, L, NamesFor<Params, Around>>,
  ): Self;
  /** Adds three handlers. */
  <M1, M2>(
    first: HandlerBehind<M1, unknown, Params, L, NamesFor<Params, Around>>,
    second: HandlerBehind<M2, M1, Params, L, NamesFor<Params, Around>>,
    last: HandlersBehind<M1 & M2, Params, L, NamesFor<Params, Around>>,
  ): Self;
  /** Adds four handlers. */
  <M1, M2, M3>(
    first: HandlerBehind<M1, unknown, Params, L, NamesFor<Params, Around>>,
    second: HandlerBehind<M2, M1, Params, L, NamesFor<Params, Around>>,
    third: HandlerBehind<M3, M1 & M2, Params, L, NamesFor<Params, Around>>,
    last: HandlersBehind<M1 & M2 & M3, Params, L, NamesFor<Params, Around>>,
  ): Self;
  /** Adds five handlers. */
  <M1, M2, M3, M4>(
    first: HandlerBehind<M1, unknown, Params, L, NamesFor<Params, Around>>,
    second: HandlerBehind<M2, M1, Params, L, NamesFor<Params, Around>>,
    third: HandlerBehind<M3, M1 & M2, Params, L, NamesFor<Params, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, Params, L, NamesFor<Params, Around>>,
    last: HandlersBehind<M1 & M2 & M3 & M4, Params, L, NamesFor<Params, Around>>,
  ): Self;
  /** Adds six handlers. */
  <M1, M2, M3, M4, M5>(
    first: HandlerBehind<M1, unknown, Params, L, NamesFor<Params, Around>>,
    second: HandlerBehind<M2, M1, Params, L, NamesFor<Params, Around>>,
    third: HandlerBehind<M3, M1 & M2, Params, L, NamesFor<Params, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, Params, L, NamesFor<Params, Around>>,
    fifth: HandlerBehind<M5, M1 & M2 & M3 & M4, Params, L, NamesFor<Params, Around>>,
    last: HandlersBehind<M1 & M2 & M3 & M4 & M5, Params, L, NamesFor<Params, Around>>,
  ): Self;
  /** Adds seven handlers. */
  <M1, M2, M3, M4, M5, M6>(
    first: HandlerBehind<M1, unknown, Params, L, NamesFor<Params, Around>>,
    second: HandlerBehind<M2, M1, Params, L, NamesFor<Params, Around>>,
    third: HandlerBehind<M3, M1 & M2, Params, L, NamesFor<Params, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, Params, L, NamesFor<Params, Around>>,
    fifth: HandlerBehind<M5, M1 & M2 & M3 & M4, Params, L, NamesFor<Params, Around>>,
    sixth: HandlerBehind<M6, M1 & M2 & M3 & M4 & M5, Params, L, NamesFor<Params, Around>>,
    last: HandlersBehind<M1 & M2 & M3 & M4 & M5 & M6, Params, L, NamesFor<Params, Around>>,
  ): Self;
  /** Adds eight handlers. */
  <M1, M2, M3, M4, M5, M6, M7>(
    first: HandlerBehind<M1, unknown, Params, L, NamesFor<Params, Around>>,
    second: HandlerBehind<M2, M1, Params, L, NamesFor<Params, Around>>,
    third: HandlerBehind<M3, M1 & M2, Params, L, NamesFor<Params, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, Params, L, NamesFor<Params, Around>>,
    fifth: HandlerBehind<M5, M1 & M2 & M3 & M4, Params, L, NamesFor<Params, Around>>,
    sixth: HandlerBehind<M6, M1 & M2 & M3 & M4 & M5, Params, L, NamesFor<Params, Around>>,
    seventh: HandlerBehind<M7, M1 & M2 & M3 & M4 & M5 & M6, Params, L, NamesFor<Params, Around>>,
    last: HandlersBehind<M1 & M2 & M3 & M4 & M5 & M6 & M7, Params, L, NamesFor<Params, Around>>,
  ): Self;
  /** Adds nine or more handlers. */
  <M1, M2, M3, M4, M5, M6, M7, M8>(
    first: HandlerBehind<M1, unknown, Params, L, NamesFor<Params, Around>>,
    second: HandlerBehind<M2, M1, Params, L, NamesFor<Params, Around>>,
    third: HandlerBehind<M3, M1 & M2, Params, L, NamesFor<Params, Around>>,
    fourth: HandlerBehind<M4, M1 & M2 & M3, Params, L, NamesFor<Params, Around>>,
    fifth: HandlerBehind<M5, M1 & M2 & M3 & M4, Params, L, NamesFor<Params, Around>>,
    sixth: HandlerBehind<M6, M1 & M2 & M3 & M4 & M5, Params, L, NamesFor<Params, Around>>,
    seventh: HandlerBehind<M7, M1 & M2 & M3 & M4 & M5 & M6, Params, L, NamesFor<Params, Around>>,
    eighth: HandlerBehind<M8, M1 & M2 & M3 & M4 & M5 & M6 & M7, Params, L, NamesFor<Params, Around>>,
    ...others: HandlersBehind<M1 & M2 & M3 & M4 & M5 & M6 & M7 & M8, Params, L, NamesFor<Params, Around>>[]
  ): Self;
}

/**
 * Handlers and error handlers without a path, in lists nested to any depth.
 *
 * @internal
 */
export interface HandlerLists<Self, Params, L extends Record<string, Any>, Around> {
  /** Adds handlers and error handlers, in lists nested to any depth. */
  <P = Params, ResBody = Any, ReqBody = Any, ReqQuery = ParsedQs, Ls extends Record<string, Any> = L>(
    ...handlers: HandlerList<
      Given<P>,
      Given<ResBody>,
      ReqBody,
      ReqQuery,
      Given<Ls>,
      NamesFor<Given<P>, Around>
    >[]
  ): Self;
}
