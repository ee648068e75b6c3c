import type { ServerSocket } from "../platform/cloudflare/cloudflare_socket.ts";
import type { Any } from "../util/any.ts";

/** A socket of a Durable Object, as far as it is used; Cloudflare's types call it `WebSocket`. */
export interface ObjectSocket extends ServerSocket {
  /** Keeps a value with the socket while the object hibernates. */
  serializeAttachment(value: unknown): void;
  /** Gives the value that was kept. */
  deserializeAttachment(): unknown;
}

/** The state of a Durable Object, as far as it is used; Cloudflare's types call it `DurableObjectState`. */
export interface DurableState {
  /** The object's id. */
  readonly id: Any;
  /** The object's storage. */
  readonly storage: Any;
  /** Accepts a socket in such a way that the object may sleep. */
  acceptWebSocket(socket: Any): void;
  /** The sockets accepted this way, also before a sleep. */
  getWebSockets(): Any[];
  /** Sets a response that does not wake the object. */
  setWebSocketAutoResponse(pair?: Any): void;
  /** Keeps the object awake until a promise has settled. */
  waitUntil(promise: Promise<unknown>): void;
}
