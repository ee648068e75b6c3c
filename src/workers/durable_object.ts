import type { FrameworkApp } from "../app/framework_app.ts";
import type { Untyped } from "../request/untyped.ts";

/** Options of `durableSockets`. */
export interface DurableSocketsOptions {
  /**
   * Headers of the request that `ws.data.req` still has after a sleep; all but the handshake's own by default. Those that
   * do not fit beside `ws.data` are left out, the longest first.
   */
  headers?: readonly string[];
  /** A text, and what it is answered with while the object goes on sleeping; 2048 characters each at most. */
  autoResponse?: { readonly request: string; readonly response: string };
}

/** The options, with a class to extend. */
export interface DurableSocketsBase<Base> extends DurableSocketsOptions {
  /** The class to extend: `DurableObject` of `cloudflare:workers` makes methods callable from other Workers. */
  base: Base;
}

/** What a Durable Object made by `durableSockets` has. */
export interface DurableSockets {
  /** The application the object serves. */
  readonly app: FrameworkApp<Untyped>;
  /** Answers a request. */
  fetch(request: Request): Response | Promise<Response>;
  /** Gets a message of a connection. */
  webSocketMessage(socket: Untyped, message: string | ArrayBuffer): Promise<void>;
  /** Gets the end of a connection. */
  webSocketClose(socket: Untyped, code: number, reason: string, wasClean: boolean): Promise<void>;
  /** Gets the failure of a connection. */
  webSocketError(socket: Untyped, error: unknown): Promise<void>;
}

/** A Durable Object without a class of Cloudflare's. */
export interface PlainObject<State, Env> {
  /** The object's state. */
  readonly ctx: State;
  /** The bindings. */
  readonly env: Env;
}
