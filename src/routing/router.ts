import { noteCaseSensitivity } from "../util/case_sensitivity.ts";
import { noteWarning } from "../util/development_warning.ts";
import { Callable } from "../util/callable.ts";
import { describe } from "../util/error_text.ts";
import { detailsOf } from "../util/handler_details.ts";
import { originalKey, originalOf } from "../util/original_object.ts";
import { checkNames, type OptionNames, refuseRequest, unknownOptions } from "../util/check_option.ts";
import { positionOf } from "../dispatch/foreign_target.ts";
import { matchedAs } from "../dispatch/handle_request.ts";
import { observedOf } from "../dispatch/observed_source.ts";
import { Walk } from "../dispatch/walk.ts";
import { FastMatcher } from "../matching/fast_matcher.ts";
import { type AnyHandler, Layer, type LayerSource, type Mounted, mountedKey } from "../matching/layer.ts";
import { defineMethod, defineVerbs } from "../matching/methods.ts";
import { dialectKey, type PathDialect, type PatternOptions } from "../matching/path_dialect.ts";
import { notePage, noteRegistration, noteSocket, registrationEpoch } from "../matching/registrations.ts";
import type { RouteParams } from "../request/framework_request.ts";
import { exchangeKey } from "../exchange/exchange.ts";
import { Target } from "../exchange/target.ts";
import type { Any } from "../util/any.ts";
import { type FetchApp, type FetchHandler, fetchMount } from "./fetch_mount.ts";
import type { Handler, Next, ParamHandler, ParamsOf, Path, PathHandler } from "./handler.ts";
import {
  defineViews,
  LAYER_VIEWS,
  type LayerViews,
  type RouteDefinition,
  type SubRouter,
  type WebSocketRouteDefinition,
} from "./layer_views.ts";
import { withOwnPrototypes } from "./express_mount.ts";
import { checkedHandlers, splitPath } from "./handler_arguments.ts";
import { Route } from "./route.ts";
import { type RegisteredRoute, registeredRoutes, type RouteInfo, routeInfos } from "./route_listing.ts";
import type { WebSocketHandlers } from "../websocket/ws_handlers.ts";
import { SocketRoute } from "./socket_route.ts";
import { detailedLines, type DetailedRoute, detailedRoutes } from "./detailed_routes.ts";
import type { GroupOptions, ListRoutesOptions, PrintRoutesOptions, RouterOptions } from "./router_options.ts";
import { withShim } from "./middleware_shims.ts";
import type { RouterVerbs, Use, Verb } from "./verbs.ts";

const NAMES: OptionNames<RouterOptions> = { mergeParams: true, caseSensitive: true, strict: true };

const GROUP_NAMES: OptionNames<GroupOptions> = { middleware: true, ...NAMES };

/** Key of the method that the verbs call. Applications share routers' verbs but register in their own way. */
export const registerKey: unique symbol = Symbol("register");

/** Adds a group's routes to its router; their handlers get the prefix's parameters. */
export type GroupCallback<Outer = unknown> = (router: Router<Outer>) => void;

/** A router with its verbs; it can be called as a handler. */
export interface BaseRouter<Outer = unknown> extends RouterVerbs<Record<string, Any>, Outer>, LayerViews {
  /** Registers handlers for GET, and for HEAD unless another handler handles it. */
  readonly get: Verb<this, Record<string, Any>, Outer>;
  /** Adds middleware, error handlers, routers or apps, for every path or for paths below a prefix. */
  readonly use: Use<this, Record<string, Any>, RouteParams & Outer, Outer>;
  /** Passes a request through the router, as middleware. */
  (req: Any, res: Any, next: Next): void;
}

/**
 * An ordered list of layers: middleware, routes, routers, sockets and error handlers, in registration order.
 *
 * `Router` creates one, with or without `new`. A router is itself a handler: mount it with `use`.
 *
 * @typeParam Outer Parameters that every handler gets in addition to its own path's: those in a group's prefix
 */
