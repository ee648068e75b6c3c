import type { AppContext } from "../dispatch/app_context.ts";
import { sendErrorPage } from "../dispatch/error_page.ts";
import { type AppClasses, handleRequest } from "../dispatch/handle_request.ts";
import { type Pages, pagesOf } from "../dispatch/pages.ts";
import { ownFetches } from "../dispatch/host_server.ts";
import { isDeveloped, isWarningNoted, noteWarning, tellWarnings } from "../util/development_warning.ts";
import { currentInspection } from "../util/inspection.ts";
import { assignOwn, makeAssignable } from "../util/assignable.ts";
import { Callable } from "../util/callable.ts";
import { mixEmitter } from "../util/emitter.ts";
import type { EmitterMethods, EventName, Listener } from "../util/emitter_methods.ts";
import { describe } from "../util/error_text.ts";
import { isOriginal, originalKey, originalOf } from "../util/original_object.ts";
import { pagesKey } from "../util/exempt_pages.ts";
import type { FastMatcher } from "../matching/fast_matcher.ts";
import { type AnyHandler, type Mounted, mountedKey } from "../matching/layer.ts";
import { defineMethod, defineVerbs } from "../matching/methods.ts";
import { noteRegistration, pagesExist } from "../matching/registrations.ts";
import { detected, detectPlatform, handleNodeRequest, type ServerResponseLike } from "../platform/detect.ts";
import { advised, injected, type InjectInit, type InjectTarget } from "./injected_request.ts";
import {
  type AppFetch,
  type ListenOptions,
  type NodeHandle,
  replacedHandleKey,
  type ServerMaker,
} from "../platform/shared/platform.ts";
import {
  acceptSocketKey,
  adoptKey,
  type AppLike,
  backgroundKey,
  openStreamsKey,
  type RenderCallback,
  routePathKey,
  routesSeenKey,
  type SeenRoute,
  type SettingValue,
} from "../exchange/app_like.ts";
import { poweredBy, profileKey } from "../exchange/app_profile.ts";
import { ownAppKey } from "../exchange/derived_object.ts";
import type { ErrorContext } from "../exchange/error_context.ts";
import { Exchange, exchangeOf } from "../exchange/exchange.ts";
import { OpenStreams } from "../exchange/open_streams.ts";
import { FrameworkRequest, type ParsedQs } from "../request/framework_request.ts";
import type { RuntimeSupport } from "../exchange/runtime_support.ts";
import { provideDefaultApp } from "../exchange/default_app.ts";
import type { Any } from "../util/any.ts";
import { FrameworkResponse } from "../response/framework_response.ts";
import type { Handler, Next, ParamHandler, ParamsOf, Path, PathHandler } from "../routing/handler.ts";
import { type ExpressApp, isExpressApp } from "../routing/express_mount.ts";
import type { FetchApp, FetchHandler } from "../routing/fetch_mount.ts";
import {
  defineViews,
  LAYER_VIEWS,
  type LayerViews,
  type RouteDefinition,
  type SubRouter,
  type WebSocketRouteDefinition,
} from "../routing/layer_views.ts";
import type { Route } from "../routing/route.ts";
import { longestMessage, type RegisteredRoute } from "../routing/route_listing.ts";
import { routesSeenFrom } from "../routing/seen_routes.ts";
import { splitPath } from "../routing/handler_arguments.ts";
import type { DetailedRoute } from "../routing/detailed_routes.ts";
import type { ListRoutesOptions, PrintRoutesOptions } from "../routing/router_options.ts";
import { routePathOf } from "../routing/route_paths.ts";
import { BaseRouter, type GroupCallback, registeringVerb, registerKey, type Router } from "../routing/router.ts";
import type { GroupOptions, RouterOptions } from "../routing/router_options.ts";
import type { RouterVerbs, Use, Verb } from "../routing/verbs.ts";
import { render } from "../views/render.ts";
import { type Engine, View } from "../views/view.ts";
import { acceptWebSocket, upgraderOf } from "../websocket/accept.ts";
import { Connections, connectionsKey, GOING_AWAY } from "../websocket/connections.ts";
import type { WebSocketHandlers } from "../websocket/ws_handlers.ts";
import { foreignPrototype } from "./foreign_prototype.ts";
import { type CloseOptions, Lifecycle, type ListenCallback } from "./lifecycle.ts";
import { enclosingApp, noteHost } from "./enclosing_app.ts";
import { type ErrorListener, reportError } from "./report_error.ts";
import type { Profile } from "./profile.ts";
import type { Server } from "./server.ts";
import { type AppSettings, misspeltSetting, parseUnchosenQuery, storeSetting } from "./settings.ts";
import type { AnySettingName, SpelledSetting } from "./setting_names.ts";
import { defaultEnv, envIsKnown, tellOfEnv } from "./default_env.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** Extra properties that packages attach to applications; declared like `RequestExtras`. */
// deno-lint-ignore no-empty-interface -- programs augment it
export interface ApplicationExtras {}

/** `app.get`: reads a setting, or registers handlers for GET. */
export interface SettingOrVerb<Self, L extends Record<string, Any> = Record<string, Any>>
  extends Verb<Self, L, unknown, never> {
  /**
   * Reads a setting.
   *
   * @param name Its name
   *
   * @example The environment
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * console.log(app.get("env")); // "development", unless NODE_ENV says otherwise
   * ```
   */
  (name: string): SettingValue;
}

