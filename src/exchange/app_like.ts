import type { EmitterMethods } from "../util/emitter_methods.ts";
import type { AppProfile, profileKey } from "./app_profile.ts";
import type { ErrorContext } from "./error_context.ts";
import type { OpenStreams } from "./open_streams.ts";
import type { RuntimeSupport } from "./runtime_support.ts";
import type { runtimeKey } from "../util/runtime_key.ts";

/** Key of the method that adopts foreign requests and responses; for internal use, like the keys below. */
export const adoptKey: unique symbol = Symbol("sluice.adopt");

/** Key of the method that upgrades a request to a WebSocket. */
export const acceptSocketKey: unique symbol = Symbol("sluice.accept socket");

/** Key of the method that keeps work going after a response. */
export const backgroundKey: unique symbol = Symbol("sluice.background");

/** Key of the list of bodies being streamed. */
export const openStreamsKey: unique symbol = Symbol("sluice.open streams");

/** Key of the method that finds a route's full path. */
export const routePathKey: unique symbol = Symbol("sluice.route path");

/** Key of the method that lists all routes and whether they match a path. */
export const routesSeenKey: unique symbol = Symbol("sluice.routes seen");

/** A setting's value, as stored by `app.set(name, value)`. */
// deno-lint-ignore no-explicit-any -- settings hold whatever the user stores, as in Express
export type SettingValue = any;

/**
 * A route, relative to a request's path.
 *
 * @internal
 */
export interface SeenRoute {
  /** Uppercase method, `ALL` for `all`, `WS` for WebSocket routes. */
  readonly method: string;
  /** Path including all mount prefixes. */
  readonly fullPath: string;
  /** The route, as in `req.route`. */
  readonly route: unknown;
  /** Parameters from the route and its mounts if it matches the path, otherwise `null`. */
  readonly params: Readonly<Record<string, unknown>> | null;
}

/** The parts of an application that its requests and responses use. */
export interface AppLike extends EmitterMethods {
  /** Values available in every view, and any others that the program stores for its handlers. */
  locals: Record<string, SettingValue>;
  /** The settings; `get(name)` is the public way to read one. */
  readonly settings: Record<string, SettingValue>;
  /** Path or paths the application is mounted on, `"/"` for the outermost one. */
  readonly mountpath: string | string[];
  /** The application it is mounted on, or `undefined` if it is the outermost one. */
  readonly parent: AppLike | undefined;
  /** Whether it, or an application it is mounted in, is closing. */
  readonly isClosing: boolean;
  /** Reads a setting. */
  get(name: string): SettingValue;
  /** Stores a setting. */
  set(name: string, value: unknown): unknown;
  /** Returns whether a setting is truthy. */
  enabled(name: string): boolean;
  /** Returns whether a setting is falsy. */
  disabled(name: string): boolean;
  /** Sets a setting to `true`. */
  enable(name: string): unknown;
  /** Sets a setting to `false`. */
  disable(name: string): unknown;
  /** Returns the full path the application is mounted at, including all its parents'. */
  path(): string;
  /**
   * The runtime.
   *
   * @internal
   */
  readonly [runtimeKey]: RuntimeSupport;
  /**
   * How it differs from Sluice's own applications; `null` for those.
   *
   * @internal
   */
  readonly [profileKey]: AppProfile | null;
  /**
   * Returns a route's full registered path.
   *
   * @internal
   */
  [routePathKey](route: object, path: string): string | undefined;
  /**
   * Keeps work going after the response: the platform and `close` wait for it.
   *
   * @internal
   */
  [backgroundKey](work: PromiseLike<unknown>, info: unknown, context: unknown, req?: object): void;
  /**
   * Upgrades a request to a WebSocket; rejects with an `HttpError` if it is not a valid handshake.
   *
   * @internal
   */
  [acceptSocketKey](req: unknown, res: unknown, route: { path: string; handlers: object }): Promise<void>;
  /**
   * Bodies being streamed, which closing may have to cut.
   *
   * @internal
   */
  readonly [openStreamsKey]: OpenStreams;
  /**
   * Reports an error that none of the program's handlers received; see `FrameworkApp.reportError`.
   *
   * @param error The error
   * @param context The request it belongs to, and its origin
   */
  reportError(error: unknown, context: ErrorContext): void;
  /**
   * Gives a foreign request and response this application's prototypes.
   *
   * @internal
   */
  [adoptKey](req: object, res: object): () => void;
  /**
   * Returns every route in the outermost application and whether a path matches it, for the development error page.
   *
   * @param path The path, not decoded
   *
   * @internal
   */
  [routesSeenKey](path: string): SeenRoute[];
  /** Renders a view with the application's engine and locals. */
  render(name: string, options: object, callback: RenderCallback): void;
}

/**
 * A method, so callbacks may be typed `(error: Error, html: string)`, as in Express's types.
 *
 * @internal
 */
export interface RenderCallbackShape {
  /** The callback. */
  call(error: Error | null, html: string): void;
}

/** Receives a rendered view, or the error that prevented it. */
export type RenderCallback = RenderCallbackShape["call"];
