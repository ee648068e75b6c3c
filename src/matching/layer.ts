import { describe } from "../util/error_text.ts";
import { defineLayerCalls, replacedCall, replacedErrorCall } from "./layer_call.ts";
import { type LayerRegExp, shownPath } from "./layer_regexp.ts";
import type { PatternOptions } from "./path_dialect.ts";
import { type PathMatch, PathPattern } from "./path_pattern.ts";
import type { PathKey } from "./regexp_keys.ts";
import { noteRegistration } from "./registrations.ts";

/**
 * Any registered function; the number of its parameters tells its kind.
 *
 * @internal
 */
// deno-lint-ignore no-explicit-any -- handlers, error handlers and routers are distinguished at run time
export type AnyHandler = (...args: any[]) => unknown;

/**
 * Kind of a function: handler, error handler, or neither.
 *
 * @internal
 */
export type HandlerKind = "handler" | "error" | "none";

/**
 * One function of a layer, with its kind.
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
 * Determines the kind of a function: one with four parameters is an error handler, one with more is never called.
 *
 * @param fn The function
 * @returns The function with its kind
 */
export function layerEntry(fn: AnyHandler): LayerEntry {
  return { fn, kind: kindOf(fn) };
}

/** The kind of a function; see {@linkcode layerEntry}. */
export function kindOf(fn: AnyHandler): HandlerKind {
  return fn.length < 4 ? "handler" : fn.length === 4 ? "error" : "none";
}

/**
 * What a layer needs of its route.
 *
 * @internal
 */
export interface RoutedEntries {
  /** Handlers for a method, in order; empty if the route does not handle it. */
  entriesFor(method: string): readonly LayerEntry[];
  /** Methods for the `Allow` header. */
  allowedMethods(): string[];
  /** Passes a request through the handlers of its method; WebSocket routes have none. */
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
  /** Takes over the request; returns a function that gives it back, called with the error that leaves it, if any. */
  enter?(req: unknown, res: unknown): ((error?: unknown) => void) | null;
}

/** Key under which routers and applications describe themselves to the router they are mounted on. */
export const mountedKey: unique symbol = Symbol.for("sluice.mounted");

/**
 * Layers in the order of registration, and how their paths match.
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
 * What finds the layers that match a path: an index over a {@linkcode LayerList}, or anything else.
 *
 * @internal
 */
export interface LayerIndex {
  /** Steps for a path and method, in registration order. */
  stepsFor(path: string, method: string): readonly Step[];
  /** Whether an upgrade request for a path might find a WebSocket route; cheap, but only `false` is certain. */
  leadsToSocket(path: string): boolean;
  /** Whether it does find one; found out by matching. */
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
  /** Follows the walk, if somebody observes the request. */
  readonly observer?: WalkObserver;
}

/**
 * What follows a walk beyond the functions of its steps.
 *
 * @internal
 */
export interface WalkObserver {
  /** The layers of the router that a step mounts, so that they are followed, too. */
  below(step: Step): LayerSource;
  /** What is called instead of a parameter handler, for the layer of a step. */
  param(step: Step, name: string, handler: AnyHandler): AnyHandler;
}

/**
 * Where a step's router is mounted, seen from the router that is walked. Layers of mounted routers are in one list with
 * those around the mount, so that the path is matched only once for all of them.
 *
 * A router has one scope for itself and one for each literal mount below it. The objects are reused, so that lists made
 * before and after a registration can be compared.
 *
 * @internal
 */
export class Scope {
  /** The scope around the mount; `null` for the router that is walked. */
  readonly parent: Scope | null;
  /** The layer that mounts the router. */
  readonly mount: Layer | null;
  /** The mounted router; `null` for the one that is walked. */
  readonly source: LayerSource | null;
  /** The router's layers, `null` if nothing can be mounted there. */
  readonly list: LayerList | null;
  /** Length of the part of the path that mounts have consumed. */
  readonly consumed: number;
  /** Scopes of routers mounted here; weak, because programs may replace routers again and again. */
  below: WeakMap<Layer, Scope> | null = null;

  /**
   * Makes a scope; the matcher does this when it first gets to a mount.
   *
   * @param list The layers
   * @param parent The scope around the mount
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

  /** Positions of the mounts in the order of registration, outermost first. */
  get mountOrders(): readonly number[] {
    return this.parent === null ? [] : [...this.parent.mountOrders, this.mount!.order];
  }
}

/**
 * What a walk does at a step: call a function, descend into a mounted router, or collect methods for OPTIONS.
 *
 * @internal
 */
export type StepKind = HandlerKind | "mount" | "allow";

/**
 * What a step is made of.
 *
 * @internal
 */
export interface StepParts {
  /** The function; `null` for a mount, and for OPTIONS. */
  readonly fn: AnyHandler | null;
  /** Scope of the layer's router. */
  readonly scope: Scope;
  /** The layer it belongs to. */
  readonly layer: Layer;
  /** What a walk does at it. */
  readonly kind: StepKind;
  /** Whether it is the first step of its layer. */
  readonly enters: boolean;
  /** Index of the first step after the layer. */
  readonly end: number;
  /** The layer's only pattern, if it is known to match; `null` if the layer must be asked. */
  readonly proven: PathPattern | null;
}

