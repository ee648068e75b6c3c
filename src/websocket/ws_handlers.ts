import type { FrameworkRequest } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import type { WebSocketConnection } from "./ws_connection.ts";

/**
 * Handlers of a connection. Errors of handlers go to `error`; without it they close the connection with 1011.
 *
 * @typeParam Params Type of `ws.data.params`; inferred from literal paths
 */
export interface WebSocketHandlers<Params = Record<string, Any>> {
  /** The connection is open. The request that became it comes with it, as with `ws`; later it is `ws.data.req`. */
  open?(ws: WebSocketConnection<Params>, req: FrameworkRequest<Params>): unknown;
  /** A message came: text, or bytes. */
  message?(ws: WebSocketConnection<Params>, data: string | Uint8Array<ArrayBuffer>): unknown;
  /**
   * The connection is closed. Code and reason are those of whoever closed it; 1005 if the client sent no code, 1006 if
   * it vanished.
   */
  close?(ws: WebSocketConnection<Params>, code: number, reason: string): unknown;
  /** Everything that was waiting has been sent. */
  drain?(ws: WebSocketConnection<Params>): unknown;
  /** A handler failed, or the client violated the protocol. A client that vanishes is no error. */
  error?(ws: WebSocketConnection<Params>, error: unknown): unknown;
  /** Sub-protocols of the server, or a function that picks an offered one; the first offered by default. */
  protocols?: readonly string[] | ((offered: readonly string[], req: FrameworkRequest<Params>) => string | undefined);
  /**
   * ms of silence after which a client counts as gone, 120 000 by default, 0 for never; after half of that a ping is
   * sent. No effect on Workers, which have no pings.
   */
  pingTimeoutMs?: number;
  /**
   * Bytes of a message, all its fragments together; 1 MiB by default, `Infinity` for what the runtime can take. A longer
   * message closes the connection with 1009 (RFC 6455 section 7.4.1).
   */
  maxMessageBytes?: number;
  /**
   * Bytes that may wait on a connection, 16 MiB by default, `Infinity` for any number. The limit holds for each
   * direction: for what was sent and the client has not taken yet, and for messages whose handlers have not settled.
   * Beyond it the connection is closed with 1013; but where reading can be paused, that is done instead if handlers are
   * what it waits for.
   */
  maxBufferedBytes?: number;
  /**
   * Which pages may open a connection, besides those of its own host: a list of origins, a function, or `"any"`. By
   * default other pages may do so only without cookies and HTTP authentication; all others get 403. Clients that are no
   * pages send no `Origin` and are not asked for it.
   */
  origins?: "any" | readonly string[] | ((origin: string, req: FrameworkRequest<Params>) => boolean);
}
