import { describe } from "../util/error_text.ts";
import { defineLayerCalls, replacedCall, replacedErrorCall } from "./layer_call.ts";
import { type LayerRegExp, shownPath } from "./layer_regexp.ts";
import type { PatternOptions } from "./path_dialect.ts";
import { type PathMatch, PathPattern } from "./path_pattern.ts";
import type { PathKey } from "./regexp_keys.ts";
import { noteRegistration } from "./registrations.ts";

/**
 * Any registered function; its parameter count determines its kind.
 *
 * @internal
 */
// deno-lint-ignore no-explicit-any -- handlers, error handlers and routers are distinguished at run time
export type AnyHandler = (...args: any[]) => unknown;

/**
 * A function's kind: handler, error handler, or neither.
 *
 * @internal
 */
export type HandlerKind = "handler" | "error" | "none";

/**
 * One of a layer's functions, with its kind.
 *
 * @internal
 */
export interface LayerEntry {
  /** The function. */
  readonly fn: AnyHandler;
  /** Its kind. */
  readonly kind: HandlerKind;
}

/**
 * Determines a function's kind: one with four parameters is an error handler, one with more is never called.
 *
 * @param fn The function
 * @returns The function with its kind
 */
export function layerEntry(fn: AnyHandler): LayerEntry {
  return { fn, kind: kindOf(fn) };
}

/** A function's kind; see {@linkcode layerEntry}. */
export function kindOf(fn: AnyHandler): HandlerKind {
  return fn.length < 4 ? "handler" : fn.length === 4 ? "error" : "none";
}

/**
 * The parts of a route that its layer uses.
 *
 * @internal
 */
export interface RoutedEntries {
  /** Returns the handlers for a method, in order; empty if the route does not handle it. */
  entriesFor(method: string): readonly LayerEntry[];
  /** Methods for the `Allow` header. */
  allowedMethods(): string[];
  /** Passes a request through the handlers for its method; WebSocket routes lack this. */
  dispatch?: AnyHandler;
}

/**
 * A mounted router or application; a walk descends into it instead of calling it.
 *
 * @internal
 */
export interface Mounted {
  /** The layers to walk. */
  readonly source: LayerSource;
  /** Takes over the request; returns a function that hands it back, called with the propagating error, if any. */
  enter?(req: unknown, res: unknown): ((error?: unknown) => void) | null;
  /** The application, if it is one. */
  readonly app?: { enabled(setting: string): boolean };
}

/** Key under which routers and applications describe themselves to the router they are mounted on. */
export const mountedKey: unique symbol = Symbol.for("sluice.mounted");

/**
 * Layers in registration order, and their matching options.
 *
 * @internal
 */
export interface LayerList {
  /** The layers. */
  readonly layers: readonly Layer[];
  /** Whether paths are case-sensitive. */
  readonly sensitive: boolean;
}

/**
 * Finds the layers that match a path: an index over a {@linkcode LayerList}, or a different implementation.
 *
 * @internal
 */
export interface LayerIndex {
  /** Steps for a path and method, in registration order. */
  stepsFor(path: string, method: string): readonly Step[];
  /** Returns whether an upgrade request might match a WebSocket route; cheap, but only `false` is certain. */
  leadsToSocket(path: string): boolean;
  /** Returns whether the request does match one, by matching the path. */
  reachesSocket(path: string): boolean;
  /** Whether the router, or one mounted on it, has WebSocket routes. */
  readonly hasSockets: boolean;
}

/**
 * A list of layers that can be walked.
 *
 * @internal
 */
export interface LayerSource {
  /** Finds the layers that match a path. */
  readonly fastMatcher: LayerIndex;
  /** Parameter handlers by name. */
  readonly paramHandlers: ReadonlyMap<string, readonly AnyHandler[]>;
  /** Whether handlers also get the parent's parameters. */
  readonly mergeParams: boolean;
  /** Follows the walk if the request is observed. */
  readonly observer?: WalkObserver;
}

/**
 * Follows a walk beyond its steps' functions.
 *
 * @internal
 */
export interface WalkObserver {
  /** Returns the layers of the router that a step mounts, so they are also followed. */
  below(step: Step): LayerSource;
  /** Returns the replacement for a parameter handler, for a step's layer. */
  param(step: Step, name: string, handler: AnyHandler): AnyHandler;
}

/**
 * Where a step's router is mounted, relative to the walked router. Mounted routers' layers share one list with the
 * layers around the mount, so the path is matched only once for all of them.
 *
 * A router has one scope for itself and one per literal mount below it. The objects are reused, so lists built before
 * and after a registration can be compared.
 *
 * @internal
 */
