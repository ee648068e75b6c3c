import type { FrameworkRequest } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import type { WebSocketConnection } from "./ws_connection.ts";

/**
 * A connection's handlers. Errors they throw go to `error`; without it, they close the connection with 1011.
 *
 * @typeParam Params Type of `ws.data.params`; inferred from literal paths
 */
export interface WebSocketHandlers<Params = Record<string, Any>> {
  /** The connection is open. `req` is the request that opened it, as with `ws`; later it is `ws.data.req`. */
  open?(ws: WebSocketConnection<Params>, req: FrameworkRequest<Params>): unknown;
  /** A message arrived: a string, or bytes. */
  message?(ws: WebSocketConnection<Params>, data: string | Uint8Array<ArrayBuffer>): unknown;
  /**
   * The connection is closed. Code and reason come from the side that closed it; 1005 if the client sent no code, 1006
   * if the client vanished.
   */
  close?(ws: WebSocketConnection<Params>, code: number, reason: string): unknown;
  /** All waiting messages have been sent. */
  drain?(ws: WebSocketConnection<Params>): unknown;
  /** A handler failed, or the client violated the protocol. A client that vanishes is not an error. */
  error?(ws: WebSocketConnection<Params>, error: unknown): unknown;
  /** The server's sub-protocols, or a function that picks an offered one; by default, the first one offered. */
  protocols?: readonly string[] | ((offered: readonly string[], req: FrameworkRequest<Params>) => string | undefined);
  /**
   * Idle time before the client counts as disconnected, in ms: 120 000 by default; 0 means never. A ping is sent after
   * half that time. No effect on Workers, which have no pings.
   */
  pingTimeoutMs?: number;
  /**
   * Maximum bytes per message, counting all fragments; 1 MiB by default, `Infinity` for the runtime's own maximum. A
   * longer message closes the connection with 1009 (RFC 6455 section 7.4.1).
   */
  maxMessageBytes?: number;
  /**
   * Maximum bytes waiting on a connection, 16 MiB by default, `Infinity` for no limit. It applies to each direction:
   * data sent but not yet read by the client, and messages whose handlers have not settled. Exceeding it closes the
   * connection with 1013. If the bytes wait for handlers and the runtime can pause reading, reading is paused instead.
   */
  maxBufferedBytes?: number;
  /**
   * Pages that may open a connection, in addition to those on its own host: a list of origins, a function, or `"any"`.
   * By default, other pages may connect only without cookies and HTTP authentication, or get a 403. Non-browser clients
   * send no `Origin`, and none is required of them.
   */
  origins?: "any" | readonly string[] | ((origin: string, req: FrameworkRequest<Params>) => boolean);
}
