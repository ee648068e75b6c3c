import type { ServerSocket } from "../platform/cloudflare/cloudflare_socket.ts";
import type { Any } from "../util/any.ts";

/** The part of a Durable Object's socket used here; Cloudflare's types call it `WebSocket`. */
export interface ObjectSocket extends ServerSocket {
  /** Stores a value with the socket while the object hibernates. */
  serializeAttachment(value: unknown): void;
  /** Returns the stored value. */
  deserializeAttachment(): unknown;
}

/** The part of a Durable Object's state used here; Cloudflare's types call it `DurableObjectState`. */
export interface DurableState {
  /** The object's id. */
  readonly id: Any;
  /** The object's storage. */
  readonly storage: Any;
  /** Accepts a socket so that the object can hibernate. */
  acceptWebSocket(socket: Any): void;
  /** The sockets accepted this way, including those accepted before hibernation. */
  getWebSockets(): Any[];
  /** Sets a response that does not wake the object. */
  setWebSocketAutoResponse(pair?: Any): void;
  /** Keeps the object awake until a promise has settled. */
  waitUntil(promise: Promise<unknown>): void;
}