export class Scope {
  /** The enclosing scope; `null` for the walked router. */
  readonly parent: Scope | null;
  /** The layer that mounts the router. */
  readonly mount: Layer | null;
  /** The mounted router; `null` for the walked one. */
  readonly source: LayerSource | null;
  /** The router's layers; `null` if nothing can be mounted there. */
  readonly list: LayerList | null;
  /** Length of the path part consumed by mounts. */
  readonly consumed: number;
  /** Scopes for routers mounted here; weak, because programs may replace routers repeatedly. */
  below: WeakMap<Layer, Scope> | null = null;

  /**
   * Creates a scope; the matcher does this when it first reaches a mount.
   *
   * @param list The layers
   * @param parent The enclosing scope
   * @param mount The layer that mounts the router
   *
   * @internal
   */
  constructor(list: LayerList | null, parent: Scope | null = null, mount: Layer | null = null) {
    this.parent = parent;
    this.mount = mount;
    this.source = mount?.mounted?.source ?? null;
    this.list = list;
    this.consumed = parent === null ? 0 : parent.consumed + mount!.patterns[0]!.fixed!.length;
  }

  /** The mounts' positions in registration order, outermost first. */
  get mountOrders(): readonly number[] {
    return this.parent === null ? [] : [...this.parent.mountOrders, this.mount!.order];
  }
}

/**
 * A walk's action at a step: call a function, descend into a mounted router, or collect methods for OPTIONS.
 *
 * @internal
 */
export type StepKind = HandlerKind | "mount" | "allow";

/**
 * A step's parts.
 *
 * @internal
 */
export type StepParts = Pick<Step, "fn" | "scope" | "layer" | "kind" | "enters" | "end" | "proven">;

/**
 * One function, or one mounted router, for one method and one path shape.
 *
 * @internal
 */
export class Step {
  /** The function; `null` for a mount, and for OPTIONS. */
  readonly fn: AnyHandler | null;
  /** Scope of the layer's router. */
  readonly scope: Scope;
  /** The layer it belongs to. */
  readonly layer: Layer;
  /** The walk's action here. */
  readonly kind: StepKind;
  /** Whether it is the first step of its layer. */
  readonly enters: boolean;
  /** Index of the first step after the layer. */
  readonly end: number;
  /** The layer's only pattern, if it is known to match; `null` if the layer must be checked. */
  readonly proven: PathPattern | null;
  /** The match, if it is the same for every path that leads here. */
  readonly fixed: PathMatch | null;
  /** Whether its function can be called without further checks. */
  readonly isCertain: boolean;

  /**
   * Creates a step; the matcher does this when a path is first requested.
   *
   * @param parts Its parts
   */
  constructor({ fn, scope, layer, kind, enters, end, proven }: StepParts) {
    this.fn = fn;
    this.scope = scope;
    this.layer = layer;
    this.kind = kind;
    this.enters = enters;
    this.end = end;
    this.proven = proven;
    this.fixed = proven?.fixed ?? null;
    this.isCertain = kind === "handler" && (!enters || this.fixed !== null);
  }

  /** Returns the same step, shifted by a number of places in its list. */
  moved(by: number): Step {
    return by === 0 ? this : new Step({ ...this, end: this.end + by });
  }

  /** Returns the same step with a different function. */
  calling(fn: AnyHandler): Step {
    return new Step({ ...this, fn });
  }
}

/**
 * One registration: a route, a mount, or a middleware.
 *
 * @example List the layers in registration order
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use("/api", (_req, _res, next) => next());
 * app.get("/users/:id", (_req, res) => res.send("a user"));
 * console.log(app.router.stack.map(({ path }) => path)); // [ "/api", "/users/:id" ]
 * ```
 */
export class Layer {
  /**
   * Position in its router's list when the index was last built.
   *
   * @internal
   */
  order = 0;
  /** The path as registered. */
  readonly path: string | RegExp | readonly (string | RegExp)[];
  /**
   * The path's patterns, one per array member.
   *
   * @internal
   */
  readonly patterns: readonly PathPattern[];
  /** Whether the layer matches every path: a mount at `/`. */
  readonly everywhere: boolean;
  /** The route, for a route layer. */
  readonly route: RoutedEntries | null;
  /**
   * The router or app, for a mount.
   *
   * @internal
   */
  readonly mounted: Mounted | null;
  /**
   * The layer's functions, if it is not a route.
   *
   * @internal
   */
  readonly entries: readonly LayerEntry[];
  /**
   * A program's replacement for `handle`; it is also called for a router or a route as a whole.
   *
   * @internal
   */
  declare wrapper?: LayerEntry;
  /** Whether it is a WebSocket route, which only upgrade requests reach. */
  readonly socket: boolean;
  /** Whether a trailing slash in the path matters. */
  readonly strict: boolean;
  /** Parameters from the path last passed to {@linkcode Layer.match}. */
  // deno-lint-ignore no-explicit-any -- which parameters are lists depends on the path
  declare params?: Record<string, any> | undefined;
  /**
   * Shared by the layers from one `use` call.
   *
   * @internal
   */
  readonly call: object | null;

