import type { FrameworkRequest } from "../request/framework_request.ts";
import type { WebSocketConnection } from "./ws_connection.ts";

/** Handlers of a connection. Errors of handlers go to `error`; without it they close the connection with 1011. */
export interface WebSocketHandlers {
  /** The connection is open. */
  open?(ws: WebSocketConnection): unknown;
  /** A message came: text, or bytes. */
  message?(ws: WebSocketConnection, data: string | Uint8Array<ArrayBuffer>): unknown;
  /**
   * The connection is closed. Code and reason are those of whoever closed it; 1005 if the client sent no code, 1006 if
   * it vanished.
   */
  close?(ws: WebSocketConnection, code: number, reason: string): unknown;
  /** Everything that was waiting has been sent. */
  drain?(ws: WebSocketConnection): unknown;
  /** A handler failed, or the client violated the protocol. A client that vanishes is no error. */
  error?(ws: WebSocketConnection, error: unknown): unknown;
  /** Sub-protocols of the server, or a function that picks an offered one; the first offered by default. */
  protocols?: readonly string[] | ((offered: readonly string[], req: FrameworkRequest) => string | undefined);
  /**
   * ms of silence after which a client counts as gone, 120 000 by default, 0 for never; after half of that a ping is
   * sent. No effect on Workers, which have no pings.
   */
  pingTimeoutMs?: number;
}
