import type { EmitterMethods } from "../util/emitter_methods.ts";
import type { AppProfile, profileKey } from "./app_profile.ts";
import type { ErrorContext } from "./error_context.ts";
import type { RuntimeSupport } from "./runtime_support.ts";
import type { runtimeKey } from "../util/runtime_key.ts";

/** Key of what adopts requests and responses that another package made; for the framework's own use, as those below. */
export const adoptKey: unique symbol = Symbol("sluice.adopt");

/** Key of what upgrades a request to a WebSocket. */
export const acceptSocketKey: unique symbol = Symbol("sluice.accept socket");

/** Key of what keeps work going after a response. */
export const backgroundKey: unique symbol = Symbol("sluice.background");

/** Key of the bodies being streamed. */
export const openStreamsKey: unique symbol = Symbol("sluice.open streams");

/** Key of what finds the whole path of a route. */
export const routePathKey: unique symbol = Symbol("sluice.route path");

/** Key of what lists the routes with those that a path leads to. */
export const routesSeenKey: unique symbol = Symbol("sluice.routes seen");

/** Key under which a body being streamed tells how far it is: a name could be one that a program uses. */
export const piecesKey: unique symbol = Symbol("sluice.pieces");

/** Key of the property that is true when the client has all bytes that the head announced. */
export const deliveredKey: unique symbol = Symbol("sluice.delivered");

/**
 * A body being streamed.
 *
 * @internal
 */
export interface OpenStream {
  /** Cuts the body. */
  destroy(error: Error): unknown;
  /** How many pieces the client has asked for; `null` while it has taken all there is, and waits for more. */
  readonly [piecesKey]: number | null;
  /** Whether the client has all bytes that the head announced, although the end of the body has yet to come. */
  readonly [deliveredKey]: boolean;
}

/** Value of a setting, as stored by `app.set(name, value)`. */
// deno-lint-ignore no-explicit-any -- settings hold whatever the user stores, as in Express
export type SettingValue = any;

/**
 * A route, seen from the path of a request.
 *
 * @internal
 */
export interface SeenRoute {
  /** Method in capitals, `ALL` for `all`, `WS` for WebSocket routes. */
  readonly method: string;
  /** Path including the prefixes of all mounts. */
  readonly fullPath: string;
  /** The route, as `req.route` has it. */
  readonly route: unknown;
  /** The parameters of route and mounts, if the path leads to it; otherwise `null`. */
  readonly params: Readonly<Record<string, unknown>> | null;
}

/** What requests and responses need of the application that handles them. */
export interface AppLike extends EmitterMethods {
  /** Values that every view sees, and whatever a program keeps there for its handlers. */
  locals: Record<string, SettingValue>;
  /** The settings; `get(name)` is the public way to read one. */
  readonly settings: Record<string, SettingValue>;
  /** Path or paths the application is mounted on, `"/"` for the outermost one. */
  readonly mountpath: string | string[];
  /** The application it is mounted on, `undefined` for the outermost one. */
  readonly parent: AppLike | undefined;
  /** Whether it, or one that it is mounted in, is being closed. */
  readonly isClosing: boolean;
  /** Reads a setting. */
  get(name: string): SettingValue;
  /** Stores a setting. */
  set(name: string, value: unknown): unknown;
  /** Tells whether a setting is truthy. */
  enabled(name: string): boolean;
  /** Tells whether a setting is falsy. */
  disabled(name: string): boolean;
  /** Sets a setting to `true`. */
  enable(name: string): unknown;
  /** Sets a setting to `false`. */
  disable(name: string): unknown;
  /** Full path the application is mounted at, through all its parents. */
  path(): string;
  /**
   * The runtime.
   *
   * @internal
   */
  readonly [runtimeKey]: RuntimeSupport;
  /**
   * What it does in another way; `null` for Sluice's own applications.
   *
   * @internal
   */
  readonly [profileKey]: AppProfile | null;
  /**
   * The whole path of a route, as it was registered.
   *
   * @internal
   */
  [routePathKey](route: object, path: string): string | undefined;
  /**
   * Keeps work going after the response: the platform waits for it, and so does closing the application.
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
  readonly [openStreamsKey]: Set<OpenStream>;
  /**
   * Reports an error that reaches no handler of the program; see `FrameworkApp.reportError`.
   *
   * @param error What was thrown
   * @param context The request it belongs to, and where it came from
   */
  reportError(error: unknown, context: ErrorContext): void;
  /**
   * Makes a request and a response that somebody else made those of this application.
   *
   * @internal
   */
  [adoptKey](req: object, res: object): () => void;
  /**
   * Every route of the outermost application, with whether a path leads to it: for the page that a developer sees of an
   * error.
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
 * A method, so that callbacks may be typed `(error: Error, html: string)`, as in Express's types.
 *
 * @internal
 */
export interface RenderCallbackShape {
  /** The callback. */
  call(error: Error | null, html: string): void;
}

/** Receives a rendered view, or the error that kept it from being rendered. */
export type RenderCallback = RenderCallbackShape["call"];
