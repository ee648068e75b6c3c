import { asciiLowerCase, asciiUpperCase } from "../util/ascii.ts";
import {
  type AnyHandler,
  type HandlerKind,
  kindOf,
  Layer,
  type LayerEntry,
  layerEntry,
  type RoutedEntries,
  Scope,
} from "../matching/layer.ts";
import { positionOf } from "../dispatch/foreign_target.ts";
import { observedOf } from "../dispatch/observed_source.ts";
import { Walk } from "../dispatch/walk.ts";
import { defineLayerCalls } from "../matching/layer_call.ts";
import { defineVerbs, headFromGet, withHeadFromGet } from "../matching/methods.ts";
import { stepsOfRoute } from "../matching/steps.ts";
import { detailsOf } from "../util/handler_details.ts";
import type { PathDialect } from "../matching/path_dialect.ts";
import { notePage, noteRegistration } from "../matching/registrations.ts";
import type { RouteParams } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import { checkedHandlers } from "./handler_arguments.ts";
import type { Next, Path } from "./handler.ts";
import { withShim } from "./middleware_shims.ts";
import type { RouteVerbs } from "./verbs.ts";

/** A route's handler, with its method. */
export class RouteEntry implements LayerEntry {
  /** The handler as called. */
  fn: AnyHandler;
  /** The handler's kind. */
  kind: HandlerKind;
  /** Method in lower case, `null` for all methods. */
  readonly method: string | null;

  /**
   * Wraps a handler.
   *
   * @param fn The handler
   * @param method Method in lower case, `null` for all methods
   */
  constructor(fn: AnyHandler, method: string | null) {
    this.fn = withShim(fn);
    this.kind = kindOf(fn);
    this.method = method;
  }

  /** The handler, under the name that programs read and may wrap when they list routes. */
  get handle(): AnyHandler {
    return this.fn;
  }

  set handle(fn: AnyHandler) {
    const { name } = this;
    Object.defineProperty(this, "name", { value: name, configurable: true, enumerable: true, writable: true });
    this.fn = fn;
    this.kind = kindOf(fn);
    noteRegistration();
  }

  /** The handler's name; it stays the same if a program replaces `handle`. */
  get name(): string {
    return this.fn.name || "<anonymous>";
  }
}

defineLayerCalls(RouteEntry.prototype);

/** A path with handlers for its methods; each verb accepts handlers and returns the route. */
export interface Route<
  Params = RouteParams,
  L extends Record<string, Any> = Record<string, Any>,
  Around = never,
> extends RouteVerbs<Params, L, Around> {}

/**
 * A path with handlers for its methods, as returned by `app.route(path)`.
 *
 * @typeParam Params Type of `req.params`; inferred from literal paths
 * @typeParam L Type of `res.locals`
 * @typeParam Around Parameters from the enclosing paths, which its handlers may declare
 *
 * @example Methods of one note
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.route("/notes/:id")
 *   .get((req, res) => res.json({ id: req.params.id }))
 *   .delete((_req, res) => res.sendStatus(204));
 * console.log((await app.inject("/notes/7", { method: "DELETE" })).status); // 204
 * ```
 */