export class BaseRouter<Outer = unknown> extends Callable implements LayerSource {
  /** Handlers for named parameters. */
  readonly paramHandlers: Map<string, AnyHandler[]> = new Map();
  /** Index over the layers. */
  readonly fastMatcher: FastMatcher;
  /** Whether paths are case-sensitive. */
  readonly caseSensitive: boolean;
  /** Whether handlers also get the mount path's parameters. */
  readonly mergeParams: boolean;
  /** Whether a trailing slash matters. */
  readonly strict: boolean;
  /**
   * The router itself, through which derived routers and proxies reach private state.
   *
   * @internal
   */
  readonly [originalKey]: object = this;
  #layers: Layer[] = [];
  readonly #name: string;
  readonly #routeOptions: PatternOptions;
  /** Name of the last registered method, for error messages; building it for each route would be slow. */
  #caller = "";
  #method: string | null | undefined = undefined;

  /**
   * Creates a router; `Router(options)` does the same without `new`.
   *
   * @param options How to match paths
   * @param name Name for error messages, `Router` by default
   */
  constructor(options?: RouterOptions | null, name = "Router") {
    let made: BaseRouter | undefined = undefined;
    // named `router`, because programs that list routes recognize routers by this name
    const router = (req: Any, res: Any, next: Next) => made!.handle(req, res, next);
    super(router);
    made = this;
    Object.defineProperty(this, "stack", BaseRouter.#stackProperty);
    this.#name = name;
    unknownOptions(name, options, NAMES).forEach(noteWarning);
    this.caseSensitive = options?.caseSensitive ?? false;
    if (this.caseSensitive) noteCaseSensitivity();
    this.mergeParams = options?.mergeParams ?? false;
    this.strict = options?.strict ?? false;
    this.#routeOptions = { sensitive: this.caseSensitive, strict: this.strict, end: true, dialect: this[dialectKey] };
    this.fastMatcher = new FastMatcher(() => this.#layers, () => registrationEpoch, this.caseSensitive);
  }

  /** The layers in registration order. Reading it invalidates the index, because the caller may change the list. */
  declare stack: Layer[];
  // each router's own property, as in Express; all routers share the accessors, see FrameworkApp
  static readonly #stackProperty: PropertyDescriptor = {
    configurable: true,
    enumerable: true,
    get(this: BaseRouter) {
      noteRegistration();
      return originalOf(this).#layers;
    },
    set(this: BaseRouter, layers: Layer[]) {
      originalOf(this).#layers = layers;
      noteRegistration();
    },
  };

  /**
   * An additional path syntax.
   *
   * @internal
   */
  get [dialectKey](): PathDialect | null {
    return null;
  }

  /** Handlers for named parameters, in Express's form. */
  get params(): Record<string, AnyHandler[]> {
    return Object.fromEntries(this.paramHandlers);
  }

  /**
   * Lets another router mount this one.
   *
   * @internal
   */
  get [mountedKey](): Mounted {
    return { source: this };
  }

  /**
   * Passes a request through the layers.
   *
   * Accepts Sluice's requests and any object with `method` and `url`, such as an Express request.
   *
   * @param req The request
   * @param res The response
   * @param next Called if no layer responded, with the unhandled error, if any
   * @throws {TypeError} If `next` is missing
   */
  handle(req: Any, res: Any, next: Next): void {
    if (typeof next !== "function") {
      throw new TypeError(`${originalOf(this).#name}.handle: argument callback is required`);
    }
    const position = positionOf(req);
    const isOwn = position instanceof Target;
    const as = isOwn ? matchedAs(this, position, req[exchangeKey].app) : undefined;
    const done = isOwn ? next : position.leaving(next);
    new Walk(observedOf(req, this), { walked: (error) => done(error) }, req, res, position, as).start();
  }

  static {
    defineMethod(this.prototype, "use", function use(this: BaseRouter, ...args: unknown[]): BaseRouter {
      const original = originalOf(this);
      const caller = `${original.#name}.use`;
      const { path, handlers } = splitPath(caller, args);
      for (const fn of handlers) original.#mount(path, fn, caller, handlers);
      return this;
    });
  }

  /**
   * Mounts a web request handler, or a different framework's application, below a path, like `app.mount`.
   *
   * @param path The path
   * @param handler `(request, info) => Response`, or an object with such a `fetch` method
   * @throws {TypeError} If the handler is neither
   */
  mount(path: Path, handler: FetchHandler | FetchApp): this {
    const original = originalOf(this);
    const caller = `${original.#name}.mount`;
    original.#mount(path, fetchMount(caller, handler) as AnyHandler, caller);
    return this;
  }

  #mount(path: Path, fn: AnyHandler, caller: string, call: object = fn): void {
    const mounted = (fn as { [mountedKey]?: Mounted })[mountedKey] ?? null;
    if (detailsOf(fn).page !== undefined) notePage();
    const options = { sensitive: this.caseSensitive, strict: false, end: false, dialect: this[dialectKey] };
    const content = { fn: mounted === null ? withShim(withOwnPrototypes(fn)) : fn, mounted, call };
    const layer = new Layer(caller, path, options, content);
    // a program that has replaced a router's or application's `handle` expects every request to pass through it
    if (mounted !== null && Object.hasOwn(fn, "handle")) layer.handle = fn;
    this.#add(layer);
  }