/** A web application with its verbs and events, callable as a handler. */
export interface FrameworkApp<
  L extends Record<string, Any> = Record<string, Any>,
  AppLocals extends Record<string, Any> = Record<string, Any>,
> extends RouterVerbs<L, unknown, never>, LayerViews, EmitterMethods, ApplicationExtras {
  /** Reads a setting, or registers handlers for GET, and for HEAD unless it has its own handler. */
  get: SettingOrVerb<this, L>;
  /** Adds middleware, error handlers, routers or applications for every path, or for paths below a prefix. */
  use: Use<this, L, Any, unknown, never>;
  /** Passes a request through the application, as middleware in a different one. */
  (req: Any, res: Any, next?: Next): void;
  /**
   * Listens for errors that none of the program's handlers received: see {@linkcode FrameworkApp.reportError}.
   *
   * @example Send them to a service
   * ```ts ignore
   * app.on("error", (error, { req, phase }) => logger.error({ error, phase, url: req?.originalUrl }));
   * ```
   */
  on(event: "error", listener: ErrorListener): this;
  /** Listens for the start of `app.close`, when servers begin to stop. End responses that would stay open forever. */
  on(event: "closing", listener: () => void): this;
  /**
   * Listens for the end of closing, whether or not it failed: the last response has been sent. Close databases here.
   * `app.close` does not wait for promises that listeners return.
   */
  on(event: "close", listener: () => void): this;
  /** Listens for being mounted on another application. */
  on(event: "mount", listener: (parent: FrameworkApp) => void): this;
  /** Adds a listener. */
  on(event: EventName, listener: Listener): this;
}

/** Key of the method that recreates a WebSocket's request, for internal use. */
export const resumeKey: unique symbol = Symbol("sluice.resume");

/** Key of the method that listens on a server other than the runtime's, for internal use. */
export const listenOnKey: unique symbol = Symbol("sluice.listen on");

/** Saved data from a WebSocket's request, which outlived the application that accepted it. */
export interface ResumedRequest {
  /** The request, as far as it was saved. */
  readonly request: Request;
  /** The platform's second argument. */
  readonly info: unknown;
  /** The platform's third argument. */
  readonly context: unknown;
  /** Length of the path part consumed by mounts. */
  readonly mount: number;
  /** Path parameters. */
  readonly params: Record<string, Any>;
}

/** A foreign request or response, such as a test's mock. */
interface Foreign {
  /** The response, on a request. */
  res?: unknown;
  /** The request, on a response. */
  req?: unknown;
  /** Values for views. */
  locals?: unknown;
  /** Sets a header. */
  setHeader?(name: string, value: string): unknown;
}

const OWN_CLASSES: AppClasses = { Request: FrameworkRequest, Response: FrameworkResponse };

/** Settings that a mounted application inherits from its parent unless set on itself. */
const INHERITABLE_DEFAULTS = ["trust proxy", "json charset"];

/**
 * A web application: routes, middleware, settings and views, served through `fetch`.
 *
 * It is also a function `(req, res, next)`, so it can be mounted like middleware.
 *
 * @typeParam L Type of `res.locals`
 * @typeParam AppLocals Type of `app.locals`
 *
 * @example Middleware, a route and a setting
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.set("trust proxy", 1);
 * app.use(sluice.json());
 * app.get("/users/:id", (req, res) => res.json({ id: req.params.id }));
 *
 * console.log(await (await app.inject("/users/7")).json()); // { id: "7" }
 * ```
 */
export class FrameworkApp<
  L extends Record<string, Any> = Record<string, Any>,
  AppLocals extends Record<string, Any> = Record<string, Any>,
