import { type AnyHandler, describe, kindOf, Layer, type LayerEntry, type RoutedEntries } from "../matching/layer.ts";
import { ForeignPosition, type ForeignRequest } from "../dispatch/foreign_position.ts";
import { Walk } from "../dispatch/walk.ts";
import { METHODS } from "../matching/methods.ts";
import { stepsOf } from "../matching/steps.ts";
import { noteRegistration } from "../matching/registrations.ts";
import { exchangeOf } from "../request/exchange.ts";
import type { Untyped } from "../request/framework_request.ts";
import type { Next, Path } from "./handler.ts";
import type { RouteVerbs } from "./verbs.ts";

/** A handler of a route, with the method it is for. */
export interface RouteEntry extends LayerEntry {
  /** Method in lower case, `null` for all. */
  readonly method: string | null;
}

/** Verbs of a route, each taking handlers and returning the route. */
export interface Route extends RouteVerbs {}

/** One path with the handlers of its methods, as `app.route(path)` gives it. */
export class Route implements RoutedEntries {
  /** The path as it was registered. */
  readonly path: Path;
  /** Which methods have handlers, by lower-case name; `_all` for `all()`. */
  readonly methods: Record<string, boolean> = Object.create(null);
  /** Handlers in order, with the method each is for. */
  readonly stack: readonly RouteEntry[] = [];
  readonly #owner: string;

  /**
   * Makes a route; `app.route(path)` also registers it.
   *
   * @param path The path
   * @param owner Name of the owner for error messages, `app.route` or `Router.route`
   */
  constructor(path: Path, owner = "Route") {
    this.path = path;
    this.#owner = owner;
  }

  /**
   * Adds handlers for every method.
   *
   * @throws {TypeError} If there is no handler, or one is not a function
   */
  all(...handlers: unknown[]): this {
    this.methods["_all"] = true;
    return this.add(null, handlers, `${this.#owner}.all`);
  }

  /**
   * Adds handlers for one method.
   *
   * @param method Method in lower case, `null` for all
   * @param handlers The handlers, in lists nested as one likes
   * @param caller Name of the caller for error messages
   * @throws {TypeError} If there is no handler, or one is not a function
   */
  add(method: string | null, handlers: readonly unknown[], caller: string): this {
    const functions = checkedHandlers(caller, handlers);
    for (const fn of functions) (this.stack as RouteEntry[]).push({ fn, kind: kindOf(fn), method });
    this.methods[method ?? "_all"] = true;
    noteRegistration();
    return this;
  }

  /**
   * Passes a request through the handlers of its method.
   *
   * @param req The request
   * @param res The response
   * @param done Runs when the handlers are through, with the error nobody handled
   */
  dispatch(req: Untyped, res: Untyped, done: Next): void {
    const position = exchangeOf(req) ?? new ForeignPosition(req as ForeignRequest);
    const layer = new Layer("Route.dispatch", 0, "/", { sensitive: false, strict: false, end: false }, { route: this });
    const stepsFor = (_path: string, method: string) => stepsOf([{ layer, proven: layer.patterns[0]! }], method);
    const source = {
      stepsFor,
      paramHandlers: new Map(),
      mergeParams: true,
      leadsToSocket: () => false,
      hasSockets: false,
    };
    new Walk(source, { req, res, position }, { walked: done }).start();
  }

  /** Handlers for a method: its own and those of `all()`, in order; a GET's answer HEAD where nothing else does. */
  entriesFor(method: string): readonly LayerEntry[] {
    let name = method.toLowerCase();
    if (name === "head" && !this.methods["head"]) name = "get";
    if (!this.methods["_all"] && !this.methods[name]) return [];
    return this.stack.filter((entry) => entry.method === null || entry.method === name);
  }

  /** Methods for the `Allow` header, HEAD included wherever GET is. */
  allowedMethods(): string[] {
    const names = Object.keys(this.methods).filter((name) => name !== "_all").map((name) => name.toUpperCase());
    if (this.methods["get"] && !this.methods["head"]) names.push("HEAD");
    return names;
  }
}

/**
 * Flattens handler lists and checks what is in them.
 *
 * @param caller Name of the caller for the error message
 * @param handlers Functions, in lists nested as one likes
 * @returns The functions, in order
 * @throws {TypeError} If there is no handler, or one is not a function
 */
export function checkedHandlers(caller: string, handlers: readonly unknown[]): AnyHandler[] {
  // nearly every list is flat already
  const functions = handlers.some(Array.isArray) ? handlers.flat(Infinity) : handlers;
  if (functions.length === 0) throw new TypeError(`${caller} requires a handler; argument handler is required`);
  for (const fn of functions) {
    if (typeof fn === "function") continue;
    throw new TypeError(`${caller}: argument handler must be a function, not ${describe(fn)}`);
  }
  return functions as AnyHandler[];
}

for (const method of METHODS) {
  Object.defineProperty(Route.prototype, method, {
    value(this: Route, ...handlers: unknown[]): Route {
      return this.add(method, handlers, `Route.${method}`);
    },
    configurable: true,
    writable: true,
  });
}
