import type { ServerSocket } from "../platform/cloudflare/cloudflare_socket.ts";
import type { Untyped } from "../util/any.ts";

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
  readonly id: Untyped;
  /** The object's storage. */
  readonly storage: Untyped;
  /** Accepts a socket in such a way that the object may sleep. */
  acceptWebSocket(socket: Untyped): void;
  /** The sockets accepted this way, also before a sleep. */
  getWebSockets(): Untyped[];
  /** Sets a response that does not wake the object. */
  setWebSocketAutoResponse(pair?: Untyped): void;
  /** Keeps the object awake until a promise has settled. */
  waitUntil(promise: Promise<unknown>): void;
}