> extends Callable implements AppLike {
  /**
   * The application itself, so derived objects and proxies reach its private fields.
   *
   * @internal
   */
  readonly [originalKey]: object = this;
  // Private fields come first. V8 adds them by computed keys, and turns an object with more than twelve properties into
  // a hash table when one more is added that way. From then on, every access would be a lookup.
  /** The application's own request and response classes, created on first use of `app.request` or `app.response`. */
  #classes: AppClasses | null = null;
  /** Created on first use, which is rare. */
  #connections: Connections | null = null;
  readonly #openStreams = new OpenStreams();
  readonly #lifecycle = new Lifecycle(this);
  /** The {@linkcode INHERITABLE_DEFAULTS} that are still at their default. */
  readonly #untouchedDefaults = new Set<string>();
  #router: BaseRouter | null = null;
  #fetch: AppFetch | null = null;
  // An own property on each application, because `deno serve` requires that. They share one getter; otherwise V8 would
  // turn every later application into a hash table.
  static readonly #fetchProperty: PropertyDescriptor = {
    configurable: true,
    enumerable: true,
    get(this: FrameworkApp) {
      // runs on every request, so it avoids a call
      const original = this[originalKey] as FrameworkApp;
      return original.#fetch ?? original.#firstFetch();
    },
    set(this: FrameworkApp, value) {
      assignOwn(this, "fetch", value);
    },
  };

  /** Attaches the application's own values to requests; `null` if there are none. */
  _appContext: AppContext | null = null;
  /** Values available in all of this application's views. */
  locals: AppLocals = Object.create(null);
  /** The settings; a mounted application inherits those it has not set itself. */
  readonly settings: Record<string, SettingValue> = Object.create(null);
  /** Template engines by extension. */
  readonly engines: Record<string, Engine> = Object.create(null);
  /** Views found so far, when `view cache` is on. */
  readonly cache: Record<string, View> = Object.create(null);
  /** Path matching options, fixed when the router is created. */
  routerOptions: RouterOptions | undefined = undefined;
  /** The path the application is mounted on, `"/"` for the outermost one. */
  mountpath: string | string[] = "/";
  /** The application this one is mounted on. */
  parent: FrameworkApp | undefined = undefined;
  /**
   * Responds to a request. It is bound, so it can be passed to `Deno.serve`, `Bun.serve` or a Worker.
   *
   * Returns the response itself if every handler was synchronous, otherwise a promise for it. A Worker's arguments,
   * `fetch(request, env, ctx)`, set `req.env` and `req.executionCtx` on every runtime, so tests can pass them.
   */
  declare readonly fetch: (request: Request, info?: unknown, context?: unknown) => Response | Promise<Response>;

  /** Creates an application with Express's defaults. */
  constructor() {
    let made: FrameworkApp | undefined = undefined;
    // Express's applications have this function name
    const app = (req: Any, res: Any, next?: Next) => made!.handle(req, res, next!);
    super(detectPlatform().callableApps ? app : null);
    made = this as unknown as FrameworkApp;
    Object.defineProperty(this, "fetch", FrameworkApp.#fetchProperty);
    this.#setDefaults();
    if (this[profileKey] !== null) this.#ownClasses();
    currentInspection()?.made(this);
  }

  #setDefaults(): void {
    const platform = detectPlatform();
    const env = defaultEnv(this, platform);
    storeSetting(this.settings, "env", env);
    this.set("etag", "weak").set("query parser", "simple").set("subdomain offset", 2);
    this.set("trust proxy", false).set("view", View).set("jsonp callback name", "callback");
    this.set("json charset", true);
    this.set("views", platform.files === null ? "./views" : `${platform.files.workingDirectory()}/views`);
    if (env === "production") this.enable("view cache");
    if (env === "development") this.settings["query parser fn"] = parseUnchosenQuery;
    for (const [name, value] of Object.entries(this[profileKey]?.settings ?? {})) this.set(name, value);
    for (const name of INHERITABLE_DEFAULTS) this.#untouchedDefaults.add(name);
    (this.locals as Record<string, Any>)["settings"] = this.settings;
    this.on("mount", (parent: FrameworkApp) => this.#inherit(parent));
  }

  #inherit(parent: FrameworkApp): void {
    // mounted on an Express application, which acts as a surrounding server here, not as a parent
    if (!(parent instanceof FrameworkApp)) return void (this.parent = undefined);
    for (const name of this.#untouchedDefaults) {
      delete this.settings[name];
      delete this.settings[`${name} fn`];
    }
    if (this.#classes !== null) inheritClasses(this, parent);
    Object.setPrototypeOf(this.engines, parent.engines);
    Object.setPrototypeOf(this.settings, parent.settings);
    if (this.#connections !== null) parent[connectionsKey].adopt(this.#connections);
  }

  // a program reads `fetch` before it serves, so everything possible is prepared here, before clients connect
  #firstFetch(): AppFetch {
    currentInspection()?.serves(this);
    this.#indexLayers();
    const platform = detectPlatform();
    platform.prepare?.();
    tellOfEnv(this);
    if (isWarningNoted) tellWarnings(this);
    const respond: AppFetch = (request, info, context) => {
      if (isWarningNoted) tellWarnings(this);
      return handleRequest(this.#router ?? this.router, request, info, context, this, this.#classes, this._appContext);
    };
    const fetch: AppFetch = platform.refuse === undefined
      ? respond
      : (request, info, context) => platform.refuse!(request) ?? respond(request, info, context);
    ownFetches.add(fetch);
    return this.#fetch = fetch;
  }

  #indexLayers(): void {
    this.#router?.fastMatcher.stepsFor("/", "GET");
  }

  /** The prototype for this application's requests; add your own methods here. */
  get request(): FrameworkRequest & Record<string, Any> {
    return originalOf(this).#ownClasses().Request.prototype;
  }

  /** The prototype for this application's responses; add your own methods here. */
  get response(): FrameworkResponse & Record<string, Any> {
    return originalOf(this).#ownClasses().Response.prototype;
  }

  #ownClasses(): AppClasses {
    if (this.#classes === null) {
      const { Request: BaseRequest, Response: BaseResponse } = this[profileKey] ?? OWN_CLASSES;
      this.#classes = { Request: class extends BaseRequest {}, Response: class extends BaseResponse {} };
      const { Request, Response } = this.#classes;
      // objects created from these prototypes belong to this application
      for (const { prototype } of [Request, Response]) Object.defineProperty(prototype, ownAppKey, { value: this });
      if (this.parent !== undefined) inheritClasses(this, this.parent);
    }
    return this.#classes;
  }

  /** The router, with all layers in registration order. Created on first use with the current routing settings. */
  get router(): Router {
    const original = originalOf(this);
    return original.#router ?? original.#firstRouter();
  }

  #firstRouter(): Router {
    this.routerOptions = {
      caseSensitive: this.enabled("case sensitive routing"),
      strict: this.enabled("strict routing"),
    };
    return this.#router = new (this[profileKey]?.Router ?? BaseRouter)(this.routerOptions, "app");
  }

  /**
   * The router under its Express 4 name; `undefined` before its first use, as in Express 4. Programs also assign it to
   * drop all routes: `undefined` for an empty router.
   */
  get _router(): Router | undefined {
    return originalOf(this).#router ?? undefined;
  }

  set _router(router: Router | null | undefined) {
    originalOf(this).#router = router ?? null;
    noteRegistration();
  }

  /** Creates the router unless it exists; Express 4's equivalent of reading {@linkcode FrameworkApp.router}. */
  lazyrouter(): void {
    this.router;
  }

  /**
   * Lets a router mount this application.
   *
   * @internal
   */
  get [mountedKey](): Mounted {
    const source = () => this.router;
    return {
      get source() {
        return source();
      },
      enter: (req, res) => originalOf(this).#enter(req, res),
      app: this,
    };
  }

  // while a mounted application runs, the request and response use its prototypes
  #enter(req: unknown, res: unknown): (error?: unknown) => void {
    const exchange = exchangeOf(req);
    if (exchange === null) return this[adoptKey](req as object, res as object);
    const before = exchange.app;
    exchange.app = this;
    if (this.parent === undefined) noteHost(this, before, () => this.#connections?.closeAll(...GOING_AWAY));
    const isAlike = before[profileKey] === this[profileKey];
    // an inherited setting refers to the parent's name
    const isNamed = this.enabled("x-powered-by") && (isAlike || Object.hasOwn(this.settings, "x-powered-by"));
    if (isNamed) (res as FrameworkResponse).setHeader("X-Powered-By", poweredBy(this));
    this._appContext?.setApp(req as FrameworkRequest, res as FrameworkResponse);
    const reqPrototype = Object.getPrototypeOf(req);
    const resPrototype = Object.getPrototypeOf(res);
    // changing a prototype costs a microsecond, so only applications that extended theirs, or have a different
    // profile, do it
    if (this.#classes !== null || !isAlike) {
      const [ownRequest, ownResponse] = [this.request, this.response];
      // a derived request would lose its own properties
      if ((!isAlike || isExtended(ownRequest)) && isOriginal(req as object)) Object.setPrototypeOf(req, ownRequest);
      if ((!isAlike || isExtended(ownResponse)) && isOriginal(res as object)) Object.setPrototypeOf(res, ownResponse);
    }
    return (error) => {
      if (error !== undefined) exchange.noteFailure(error);
      exchange.app = before;
      if (Object.getPrototypeOf(req) !== reqPrototype) Object.setPrototypeOf(req as object, reqPrototype);
      if (Object.getPrototypeOf(res) !== resPrototype) Object.setPrototypeOf(res as object, resPrototype);
    };
  }

  /**
   * Gives a foreign request and response this application's prototypes, as Express does with every request and
   * response, so a test's mocks have the properties that handlers expect.
   *
   * @param req The request
   * @param res The response
   * @returns A function that restores them
   *
   * @internal
   */
  [adoptKey](req: Foreign, res: Foreign): () => void {
    if (this.enabled("x-powered-by")) res.setHeader?.("X-Powered-By", poweredBy(this));
    req.res = res;
    res.req = req;
    const [reqPrototype, resPrototype] = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)];
    Object.setPrototypeOf(req, foreignPrototype(req, this.request, FrameworkRequest.prototype));
    Object.setPrototypeOf(res, foreignPrototype(res, this.response, FrameworkResponse.prototype));
    res.locals ||= Object.create(null);
    this._appContext?.setApp(req as Any, res as Any);
    return () => {
      Object.setPrototypeOf(req, reqPrototype);
      Object.setPrototypeOf(res, resPrototype);
    };
  }

  /**
   * Serves one request.
   *
   * @param original The request
   * @param server The platform's second argument: `Deno.ServeHandlerInfo`, Bun's server, or a Worker's `env`
   * @returns The response
   */
  handle(original: Request, server?: unknown): Promise<Response>;
  /**
   * Passes a different application's request through this one, like Express's `app.handle`.
   *
   * @param req The request
   * @param res The response
   * @param next Runs when no layer responded; without it, the application sends its own 404 or error page, as in
   * Express
   */
  handle(req: Any, res: Any, next?: Next): void;
  handle(first: Any, second?: Any, next?: Next): Promise<Response> | void {
    if (first instanceof Request) return Promise.resolve(this.fetch(first, second));
    // without a socket it is a mock, so handlers get the same objects, as in Express; so do a mounted application's
    if (isNodeResponse(second) && first?.socket && exchangeOf(first) === null) {
      return handleNodeRequest(this, first, second, next);
    }
    if (second === undefined && next === undefined) {
      throw new TypeError(
        `app.handle expects a Request, such as new Request("http://localhost/"), not ${describe(first)}`,
      );
    }
    const leave = originalOf(this).#enter(first, second);
    this.router.handle(first, second, (error) => {
      if (typeof next === "function") {
        leave(error);
        next(error);
      } else {
        // before control returns, because this application's settings decide how the response looks
        sendErrorPage(first, second, error || undefined);
        leave();
      }
    });
  }

  /**
   * The program's own replacement for `handle`.
   *
   * @internal
   */
  get [replacedHandleKey](): NodeHandle | null {
    return this.handle === ownHandle ? null : (req, res) => this.handle(req, res);
  }

  /**
   * Sends the application a request without a server, for tests. Accepts the same arguments as `fetch`; a path is
   * relative to `http://localhost`, and a plain object or array as the body is sent as JSON.
   *
   * @param target Path with its query, a URL, a request, or an object with `url` and the options
   * @param init Method, headers and body, as for `fetch`; a Worker's bindings and context as `env` and `ctx`; the
   * client's address as `remoteAddress`
   * @returns The response; no network is involved
   * @throws {TypeError} If the target is neither a path starting with a slash nor a URL, or `init` is invalid
   *
   * @example
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.post("/users", (_req, res) => res.sendStatus(201));
   * const response = await app.inject("/users", { method: "POST", body: { name: "Ada" } });
   * if (response.status !== 201) throw new Error(`POST /users gives ${response.status}`);
   * ```
   */
  async inject(target: InjectTarget, init: InjectInit = {}): Promise<Response> {
    return advised(await this.fetch(...injected(target, init)));
  }

  static {
    defineMethod(this.prototype, "use", function use(this: FrameworkApp, ...args: unknown[]): FrameworkApp {
      const { path, handlers } = splitPath("app.use", args);
      if (!handlers.some(isApplication)) {
        this.router.use(path as string, ...handlers as Handler[]);
        return this;
      }
      // `mount` is emitted before later arguments are registered
      for (const fn of handlers) {
        this.router.use(path as string, fn as Handler);
        if (isApplication(fn)) adopt(this, path, fn);
      }
      return this;
    });
  }

  /**
   * Mounts a handler for web requests, or another framework's application, below a path.
   *
   * The handler gets a web `Request` with its path relative to the mount, and the platform's other arguments. Its
   * response is final, even a 404. Mount it before body parsers, because a body can be read only once. Paths with dot
   * segments, such as `/files/x/../secret`, are refused with 400: most handlers resolve them, which would bypass
   * `app.use("/files/secret", guard)`.
   *
   * @param path The path
   * @param handler `(request, info) => Response`, or an object with such a `fetch` method
   * @throws {TypeError} If the handler is neither
   *
   * @example Another framework's application
   * ```ts ignore
   * app.mount("/old", hono.fetch);
   * app.mount("/files", (request) => serveDir(request, { fsRoot: "public" }));
   * ```
   */
  mount(path: Path, handler: FetchHandler | FetchApp): this {
    this.router.mount(path, handler);
    return this;
  }

  static {
    defineMethod(this.prototype, "get", function get(this: FrameworkApp, path: Path, ...handlers: unknown[]): unknown {
      if (arguments.length === 1) {
        if (typeof path === "string" && path.startsWith("/")) noteWarning(readsSetting(path));
        return this.settings[path as string];
      }
      this.router.register("get", path, handlers);
      return this;
    });
  }

  /** @internal */
  [registerKey](method: string | null, path: Path, handlers: readonly unknown[]): this {
    this.router.register(method, path, handlers);
    return this;
  }

  /** Registers a path and returns its route, to add handlers per method. */
  route<const P extends Path>(path: P): Route<ParamsOf<P>, L> {
    return this.router.route(path) as unknown as Route<ParamsOf<P>, L>;
  }

  /** Registers a handler for one or more named parameters; see {@linkcode BaseRouter.param}. */
  param(name: string | readonly string[], handler: ParamHandler): this {
    this.router.param(name, handler);
    return this;
  }

  /** Registers routes under a common prefix; see {@linkcode BaseRouter.group}. */
  group<const P extends string>(prefix: P, callback: GroupCallback<ParamsOf<P>>): this;
  /** Registers routes under a common prefix, and hides its parameters from their handlers. */
  group(prefix: string, options: GroupOptions & { mergeParams: false }, callback: GroupCallback): this;
  /** Registers routes under a common prefix, with options. */
  group<const P extends string>(prefix: P, options: GroupOptions, callback?: GroupCallback<ParamsOf<P>>): this;
  group(prefix: string, options: GroupOptions | GroupCallback<Any>, callback?: GroupCallback<Any>): this {
    this.router.group(prefix, options as GroupOptions, callback!);
    return this;
  }

  /**
   * Registers a WebSocket route. Middleware for the same path, and everything registered earlier, runs first and may
   * refuse the upgrade.
   *
   * @param path The path
   * @param args Middleware, then the connection's handlers
   * @throws {TypeError} If the path is invalid, or the handlers are missing
   *
   * @example An echo
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.ws("/rooms/:room", {
   *   message(ws, text) {
   *     ws.send(`${ws.data.params.room}: ${text}`);
   *   },
   * });
   * ```
   */
  ws<const P extends Path>(
    path: P,
    ...args: [
      ...PathHandler<ParamsOf<P>, Any, Any, ParsedQs, L>[],
      WebSocketHandlers<ParamsOf<P>>,
    ]
  ): this {
    this.router.ws(path, ...(args as unknown as [WebSocketHandlers]));
    return this;
  }

  /**
   * Sets a setting; called with only a name, returns its value. A near miss of a setting name does not compile, so a
   * program's own settings need distinct names, or a declaration in {@linkcode AppSettings}.
   *
   * @param name Its name: one of {@linkcode AppSettings}, or the program's own
   * @param value Its value
   * @throws {TypeError} If the value is invalid for the setting
   *
   * @example Behind one proxy
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.set("trust proxy", 1);
   * ```
   */
  set<Name extends AnySettingName>(name: SpelledSetting<Name>, value?: unknown): this;
  set(name: string, value?: unknown): this {
    if (arguments.length === 1) return this.settings[name];
    storeSetting(this.settings, name, value);
    if (isDeveloped(this)) misspeltSetting(name).forEach(noteWarning);
    originalOf(this).#untouchedDefaults.delete(name);
    if (name === "env") envIsKnown(this);
    return this;
  }

  /** Sets a setting to `true`. */
  enable<Name extends AnySettingName>(name: SpelledSetting<Name>): this;
  enable(name: string): this {
    return this.set(name, true);
  }

  /** Sets a setting to `false`. */
  disable<Name extends AnySettingName>(name: SpelledSetting<Name>): this;
  disable(name: string): this {
    return this.set(name, false);
  }

  /** Returns whether a setting is truthy. */
  enabled(name: string): boolean {
    return Boolean(this.settings[name]);
  }

  /** Returns whether a setting is falsy. */
  disabled(name: string): boolean {
    return !this.settings[name];
  }

  /** Returns a copy of all settings, including inherited ones. */
  getSettings(): Readonly<AppSettings> {
    const all: Record<string, SettingValue> = {};
    for (const name in this.settings) all[name] = this.settings[name];
    return all as AppSettings;
  }

  /** Returns the full path the application is mounted at, including all its parents'; `""` if it is not mounted. */
  path(): string {
    return this.parent === undefined ? "" : this.parent.path() + this.mountpath;
  }

  /**
   * Registers a template engine.
   *
   * @param extension Its views' extension, with or without the dot
   * @param engine Renders a file; called with `(path, options, callback)`
   * @throws {Error} If the engine is not a function
   */
  engine(extension: string, engine: Engine): this {
    if (typeof engine !== "function") {
      throw new Error(`app.engine: callback function required, not ${describe(engine)}`);
    }
    this.engines[dotted("app.engine", extension)] = engine;
    return this;
  }

  /** Returns the engine registered for an extension, with or without the dot. */
  getEngine(extension: string): Engine | undefined {
    return this.engines[dotted("app.getEngine", extension)];
  }

  /**
   * Renders a view.
   *
   * @param name The view's name
   * @param options Values for the view, which override the application's locals; or the callback
   * @param callback Receives the rendered string or the error
   * @throws {TypeError} If there is no callback
   */
  render(name: string, options?: object | RenderCallback | null, callback?: RenderCallback): void {
    if (typeof options === "function") return render(this, name, {}, options as RenderCallback);
    render(this, name, options ?? {}, callback!);
  }

  /**
   * Sets the context that attaches the application's own values to every request.
   *
   * @param context The context, or `null` to remove it
   * @throws {TypeError} If it has no `setApp`
   */
  setAppContext(context: AppContext | null): void {
    if (context !== null && typeof context?.setApp !== "function") {
      throw new TypeError(`app.setAppContext expects null or { setApp(req, res) {} }, not ${describe(context)}`);
    }
    this._appContext = context;
  }

  /** The index over the layers. */
  get fastMatcher(): FastMatcher {
    return this.router.fastMatcher;
  }

  /** Handlers for named parameters. */
  get paramHandlers(): Map<string, AnyHandler[]> {
    return this.router.paramHandlers;
  }

  /** The same as {@linkcode FrameworkApp.routes}. */
  getRoutes(): RouteDefinition[] {
    return this.router.routes;
  }

  /** The same as {@linkcode FrameworkApp.children}. */
  getChildren(): SubRouter[] {
    return this.router.children;
  }

  /** The same as {@linkcode FrameworkApp.wsRoutes}. */
  getWsRoutes(): WebSocketRouteDefinition[] {
    return this.router.wsRoutes;
  }

  /**
   * Returns a route's full registered path, including its enclosing mounts.
   *
   * @param route The route
   * @param path The requested path, to select one of a route's paths
   *
   * @internal
   */
  [routePathKey](route: object, path: string): string | undefined {
    return enclosingApp<FrameworkApp>(this)?.[routePathKey](route, path) ?? routePathOf(this.router, route, path);
  }

  /** Lists every route, including those in mounted routers; see {@linkcode BaseRouter.getRegisteredRoutes}. */
  getRegisteredRoutes(prefix?: string): RegisteredRoute[];
  /** Lists every route with the middleware in front of it; see {@linkcode BaseRouter.getRegisteredRoutes}. */
  getRegisteredRoutes(prefix: string, options: { details: true }): DetailedRoute[];
  /** Lists every route. */
  getRegisteredRoutes(prefix: string, options?: ListRoutesOptions): RegisteredRoute[];
  getRegisteredRoutes(prefix = "", options: ListRoutesOptions = {}): RegisteredRoute[] {
    return this.router.getRegisteredRoutes(prefix, options);
  }

  /**
   * Returns every route in the outermost application, and whether a path matches it.
   *
   * @param path The path, not decoded
   *
   * @internal
   */
  [routesSeenKey](path: string): SeenRoute[] {
    if (this.parent !== undefined) return this.parent[routesSeenKey](path);
    return routesSeenFrom(this.router, path);
  }

  /** Prints every route, colored only on a terminal; see {@linkcode BaseRouter.printRoutes}. */
  printRoutes(prefix = "", options: PrintRoutesOptions = {}): void {
    this.router.printRoutes(prefix, { color: detectPlatform().colours(), ...options });
  }

  /**
   * Listens on a port.
   *
   * @param port Port number, or options; a free port by default and for 0
   * @param callback Called when the server is listening, or with the error that prevented it
   * @returns The server
   * @throws If the port is not available and there is no callback
   */
  listen(
    port?: number | string | ListenOptions | ListenCallback,
    ...rest: (number | string | ListenCallback | undefined)[]
  ): Server {
    return this[listenOnKey](undefined, port, ...rest);
  }

  /**
   * Listens on a server other than the runtime's.
   *
   * @param maker Creates the server; the runtime's server if `undefined`
   * @param args The arguments to `listen`
   * @returns The server
   *
   * @internal
   */
  [listenOnKey](maker: ServerMaker | undefined, ...args: unknown[]): Server {
    const { fetch } = this;
    // again, because layers may have been registered since `fetch` was first read
    originalOf(this).#indexLayers();
    if (isWarningNoted) tellWarnings(this);
    return originalOf(this).#lifecycle.listen(fetch, args, maker);
  }

  /**
   * Whether this application, or one it is mounted in, is closing. For readiness checks: a process that responds with
   * 503 while this is true, and closes with `drainDelayMs`, loses no requests behind a load balancer.
   */
  get isClosing(): boolean {
    return originalOf(this).#lifecycle.isClosing || (enclosingApp<FrameworkApp>(this)?.isClosing ?? false);
  }

  /**
   * The outermost application's pages that limits exempt; `null` if there are none.
   *
   * @internal
   */
  get [pagesKey](): Pages | null {
    if (!pagesExist) return null;
    return this.parent?.[pagesKey] ?? pagesOf(originalOf(this));
  }

  /** The server, or the first one if the application has several; `null` before `listen` and after `close`. */
  get server(): Server | null {
    return originalOf(this).#lifecycle.server;
  }

  /**
   * Stops listening, finishes in-flight requests and closes WebSockets with code 1001. While closing, the application
   * emits `closing`; use it to end responses that would stay open forever, such as event streams.
   *
   * @param options How long to accept requests, and when to cut the remaining connections; or the callback
   * @param callback Runs when everything is closed, or with the error
   * @throws {TypeError} If there is an unknown option
   * @throws {RangeError} If a time is not a valid timer delay, or `drainDelayMs` exceeds `timeoutMs`
   */
  close(options?: CloseOptions | ((error?: Error) => void), callback?: (error?: Error) => void): Promise<void> {
    return originalOf(this).#lifecycle.close(options, callback);
  }

  /**
   * The open WebSocket connections, for publishing to topics from outside a connection. A mounted application shares
   * its parent's.
   */
  get connections(): Connections {
    return this[connectionsKey];
  }

  /**
   * The same connections, even if a program has assigned the public name.
   *
   * @internal
   */
  get [connectionsKey](): Connections {
    if (this.parent !== undefined) return this.parent[connectionsKey];
    return originalOf(this).#connections ??= new Connections((error, phase) => this.reportError(error, { phase }));
  }

  /**
   * Bodies being streamed.
   *
   * @internal
   */
  get [openStreamsKey](): OpenStreams {
    return enclosingApp<FrameworkApp>(this)?.[openStreamsKey] ?? originalOf(this).#openStreams;
  }

  /**
   * The handlers that Bun's server needs for WebSockets: `Bun.serve({ fetch: app.fetch, websocket: app.websocket })`.
   *
   * `app.listen` and `export default app` pass them automatically. On other runtimes, it is `undefined`. Bun has one
   * message size limit per server, so register routes with a larger `maxMessageBytes` before reading this.
   */
  get websocket(): Any {
    return detectPlatform().socketHandlers?.(longestMessage(this.router));
  }

  /**
   * Idle time before Bun cuts an exported application's connections, in seconds; 0 means never, as on other runtimes.
   */
  get idleTimeout(): number | undefined {
    return detectPlatform().serverLimits?.idleTimeout;
  }

  /** Maximum body size in bytes that Bun passes to an exported application: unlimited, as body parsers have limits. */
  get maxRequestBodySize(): number | undefined {
    return detectPlatform().serverLimits?.maxRequestBodySize;
  }

  /**
   * Closes the application; defined only on Bun, while it listens. Bun serves a program's default export unless it
   * has a `stop` method. Without one, an application that listens and is exported for tests would be served twice.
   */
  get stop(): (() => Promise<void>) | undefined {
    const isExportServed = detectPlatform().serverLimits !== undefined;
    return isExportServed && this.server !== null ? () => this.close() : undefined;
  }

  /**
   * How this application differs from Sluice's own applications; a subclass overrides it.
   *
   * @internal
   */
  get [profileKey](): Profile | null {
    return null;
  }

  /**
   * The runtime, for internal use.
   *
   * @internal
   */
  get [runtimeKey](): RuntimeSupport {
    return detected ?? detectPlatform();
  }

  /**
   * Keeps work going after the response; see `req.waitUntil`.
   *
   * @internal
   */
  [backgroundKey](work: PromiseLike<unknown>, info: unknown, context: unknown, req?: object): void {
    const failed = (error: unknown): void => this.reportError(error, { req, phase: "background" });
    const followed = originalOf(this).#lifecycle.follow(work, failed);
    // its parents may or may not be closed with it
    const around = enclosingApp<FrameworkApp>(this);
    if (around === undefined) detectPlatform().waitUntil(followed, info, context);
    else around[backgroundKey](followed, info, context, req);
  }

  /**
   * Reports an error that none of the program's handlers received. It goes to the `error` listeners, a mounted
   * application's before its parents', and to the console only if there are no listeners. If `env` is `"test"`, nothing
   * is written to the console; listeners are always called.
   *
   * The framework calls this for errors it catches; middleware may call it for errors it has to catch itself. Each
   * error is reported once per request. Errors thrown by listeners go to the console.
   *
   * @param error The error
   * @param context The request it belongs to, if any, and its origin
   *
   * @example Middleware that writes to its own log after the response
   * ```ts ignore
   * store.add(entry).catch((error) => req.app.reportError(error, { req, phase: "background" }));
   * ```
   */
  reportError(error: unknown, context: ErrorContext): void {
    reportError(this, error, context);
  }

  /**
   * Upgrades a request to a WebSocket.
   *
   * @internal
   */
  async [acceptSocketKey](req: unknown, res: unknown, route: { path: string; handlers: object }): Promise<void> {
    const request = req as FrameworkRequest;
    const exchange = exchangeOf(request)!;
    const platform = detectPlatform();
    const { target: { request: asked } } = exchange;
    if (exchange.awaited && await upgraderOf(exchange, platform).hasDisconnected?.(asked)) exchange.disconnect();
    exchange.upgrade(() =>
      acceptWebSocket({
        req: request,
        res: res as FrameworkResponse,
        routePath: route.path,
        handlers: route.handlers as WebSocketHandlers,
        platform,
        exchange,
        connections: this[connectionsKey],
      })
    );
    // limiters wait for the handler's end, after `close`
    if (exchange.aborted) return queueMicrotask(() => (res as FrameworkResponse).end());
    // middleware may have responded
    if (exchange.response?.status !== 101) return;
    // for code that reads it later, such as loggers and timeouts
    (res as FrameworkResponse).statusCode = 101;
    // releases the whole walk
    (request as { next?: unknown }).next = undefined;
  }

  /**
   * Recreates the request for a WebSocket that outlived its application, as in a hibernating Durable Object.
   *
   * @param kept The saved request data
   * @returns The request
   *
   * @internal
   */
  [resumeKey](kept: ResumedRequest): FrameworkRequest {
    const exchange = new Exchange(kept.request, kept.info, kept.context, this);
    exchange.target.consume(kept.mount);
    const classes = originalOf(this).#classes ?? OWN_CLASSES;
    const req = new classes.Request(exchange);
    const res = req.res = new classes.Response(exchange, req);
    req.params = kept.params;
    this.#introduce(req, res);
    return req;
  }

  #introduce(req: FrameworkRequest, res: FrameworkResponse): void {
    if (this.parent !== undefined) this.parent.#introduce(req, res);
    this._appContext?.setApp(req, res);
  }
}

