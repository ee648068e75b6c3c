import { json } from "../middleware/body/json.ts";
import { raw } from "../middleware/body/raw.ts";
import { text } from "../middleware/body/text.ts";
import { urlencoded } from "../middleware/body/urlencoded.ts";
import { serveStatic } from "../middleware/static_files.ts";
import { FrameworkRequest, type ParsedQs, type RouteParams } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import { refuseMembers } from "../util/refuse_members.ts";
import { FrameworkResponse } from "../response/framework_response.ts";
import type * as responses from "../response/framework_response.ts";
import type * as exchanged from "../response/request_and_response.ts";
import type * as options from "../response/set_cookie.ts";
import type * as handlers from "../routing/handler.ts";
import { Route } from "../routing/route.ts";
import { Router, type RouterConstructor } from "../routing/router.ts";
import type * as routers from "../routing/router.ts";
import type * as routerOptions from "../routing/router_options.ts";
import type * as names from "./express_names.ts";
import { FrameworkApp } from "./framework_app.ts";

/** Creates applications, and has the same properties as Express's `express`. */
export interface CreateApp {
  /**
   * Creates an application.
   *
   * @typeParam L Type of `res.locals`
   * @returns The application, with Express's defaults
   */
  <L extends Record<string, Any> = Record<string, Any>>(): FrameworkApp<L>;
  /** Creates routers. */
  readonly Router: RouterConstructor;
  /** A path and its handlers by method. */
  readonly Route: typeof Route;
  /** Parses JSON bodies. */
  readonly json: typeof json;
  /** Reads bodies as bytes. */
  readonly raw: typeof raw;
  /** Reads text bodies. */
  readonly text: typeof text;
  /** Parses form bodies. */
  readonly urlencoded: typeof urlencoded;
  /** Serves the files in a directory. */
  readonly static: typeof serveStatic;
  /** The prototype shared by all applications. */
  readonly application: FrameworkApp;
  /** The prototype shared by all applications' requests. */
  readonly request: FrameworkRequest;
  /** The prototype shared by all applications' responses. */
  readonly response: FrameworkResponse;
}

/**
 * The prototype shared by all applications.
 *
 * @example A method for every application
 * ```ts
 * import sluice, { application } from "@sluice/sluice";
 *
 * Object.assign(application, { version: () => "1.2.3" });
 * console.log("version" in sluice()); // true
 * ```
 */
// a pure call, so bundlers can drop it when nothing imports it
export const application: FrameworkApp = /* @__PURE__ */ prototypeOf(FrameworkApp);

/**
 * The prototype shared by all applications' requests.
 *
 * @example A property on every request
 * ```ts
 * import { type FrameworkRequest, request } from "@sluice/sluice";
 *
 * Object.defineProperty(request, "isMobile", {
 *   configurable: true,
 *   get(this: FrameworkRequest): boolean {
 *     return /Mobile/.test(this.get("user-agent") ?? "");
 *   },
 * });
 * ```
 */
export const request: FrameworkRequest = /* @__PURE__ */ prototypeOf(FrameworkRequest);

/**
 * The prototype shared by all applications' responses.
 *
 * @example A method on every response
 * ```ts
 * import { type FrameworkResponse, response } from "@sluice/sluice";
 *
 * Object.assign(response, {
 *   ok(this: FrameworkResponse, data: unknown): FrameworkResponse {
 *     return this.json({ ok: true, data });
 *   },
 * });
 * ```
 */
export const response: FrameworkResponse = /* @__PURE__ */ prototypeOf(FrameworkResponse);

/**
 * Creates an application.
 *
 * @example Test an application without a server
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/", (_req, res) => res.send("Hello"));
 *
 * const response = await app.inject("/");
 * console.log(await response.text()); // Hello
 * ```
 */
// a pure call, so bundlers drop body parsers and static files when only the classes are used
export const createApp: CreateApp = /* @__PURE__ */ withStatics();

/** Express's types as members of the function: `express.Request` is {@linkcode FrameworkRequest}. */
export declare namespace createApp {
  /** The request. */
  export type Request<
    P = RouteParams,
    ResBody = Any,
    ReqBody = Any,
    ReqQuery = ParsedQs,
    L extends Record<string, Any> = Record<string, Any>,
  > = exchanged.Request<P, ResBody, ReqBody, ReqQuery, L>;
  /** The response. */
  export type Response<
    ResBody = Any,
    L extends Record<string, Any> = Record<string, Any>,
    Status extends number = number,
  > = exchanged.Response<ResBody, L, Status>;
  /** Continues with the next layer. */
  export type NextFunction = names.NextFunction;
  /** A middleware or route handler. */
  export type RequestHandler<
    P = RouteParams,
    ResBody = Any,
    ReqBody = Any,
    ReqQuery = ParsedQs,
    L extends Record<string, Any> = Record<string, Any>,
  > = names.RequestHandler<P, ResBody, ReqBody, ReqQuery, L>;
  /** An error handler. */
  export type ErrorRequestHandler<
    P = RouteParams,
    ResBody = Any,
    ReqBody = Any,
    ReqQuery = ParsedQs,
    L extends Record<string, Any> = Record<string, Any>,
  > = names.ErrorRequestHandler<P, ResBody, ReqBody, ReqQuery, L>;
  /** A handler for a named parameter. */
  export type RequestParamHandler = names.RequestParamHandler;
  /** A middleware or route handler. */
  export type Handler = handlers.Handler;
  /** The values a program keeps in `res.locals`. */
  export type Locals = responses.Locals;
  /** An application. */
  export type Application<L extends Record<string, Any> = Record<string, Any>> = names.Application<L>;
  /** An application. */
  export type Express = names.Express;
  /** A router. */
  export type Router = routers.Router;
  /** A router. */
  export type IRouter = names.IRouter;
  /** The type of `app.get` and an application's other methods. */
  export type IRouterMatcher<T, Method extends string = string> = names.IRouterMatcher<T, Method>;
  /** The type of `route.get` and a route's other methods. */
  export type IRouterHandler<T, Path extends string = string> = names.IRouterHandler<T, Path>;
  /** A path and its handlers by method. */
  export type IRoute = names.IRoute;
  /** The type of `res.send` and `res.json`. */
  export type Send<ResBody = Any, T = exchanged.Response<ResBody>> = names.Send<ResBody, T>;
  /** A callback that receives an error. */
  export type Errback = names.Errback;
  /** How a router matches paths. */
  export type RouterOptions = routerOptions.RouterOptions;
  /** Cookie options. */
  export type CookieOptions = options.CookieOptions;
}

function withStatics(): CreateApp {
  const made = Object.assign(
    function createApp<L extends Record<string, Any> = Record<string, Any>>(): FrameworkApp<L> {
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
  return refuseElsewhere(made);
}

/**
 * Makes names of other packages, which programs look for here, an error that says where they are. Some were Express's
 * own before version 4.
 *
 * @param made The function that creates applications
 * @returns The function
 */
export function refuseElsewhere<T extends object>(made: T): T {
  return refuseMembers(made, "sluice", {
    compression: "import it from @sluice/middleware/compress",
    cookieParser: "import it from npm's cookie-parser",
    cors: "import it from npm's cors",
    helmet: "import it from npm's helmet",
    session: "import it from @sluice/middleware/session",
    validate: "import it from @sluice/openapi",
  });
}

function prototypeOf<T>(made: { readonly prototype: T }): T {
  return made.prototype;
}