/**
 * One function, or one mounted router, for one method and one shape of path.
 *
 * @internal
 */
export class Step implements StepParts {
  readonly fn: AnyHandler | null;
  readonly scope: Scope;
  readonly layer: Layer;
  readonly kind: StepKind;
  readonly enters: boolean;
  readonly end: number;
  readonly proven: PathPattern | null;
  /** The match, if it is the same for every path that leads here. */
  readonly fixed: PathMatch | null;
  /** Whether its function can be called without asking anything. */
  readonly isCertain: boolean;

  /**
   * Makes a step; the matcher does this when a path is first asked for.
   *
   * @param parts What it is made of
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

  /** The same step, in a list where its index is higher by a number. */
  moved(by: number): Step {
    return by === 0 ? this : new Step({ ...this, end: this.end + by });
  }

  /** The same step with another function. */
  calling(fn: AnyHandler): Step {
    return new Step({ ...this, fn });
  }
}

/**
 * One registration: a route, a mount, or a middleware.
 *
 * @example What is registered, in its order
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
   * Position in the list of its router when the index was last built.
   *
   * @internal
   */
  order = 0;
  /** The path as it was registered. */
  readonly path: string | RegExp | readonly (string | RegExp)[];
  /**
   * The patterns of the path, one for each member of a list.
   *
   * @internal
   */
  readonly patterns: readonly PathPattern[];
  /** Whether the layer matches every path: a mount at `/`. */
  readonly everywhere: boolean;
  /** The route, for a route layer. */
  readonly route: RoutedEntries | null;
  /**
   * The router or app, for a mount of one.
   *
   * @internal
   */
  readonly mounted: Mounted | null;
  /**
   * The functions of a layer that is not a route.
   *
   * @internal
   */
  readonly entries: readonly LayerEntry[];
  /**
   * What a program has put in place of `handle`; it is called for a router or a route as a whole, too.
   *
   * @internal
   */
  declare wrapper?: LayerEntry;
  /** Whether it is a WebSocket route, which only upgrade requests reach. */
  readonly socket: boolean;
  /** Whether the path itself must match a trailing slash or its absence. */
  readonly strict: boolean;
  /** Parameters of the path that {@linkcode Layer.match} was last called with. */
  // deno-lint-ignore no-explicit-any -- which of them are lists depends on the path
  declare params?: Record<string, any> | undefined;
  /**
   * Shared by the layers of one call of `use`.
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
   * @param content What the layer does
   * @throws {TypeError} If the path is not valid
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

  /** What is called for a request: the function, the router, or the route. Programs may assign a wrapper. */
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
   * Notices a `handle` that a program has defined on the layer itself, as agents do.
   *
   * @internal
   */
  noteOwnHandle(): void {
    if (Object.hasOwn(this, "handle")) this.wrapper = layerEntry(this.handle);
  }

  /**
   * Whether the layer is called as a whole, as in Express, because a program has replaced what is called or what calls it.
   *
   * @internal
   */
  get isCalled(): boolean {
    return this.wrapper !== undefined || replacedCall !== null || replacedErrorCall !== null;
  }

  /**
   * Name of what was registered, `"router"` for routers, `"mounted_app"` for applications, `"handle"` for routes; it stays
   * when a program replaces `handle`.
   */
  get name(): string {
    if (this.route !== null) return "handle";
    return this.mounted?.enter !== undefined ? "mounted_app" : this.entries[0]?.fn.name || "<anonymous>";
  }

  /**
   * The path as one regular expression in the form of Express 4, which programs parse that list routes. Paths that have a
   * meaning in Express 5 are matched as there.
   */
  get regexp(): LayerRegExp {
    return shownPath(this).regexp;
  }

  /** The groups of that expression. */
  get keys(): PathKey[] {
    return shownPath(this).keys;
  }

  /**
   * Matches a path for a program that looks at layers itself. Requests leave no traces on them.
   *
   * @param path The path
   * @returns The match, whose parameters are {@linkcode Layer.params} then
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
}

defineLayerCalls(Layer.prototype);

/**
 * Whether a match enters a mount: the path must begin with the text that matched, and a segment must end there. As in
 * Express, an empty text matches wherever it was found, as with `/(?=\.json$)/`.
 *
 * @param match The match
 * @param path The path
 */
export function entersMount({ index, length }: PathMatch, path: string): boolean {
  if (length === 0) return true;
  const end = path.charCodeAt(length);
  if (!Number.isNaN(end) && end !== SLASH) return false;
  return index === 0 || path.startsWith(path.slice(index, index + length));
}

const SLASH = 47;

const NO_ENTRIES: readonly LayerEntry[] = [];

function pathsOf(caller: string, path: unknown): (string | RegExp)[] {
  const paths = Array.isArray(path) ? path.flat(Infinity) : [path];
  for (const one of paths) {
    if (typeof one === "string" || one instanceof RegExp) continue;
    throw new TypeError(`${caller} takes a path as a string, a RegExp or an array of them, not ${describe(one)}`);
  }
  return paths;
}