function inheritClasses(child: FrameworkApp, parent: FrameworkApp): void {
  // a different Express version's changes to its requests would be lost
  if (child[profileKey] !== parent[profileKey]) return;
  Object.setPrototypeOf(child.request, parent.request);
  Object.setPrototypeOf(child.response, parent.response);
}

function adopt(parent: FrameworkApp, path: Path, child: ExpressApp): void {
  child.mountpath = path;
  child.parent = parent;
  child.emit("mount", parent);
}

function isApplication(fn: AnyHandler): fn is AnyHandler & ExpressApp {
  return fn instanceof FrameworkApp || isExpressApp(fn);
}

function dotted(caller: string, extension: string): string {
  if (typeof extension !== "string") {
    throw new TypeError(`${caller} expects an extension as a string, not ${describe(extension)}`);
  }
  return extension.startsWith(".") ? extension : `.${extension}`;
}

function readsSetting(path: string): string {
  return `app.get("${path}") reads a setting; a route needs a handler, as in app.get("${path}", handler)`;
}

// whether it has properties besides its constructor and its application
function isExtended(prototype: object): boolean {
  return Reflect.ownKeys(prototype).length > 2;
}

const { handle: ownHandle } = FrameworkApp.prototype;

defineVerbs(FrameworkApp.prototype, registeringVerb);

provideDefaultApp(() => new FrameworkApp());

// classes have one base class, and here that is Callable
mixEmitter(FrameworkApp.prototype);

defineViews(FrameworkApp.prototype, (app, name) => app.router[name]);

// Express lacks these, so programs and packages may store their own values under these names
makeAssignable(FrameworkApp.prototype, [...Object.keys(LAYER_VIEWS), "server", "websocket", "connections", "stop"]);

// Node's own response, as passed by http.createServer(app), http2.createServer(app), connect and Express: nothing else
// has assignSocket or, over HTTP/2, createPushResponse
function isNodeResponse(res: unknown): res is ServerResponseLike {
  const methods = res as { assignSocket?: unknown; createPushResponse?: unknown } | null | undefined;
  return typeof methods?.assignSocket === "function" || typeof methods?.createPushResponse === "function";
}
