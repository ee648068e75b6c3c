import type { HeaderRecord } from "./header_record.ts";
import type { ReadableBody } from "./readable_body.ts";
import type { RequestSocket } from "./request_socket.ts";

/** Key under which a request stores its state. */
export const requestStateKey: unique symbol = Symbol("state");

/** State for a request's Node API, created on first use; most requests never need it. */
export class RequestState {
  /** Headers as a record. */
  headers: HeaderRecord | null = null;
  /** The socket object. */
  socket: RequestSocket | null = null;
  /** The body as a Node stream. */
  readable: ReadableBody | null = null;
  /** Controller for `req.signal`. */
  leaving: AbortController | null = null;
  /** Whether `close` and the other events at the end of the exchange will be emitted. */
  announced = false;
  /** Whether `close` was emitted for an unread body. */
  closed = false;
  /** Whether `end` got a listener before the body ended. */
  endAwaited = false;
  /** Whether destroying the request leaves the connection alone. */
  detached = false;
}
