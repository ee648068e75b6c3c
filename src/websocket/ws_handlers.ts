import type { FrameworkRequest } from "../request/framework_request.ts";
import type { WebSocketConnection } from "./ws_connection.ts";

/** What happens on a connection. A handler that throws or rejects goes to `error`, or closes with 1011. */
export interface WebSocketHandlers {
  /** The connection is open. */
  open?(ws: WebSocketConnection): unknown;
  /** A message came: text, or bytes. */
  message?(ws: WebSocketConnection, data: string | Uint8Array<ArrayBuffer>): unknown;
  /**
   * The connection is closed. The code and the reason are the server's where it closed, the client's otherwise; 1005
   * where it gave none, 1006 where it vanished.
   */
  close?(ws: WebSocketConnection, code: number, reason: string): unknown;
  /** What was waiting to be sent is gone. */
  drain?(ws: WebSocketConnection): unknown;
  /** A handler failed, or the client broke the protocol. A client that vanishes is no error. */
  error?(ws: WebSocketConnection, error: unknown): unknown;
  /** Sub-protocols the server speaks, or what picks one of those offered; the first offered by default. */
  protocols?: readonly string[] | ((offered: readonly string[], req: FrameworkRequest) => string | undefined);
  /**
   * ms of silence after which a client is taken for gone, 120 000 by default, 0 for never; after half of it, it gets a
   * ping. Workers have no pings; there it does nothing.
   */
  pingTimeoutMs?: number;
}
