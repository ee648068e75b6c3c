import { json } from "../middleware/body/json.ts";
import { raw } from "../middleware/body/raw.ts";
import { text } from "../middleware/body/text.ts";
import { urlencoded } from "../middleware/body/urlencoded.ts";
import { serveStatic } from "../middleware/static_files.ts";
import { FrameworkRequest, type QueryValues, type RouteParams } from "../request/framework_request.ts";
import type { Untyped } from "../request/untyped.ts";
import { FrameworkResponse } from "../response/framework_response.ts";
import type * as options from "../response/set_cookie.ts";
import type * as handlers from "../routing/handler.ts";
import { Route } from "../routing/route.ts";
import { Router, type RouterConstructor } from "../routing/router.ts";
import type * as routers from "../routing/router.ts";
import type * as routerOptions from "../routing/router_options.ts";
import type * as names from "./express_names.ts";
import { FrameworkApp } from "./framework_app.ts";

/** Makes applications; carries what Express's `express` carries. */
export interface CreateApp {
  /**
   * Makes an application.
   *
   * @typeParam L Type of `res.locals`
   * @returns The application, with Express's defaults
   */
  <L extends handlers.Locals = handlers.Locals>(): FrameworkApp<L>;
  /** Makes routers. */
  readonly Router: RouterConstructor;
  /** One path with the handlers of its methods. */
  readonly Route: typeof Route;
  /** Parses JSON bodies. */
  readonly json: typeof json;
  /** Reads bodies as bytes. */
  readonly raw: typeof raw;
  /** Reads text bodies. */
  readonly text: typeof text;
  /** Parses form bodies. */
  readonly urlencoded: typeof urlencoded;
  /** Serves the files of a folder. */
  readonly static: typeof serveStatic;
  /** What applications inherit. */
  readonly application: FrameworkApp;
  /** What requests of every application inherit. */
  readonly request: FrameworkRequest;
  /** What responses of every application inherit. */
  readonly response: FrameworkResponse;
}

/** What applications inherit. */
// a bundler that sees a pure call leaves out what nobody imports
export const application: FrameworkApp = /* @__PURE__ */ prototypeOf(FrameworkApp);

/** What requests of every application inherit. */
export const request: FrameworkRequest = /* @__PURE__ */ prototypeOf(FrameworkRequest);

/** What responses of every application inherit. */
export const response: FrameworkResponse = /* @__PURE__ */ prototypeOf(FrameworkResponse);

/** Makes an application. */
// a bundler that sees a pure call leaves out body parsers and files where only the classes are used
export const createApp: CreateApp = /* @__PURE__ */ withStatics();

/** Express's types as members of its function: `express.Request` is {@linkcode FrameworkRequest}. */
export declare namespace createApp {
  /** The request. */
  export type Request<
    P = RouteParams,
    ResBody = Untyped,
    ReqBody = Untyped,
    ReqQuery = QueryValues,
    L extends Locals = Locals,
  > = names.Request<P, ResBody, ReqBody, ReqQuery, L>;
  /** The response. */
  export type Response<ResBody = Untyped, L extends Locals = Locals> = names.Response<ResBody, L>;
  /** Continues with the next layer. */
  export type NextFunction = names.NextFunction;
  /** A middleware or route handler. */
  export type RequestHandler<
    P = RouteParams,
    ResBody = Untyped,
    ReqBody = Untyped,
    ReqQuery = QueryValues,
    L extends Locals = Locals,
  > = names.RequestHandler<P, ResBody, ReqBody, ReqQuery, L>;
  /** An error handler. */
  export type ErrorRequestHandler<
    P = RouteParams,
    ResBody = Untyped,
    ReqBody = Untyped,
    ReqQuery = QueryValues,
    L extends Locals = Locals,
  > = names.ErrorRequestHandler<P, ResBody, ReqBody, ReqQuery, L>;
  /** A handler of a named parameter. */
  export type RequestParamHandler = names.RequestParamHandler;
  /** A middleware or route handler. */
  export type Handler = handlers.Handler;
  /** Values of `res.locals`. */
  export type Locals = handlers.Locals;
  /** An application. */
  export type Application<L extends Locals = Locals> = names.Application<L>;
  /** An application. */
  export type Express = names.Express;
  /** A router. */
  export type Router = routers.Router;
  /** A router. */
  export type IRouter = names.IRouter;
  /** What `app.get` and its kin are. */
  export type IRouterMatcher<T, Method extends string = string> = names.IRouterMatcher<T, Method>;
  /** What `route.get` and its kin are. */
  export type IRouterHandler<T, Path extends string = string> = names.IRouterHandler<T, Path>;
  /** One path with the handlers of its methods. */
  export type IRoute = names.IRoute;
  /** What `res.send` and `res.json` are. */
  export type Send<ResBody = Untyped, T = names.Response<ResBody>> = names.Send<ResBody, T>;
  /** A callback that is told what went wrong. */
  export type Errback = names.Errback;
  /** How a router matches. */
  export type RouterOptions = routerOptions.RouterOptions;
  /** How a cookie is set. */
  export type CookieOptions = options.CookieOptions;
}

function withStatics(): CreateApp {
  return Object.assign(
    function createApp<L extends handlers.Locals = handlers.Locals>(): FrameworkApp<L> {
      return new FrameworkApp<L>();
    },
    {
      Router,
      Route,
      json,
      raw,
      text,
      urlencoded,
      static: serveStatic,
      application,
      request,
      response,
    },
  );
}

function prototypeOf<T>(made: { readonly prototype: T }): T {
  return made.prototype;
}
