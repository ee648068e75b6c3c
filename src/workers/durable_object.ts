import type { FrameworkApp } from "../app/framework_app.ts";
import type { Any } from "../util/any.ts";

/**
 * Options for `durableSockets`.
 *
 * @example Pings that do not wake the object
 * ```ts ignore
 * export class Room extends durableSockets(() => buildRoom(), { autoResponse: ["ping", "pong"] }) {}
 * ```
 */
export interface DurableSocketsOptions {
  /**
   * Request headers that `ws.data.req` keeps through hibernation; by default, all except the handshake's. If they and
   * `ws.data` together are too large, the longest headers are dropped first.
   */
  headers?: readonly string[];
  /** A message, and the response sent to it without waking the object; at most 2048 characters each. */
  autoResponse?: { readonly request: string; readonly response: string };
}

/** The options plus a class to extend. */
export interface DurableSocketsBase<Base> extends DurableSocketsOptions {
  /** The class to extend; with `DurableObject` from `cloudflare:workers`, other Workers can call its methods. */
  base: Base;
}

/** Members on a Durable Object created by `durableSockets`. */
export interface DurableSockets {
  /** The application that the object serves. */
  readonly app: FrameworkApp<Any>;
  /** Responds to a request. */
  fetch(request: Request): Response | Promise<Response>;
  /** Called with a message from a connection. */
  webSocketMessage(socket: Any, message: string | ArrayBuffer): Promise<void>;
  /** Called when a connection has closed. */
  webSocketClose(socket: Any, code: number, reason: string, wasClean: boolean): Promise<void>;
  /** Called when a connection has failed. */
  webSocketError(socket: Any, error: unknown): Promise<void>;
}

/** A Durable Object that does not extend one of Cloudflare's classes. */
export interface PlainObject<State, Env> {
  /** The object's state. */
  readonly ctx: State;
  /** The bindings. */
  readonly env: Env;
}