export class Route<Params = RouteParams, L extends Record<string, Any> = Record<string, Any>, Around = never>
  implements RoutedEntries {
  /** The path as registered. */
  readonly path: Path;
  /** Handlers in order, each with its method. */
  stack: readonly RouteEntry[];
  readonly #owner: string;
  readonly #mergesParams: boolean;
  readonly #dialect: PathDialect | null;

  /**
   * Creates a route; `app.route(path)` also registers it.
   *
   * @param path The path
   * @param owner The owner's name for error messages, `app.route` or `Router.route`
   * @param mergesParams Whether handlers also get parameters from enclosing paths
   * @param dialect An additional syntax that the path may use
   */
  constructor(path: Path, owner = "Route", mergesParams = false, dialect: PathDialect | null = null) {
    this.path = path;
    this.stack = [];
    this.#owner = owner;
    this.#mergesParams = mergesParams;
    this.#dialect = dialect;
  }

  /** Methods with handlers, by lower-case name; `_all` for `all()`. Computed from the handlers on each read. */
  get methods(): Record<string, boolean> {
    const methods: Record<string, boolean> = Object.create(null);
    for (const { method } of this.stack) methods[method ?? "_all"] = true;
    return methods;
  }

  /**
   * Adds handlers for one method.
   *
   * @param method Method in lower case, `null` for all methods
   * @param handlers The handlers, in lists nested to any depth
   * @param caller Name of the caller for error messages
   * @throws {TypeError} If there is no handler, or one is not a function or cannot work here
   */
  add(method: string | null, handlers: readonly unknown[], caller: string): this {
    const functions = checkedHandlers(caller, handlers);
    for (const fn of functions) this.#tell(fn, method, caller);
    for (const fn of functions) this.#push(new RouteEntry(fn, method));
    noteRegistration();
    return this;
  }

  #tell(fn: AnyHandler, method: string | null, caller: string): void {
    const { registered, page } = detailsOf(fn);
    if (page !== undefined) notePage();
    if (registered === undefined) return;
    const { patterns } = this.#layer(caller);
    const params = this.#mergesParams ? null : patterns.flatMap(({ keys }) => keys);
    registered({ caller, method, path: this.path, params, route: this });
  }

  #layer(caller: string): Layer {
    const options = { sensitive: false, strict: false, end: true, dialect: this.#dialect };
    return new Layer(caller, this.path, options, { route: this });
  }

  // V8 allocates space for seventeen when an empty array grows, and nearly every route has one handler
  #push(entry: RouteEntry): void {
    if (this.stack.length === 0) this.stack = [entry];
    else (this.stack as RouteEntry[]).push(entry);
  }

  /**
   * Passes a request through the handlers for its method.
   *
   * @param req The request
   * @param res The response
   * @param done Called after the handlers, with the unhandled error, if any
   */
  dispatch(req: Any, res: Any, done: Next): void {
    const position = positionOf(req);
    const layer = new Layer("Route.dispatch", "/", { sensitive: false, strict: false, end: false }, { route: this });
    const reached = { layer, proven: layer.patterns[0]!, scope: new Scope(null) };
    const stepsFor = (_path: string, method: string) => stepsOfRoute(reached, this.entriesFor(method));
    const fastMatcher = { stepsFor, leadsToSocket: () => false, reachesSocket: () => false, hasSockets: false };
    const source = { fastMatcher, paramHandlers: new Map(), mergeParams: true };
    // also leaves the enclosing router
    const owner = { walked: (signal: unknown) => done(signal), passesRouter: true };
    new Walk(observedOf(req, source), owner, req, res, position, undefined).start();
  }

  /**
   * Handlers for a method: its own and those from `all()`, in order. GET handlers handle HEAD unless another handler
   * does.
   */
  entriesFor(method: string): readonly LayerEntry[] {
    // methods are case-sensitive (RFC 9110 section 9.1): Deno lets "pOST" through, which would bypass a guard on POST
    const isProper = method === asciiUpperCase(method);
    const name = isProper ? headFromGet(asciiLowerCase(method), (one) => this.#has(one)) : null;
    return this.stack.filter((entry) => entry.method === null || entry.method === name).map(current);
  }

  /** Methods for the `Allow` header; GET implies HEAD. */
  allowedMethods(): string[] {
    return withHeadFromGet(
      Object.keys(this.methods).filter((name) => name !== "_all").map((name) => asciiUpperCase(name)),
    );
  }

  #has(method: string): boolean {
    return this.stack.some((entry) => entry.method === method);
  }
}

// a program, such as a monitoring agent, may have defined `handle` on the layer itself
function current(entry: RouteEntry): LayerEntry {
  return Object.hasOwn(entry, "handle") ? layerEntry(entry.handle) : entry;
}

defineVerbs(Route.prototype, (method) =>
  function (this: Route, ...handlers: unknown[]) {
    return this.add(method, handlers, `Route.${method ?? "all"}`);
  });