  #add(layer: Layer): void {
    this.#layers.push(layer);
    noteRegistration();
  }

  /**
   * Registers a path and returns its route, to add handlers for its methods.
   *
   * @throws {TypeError} If the path is invalid
   */
  route<const P extends Path>(path: P): Route<ParamsOf<P> & Outer, Record<string, Any>, Outer> {
    const original = originalOf(this);
    return original.#route(path, `${original.#name}.route`) as unknown as Route<
      ParamsOf<P> & Outer,
      Record<string, Any>,
      Outer
    >;
  }

  #route(path: Path, caller: string): Route {
    const route = new Route(path, caller, this.mergeParams, this[dialectKey]);
    this.#add(new Layer(caller, path, this.#routeOptions, { route }));
    return route;
  }

  /**
   * Registers handlers for one method on a path; `get`, `post` and the other verbs call it.
   *
   * @param method Method in lower case, `null` for all methods
   * @param path The path
   * @param handlers The handlers
   * @throws {TypeError} If the path is invalid, or a handler is missing or not a function
   */
  register(method: string | null, path: Path, handlers: readonly unknown[]): this {
    const original = originalOf(this);
    if (method !== original.#method) {
      original.#method = method;
      original.#caller = `${original.#name}.${method ?? "all"}`;
    }
    const caller = original.#caller;
    if (typeof path === "function") {
      throw new TypeError(
        `${caller} expects a path before its handlers, as in ${caller}("/path", handler), not a function`,
      );
    }
    const functions = checkedHandlers(caller, handlers);
    if (this.route === BaseRouter.prototype.route) original.#route(path, caller).add(method, functions, caller);
    // a program that has replaced `route`, and then the route's methods, expects every verb to use them, as in Express
    else this.route(path)[(method ?? "all") as "all"](...functions as Handler[]);
    return this;
  }

  /** @internal */
  [registerKey](method: string | null, path: Path, handlers: readonly unknown[]): this {
    return this.register(method, path, handlers);
  }

  /**
   * Registers a handler that runs before the handlers for any path with a parameter of this name.
   *
   * @param name One name or several
   * @param handler Called with `(req, res, next, value, name)`
   * @throws {TypeError} If the name is not a string, or the handler is not a function
   */
  param(name: string | readonly string[], handler: ParamHandler): this {
    if (Array.isArray(name)) {
      for (const one of name) this.param(one, handler);
      return this;
    }
    const caller = `${originalOf(this).#name}.param`;
    if (!name) throw new TypeError(`${caller}: argument name is required`);
    if (typeof name !== "string") {
      throw new TypeError(`${caller}: argument name must be a string, not ${describe(name)}`);
    }
    if (!handler) throw new TypeError(`${caller}: argument fn is required`);
    if (typeof handler !== "function") {
      throw new TypeError(`${caller}: argument fn must be a function, not ${describe(handler)}`);
    }
    const handlers = this.paramHandlers.get(name) ?? [];
    this.paramHandlers.set(name, [...handlers, handler as AnyHandler]);
    return this;
  }

  /**
   * Registers routes under a common prefix. Their handlers also get the prefix's parameters.
   *
   * @param prefix The prefix
   * @param callback Adds the routes to the group's router
   * @throws {TypeError} If the callback is missing
   */
  group<const P extends string>(prefix: P, callback: GroupCallback<ParamsOf<P> & Outer>): this;
  /**
   * Registers routes under a common prefix whose parameters are hidden from their handlers.
   *
   * @param prefix The prefix
   * @param options How the group matches, and its middleware
   * @param callback Adds the routes to the group's router
   * @throws {TypeError} If the callback is missing or an option is unknown
   */
  group(prefix: string, options: GroupOptions & { mergeParams: false }, callback: GroupCallback): this;
  /**
   * Registers routes under a common prefix.
   *
   * @param prefix The prefix
   * @param options How the group matches, and its middleware; the prefix's parameters are visible by default
   * @param callback Adds the routes to the group's router
   * @throws {TypeError} If the callback is missing or an option is unknown
   */
  group<const P extends string>(
    prefix: P,
    options: GroupOptions,
    callback?: GroupCallback<ParamsOf<P> & Outer>,
  ): this;
  group(prefix: string, options: GroupOptions | GroupCallback<Any>, callback?: GroupCallback<Any>): this {
    const caller = `${originalOf(this).#name}.group`;
    const fill = typeof options === "function" ? options : callback;
    if (typeof fill !== "function") {
      throw new TypeError(`${caller} requires a callback that fills the router, not ${describe(fill)}`);
    }
    if (typeof (fill as { handle?: unknown }).handle === "function") {
      throw new TypeError(`${caller} requires a callback that fills the router, not a router; mount it with use`);
    }
    const given: GroupOptions = typeof options === "function" ? {} : options ?? {};
    if (typeof given !== "object") {
      throw new TypeError(`${caller} expects its options as an object, not ${describe(given)}`);
    }
    // a misspelt `middleware` would protect nothing
    checkNames(caller, given, GROUP_NAMES);
    const { middleware = [], ...rest } = given;
    const router = new BaseRouter({ mergeParams: true, ...rest }) as Router;
    const { path, handlers } = splitPath(caller, [prefix, middleware, router]);
    for (const fn of handlers) originalOf(this).#mount(path, fn, caller);
    fill(router);
    return this;
  }

  /**
   * Registers a WebSocket route.
   *
   * Middleware for the same path, and all earlier registrations, run first and may refuse the upgrade.
   *
   * @param path The path
   * @param args Middleware, with the connection's handlers last
   * @throws {TypeError} If the path is invalid or the handlers are missing
   *
   * @example An echo
   * ```ts
   * import { Router } from "@sluice/sluice";
   *
   * const router = Router();
   * router.ws("/echo", {
   *   message(ws, text) {
   *     ws.send(text);
   *   },
   * });
   * ```
   */
  ws<const P extends Path>(
    path: P,
    ...args: [...PathHandler<ParamsOf<P> & Outer>[], WebSocketHandlers<ParamsOf<P> & Outer>]
  ): this {
    const original = originalOf(this);
    const caller = `${original.#name}.ws`;
    const route = new SocketRoute(caller, path, args);
    noteSocket();
    original.#add(new Layer(caller, path, original.#routeOptions, { route, socket: true }));
    return this;
  }

  static {
    defineViews(this.prototype, (router, name) => LAYER_VIEWS[name](originalOf(router).#layers));
  }

  /** The same as {@linkcode BaseRouter.routes}. */
  getRoutes(): RouteDefinition[] {
    return this.routes;
  }

  /** The same as {@linkcode BaseRouter.children}. */
  getChildren(): SubRouter[] {
    return this.children;
  }

  /** The same as {@linkcode BaseRouter.wsRoutes}. */
  getWsRoutes(): WebSocketRouteDefinition[] {
    return this.wsRoutes;
  }

  /**
   * Lists every route, including mounted routers' routes, in the order they are tried.
   *
   * @param prefix Prepended to every path
   */
  getRegisteredRoutes(prefix?: string): RegisteredRoute[];
  /**
   * Lists every route with the middleware in front of its handler, its limits and its validation.
   *
   * @param prefix Prepended to every path
   * @param options Must have `details: true`
   */
  getRegisteredRoutes(prefix: string, options: { details: true }): DetailedRoute[];
  /**
   * Lists every route.
   *
   * @param prefix Prepended to every path
   * @param options Whether to include details
   */
  getRegisteredRoutes(prefix: string, options?: ListRoutesOptions): RegisteredRoute[];
  getRegisteredRoutes(prefix = "", options: ListRoutesOptions = {}): RegisteredRoute[] {
    return options.details ? detailedRoutes(this, prefix) : registeredRoutes(this, prefix);
  }

  /**
   * Lists this router's routes and the routers mounted on it, which list their own (Express 5.3).
   *
   * @returns An entry per path, in registration order
   */
  listRoutes(): RouteInfo[] {
    return routeInfos(this);
  }

  /**
   * Prints every route as `<METHOD> <path>`, one line each.
   *
   * @param prefix Prepended to every path
   * @param options Whether to color the methods, as applications do on a terminal, and to print details
   */
  printRoutes(prefix = "", { color, details }: PrintRoutesOptions = {}): void {
    const shown = (method: string) => color ? `\x1b[36m${method}\x1b[39m` : method;
    if (details) {
      for (const route of detailedRoutes(this, prefix)) {
        console.log(detailedLines(route, shown(route.method)).join("\n"));
      }
    } else {
      for (const { method, fullPath } of registeredRoutes(this, prefix)) console.log(`${shown(method)} ${fullPath}`);
    }
  }
}

/** Routers' and applications' verb for a method in lower case, or `null` for all methods. */
export function registeringVerb(method: string | null): (path: Path, ...handlers: unknown[]) => unknown {
  return function (this: Pick<BaseRouter, typeof registerKey>, path: Path, ...handlers: unknown[]) {
    return this[registerKey](method, path, handlers);
  };
}

defineVerbs(BaseRouter.prototype, registeringVerb);

/** A router; see {@linkcode BaseRouter} for its methods. */
export type Router<Outer = unknown> = BaseRouter<Outer>;

/** Creates routers, with or without `new`. */
export interface RouterConstructor {
  /** Creates a router. */
  new (options?: RouterOptions): Router;
  /** Creates a router. */
  (options?: RouterOptions): Router;
  /** Prototype for all routers. */
  readonly prototype: Router;
  /** A path with handlers for its methods; Express's router also has this property. */
  readonly Route: typeof Route;
}

/**
 * Creates a router, with or without `new`.
 *
 * @example The routes of one part of a program
 * ```ts
 * import sluice, { Router } from "@sluice/sluice";
 *
 * const users = Router();
 * users.get("/:id", (req, res) => res.json({ id: req.params.id }));
 *
 * const app = sluice();
 * app.use("/users", users);
 * const response = await app.inject("/users/7");
 * console.log(await response.json()); // { id: "7" }
 * ```
 */
export const Router: RouterConstructor = routerConstructor(BaseRouter);

/** A router class. */
export interface RouterClass {
  /** Creates a router; the name is for error messages. */
  new (options?: RouterOptions | null, name?: string): BaseRouter;
  /** Prototype for its routers. */
  readonly prototype: BaseRouter;
}

/**
 * Creates a function that creates routers, with or without `new`.
 *
 * @param Base The routers' class
 */
export function routerConstructor(Base: RouterClass): RouterConstructor {
  function Router(this: unknown, options?: RouterOptions, name?: string): BaseRouter {
    // it would create a router for each request and respond to none
    refuseRequest("Router", options);
    return Reflect.construct(Base, [options, name], new.target ?? Router);
  }
  Router.prototype = Base.prototype;
  Router.Route = Route;
  return Router as unknown as RouterConstructor;
}