  /**
   * Compiles a registration.
   *
   * @param caller Name of the caller for error messages
   * @param path The path
   * @param options How the path matches
   * @param content The layer's route, router or function
   * @throws {TypeError} If the path is invalid
   */
  constructor(
    caller: string,
    path: string | RegExp | readonly (string | RegExp)[],
    options: PatternOptions,
    content: { route?: RoutedEntries; mounted?: Mounted | null; fn?: AnyHandler; socket?: boolean; call?: object },
  ) {
    this.path = path;
    this.strict = options.strict;
    this.patterns = typeof path === "string"
      ? [new PathPattern(caller, path, options)]
      : pathsOf(caller, path).map((one) => new PathPattern(caller, one, options));
    this.everywhere = !options.end && (path === "/" || path === "");
    this.route = content.route ?? null;
    this.mounted = content.mounted ?? null;
    this.entries = content.fn === undefined ? NO_ENTRIES : [layerEntry(content.fn)];
    this.socket = content.socket ?? false;
    this.call = content.call ?? null;
  }

  /** The function called for a request: the handler, the router, or the route. Programs may assign a wrapper. */
  get handle(): AnyHandler {
    if (this.wrapper !== undefined) return this.wrapper.fn;
    const { entries: [entry], route } = this;
    // named as in Express 5
    return entry?.fn ?? function handle(req, res, next) {
      route?.dispatch?.(req, res, next);
    };
  }

  set handle(fn: AnyHandler) {
    this.wrapper = layerEntry(fn);
    noteRegistration();
  }

  /**
   * Detects a `handle` that a program has defined on the layer itself, as agents do.
   *
   * @internal
   */
  noteOwnHandle(): void {
    if (Object.hasOwn(this, "handle")) this.wrapper = layerEntry(this.handle);
  }

  /**
   * Whether the layer is called as a whole, as in Express, because a program has replaced `handle` or its callers.
   *
   * @internal
   */
  get isCalled(): boolean {
    return this.wrapper !== undefined || replacedCall !== null || replacedErrorCall !== null;
  }

  /**
   * The registered function's name, `"router"` for routers, `"mounted_app"` for applications, `"handle"` for routes; it
   * stays the same when a program replaces `handle`.
   */
  get name(): string {
    if (this.route !== null) return "handle";
    return this.mounted?.enter !== undefined ? "mounted_app" : this.entries[0]?.fn.name || "<anonymous>";
  }

  /**
   * The path as one regular expression in Express 4's format, which programs that list routes parse. Paths that are
   * valid in Express 5 match as they do there.
   */
  get regexp(): LayerRegExp {
    return shownPath(this).regexp;
  }

  /** The groups in that expression. */
  get keys(): PathKey[] {
    return shownPath(this).keys;
  }

  /**
   * Matches a path, for programs that inspect layers themselves. Requests leave no state on layers.
   *
   * @param path The path
   * @returns The match; its parameters become {@linkcode Layer.params}
   * @throws {URIError} With status 400 if a parameter has a broken percent escape
   */
  match(path: string): PathMatch | null {
    const match = this.find(path);
    this.params = match === null ? undefined : { ...(match.params as object) };
    return match;
  }

  /**
   * Matches a path against the patterns; the first match counts.
   *
   * @throws {URIError} With status 400 if a parameter has a broken percent escape
   *
   * @internal
   */
  find(path: string): PathMatch | null {
    for (const pattern of this.patterns) {
      const match = pattern.match(path);
      if (match !== null) return match;
    }
    return null;
  }

  /**
   * Returns whether a match enters this mount: the path must begin with the matched string, and a segment must end
   * there. As in Express, an empty string matches wherever it was found, such as for `/(?=\.json$)/`; in Express 4, a
   * dot also ends the part that a RegExp matched.
   *
   * @param match The match
   * @param path The path
   *
   * @internal
   */
  enters({ index, length }: PathMatch, path: string): boolean {
    if (length === 0) return true;
    const end = path.charCodeAt(length);
    if (!Number.isNaN(end) && end !== SLASH && !(end === DOT && this.patterns[0]!.hasDialect)) return false;
    return index === 0 || path.startsWith(path.slice(index, index + length));
  }
}

const SLASH = 47;
const DOT = 46;

defineLayerCalls(Layer.prototype);

const NO_ENTRIES: readonly LayerEntry[] = [];

function pathsOf(caller: string, path: unknown): (string | RegExp)[] {
  const paths = Array.isArray(path) ? path.flat(Infinity) : [path];
  for (const one of paths) {
    if (typeof one === "string" || one instanceof RegExp) continue;
    throw new TypeError(`${caller} expects a path as a string, a RegExp or an array of them, not ${describe(one)}`);
  }
  return paths;
}
