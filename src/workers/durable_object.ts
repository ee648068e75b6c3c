import type { FrameworkApp } from "../app/framework_app.ts";
import type { Any } from "../util/any.ts";

/**
 * Options of `durableSockets`.
 *
 * @example Pings that do not wake the object
 * ```ts ignore
 * export class Room extends durableSockets(() => buildRoom(), { autoResponse: ["ping", "pong"] }) {}
 * ```
 */
export interface DurableSocketsOptions {
  /**
   * Headers that `ws.data.req` still has after a sleep; all except those of the handshake by default. If they do not
   * fit together with `ws.data`, the longest are dropped first.
   */
  headers?: readonly string[];
  /** A message, and the response to it that is sent without waking the object; at most 2048 characters each. */
  autoResponse?: { readonly request: string; readonly response: string };
}

/** The options, with a class to extend. */
export interface DurableSocketsBase<Base> extends DurableSocketsOptions {
  /** The class to extend; with `DurableObject` of `cloudflare:workers`, other Workers can call methods. */
  base: Base;
}

/** Members of a Durable Object made by `durableSockets`. */
export interface DurableSockets {
  /** The application the object serves. */
  readonly app: FrameworkApp<Any>;
  /** Responds to a request. */
  fetch(request: Request): Response | Promise<Response>;
  /** Called with a message of a connection. */
  webSocketMessage(socket: Any, message: string | ArrayBuffer): Promise<void>;
  /** Called when a connection has closed. */
  webSocketClose(socket: Any, code: number, reason: string, wasClean: boolean): Promise<void>;
  /** Called when a connection has failed. */
  webSocketError(socket: Any, error: unknown): Promise<void>;
}

/** A Durable Object that does not extend a class of Cloudflare's. */
export interface PlainObject<State, Env> {
  /** The object's state. */
  readonly ctx: State;
  /** The bindings. */
  readonly env: Env;
}
