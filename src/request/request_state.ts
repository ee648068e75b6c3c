import type { HeaderRecord } from "./header_record.ts";
import type { ReadableFace } from "./readable_face.ts";
import type { SocketFace } from "./socket_face.ts";

/** Key under which a request keeps its state. */
export const stateKey: unique symbol = Symbol("state");

/** What Node's face of a request keeps once somebody has asked for it; most requests are answered without any. */
export class RequestState {
  /** Headers as a record. */
  headers: HeaderRecord | null = null;
  /** The connection's face. */
  socket: SocketFace | null = null;
  /** The body's face. */
  readable: ReadableFace | null = null;
  /** What `req.signal` is the signal of. */
  leaving: AbortController | null = null;
  /** Whether `close`, and what else comes with the end of the exchange, will be emitted. */
  announced = false;
  /** Whether somebody listens for the end of a body that was not over by then. */
  endAwaited = false;
}
