import { HandledSocket } from "../shared/handled_socket.ts";

/** The part of Bun's `ServerWebSocket` used here. */
interface ServerSocket {
  readonly data: BunSocket;
  readonly readyState: number;
  binaryType: string;
  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): number;
  ping(): number;
  close(code?: number, reason?: string): void;
  terminate(): void;
  pause?(): void;
  resume?(): void;
  getBufferedAmount(): number;
}

/** Bun's reason for closing after a message over the server's limit; it sends 1009 but reports 1006. */
const TOO_BIG = "Received too big message";

/** Maximum value of Bun's message limit, in bytes. */
const MOST_BYTES = 2 ** 31 - 1;

/** The part of the web's `WebSocket` used here, over one of Bun's. */
export class BunSocket extends HandledSocket<ServerSocket> {
  get readyState(): number {
    return this.isClosed ? 3 : this.native?.readyState ?? 0;
  }

  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    this.native?.send(data);
  }

  close(code?: number, reason?: string): void {
    this.native?.close(code, reason);
  }

  terminate(): void {
    this.native?.terminate();
  }

  /** Stops reading if this Bun version supports it. */
  pause(): boolean {
    if (this.native?.pause === undefined) return false;
    this.native.pause();
    this.heartbeat?.pause();
    return true;
  }

  /** Resumes reading. */
  resume(): void {
    if (this.isClosed) return;
    this.heartbeat?.resume();
    this.native?.resume?.();
  }

  override opened(socket: ServerSocket): void {
    socket.binaryType = this.binaryType;
    super.opened(socket);
  }

  override closed(code: number, reason: string): void {
    if (reason === TOO_BIG) super.closed(1009, "Message too big");
    else super.closed(code, reason);
  }
}

const HANDLERS = {
  // each connection has its own heartbeat with its route's timeout
  idleTimeout: 0,
  sendPings: false,
  perMessageDeflate: false,
  // no limit, because Bun silently drops messages beyond it; each connection has its own limit
  backpressureLimit: 0,
  open: (ws: ServerSocket): void => ws.data.opened(ws),
  message: (ws: ServerSocket, data: string | ArrayBuffer): void => ws.data.received(data),
  pong: (ws: ServerSocket): void => ws.data.heard(),
  ping: (ws: ServerSocket): void => ws.data.heard(),
  drain: (ws: ServerSocket): void => ws.data.drained(),
  close: (ws: ServerSocket, code: number, reason: string): void => ws.data.closed(code, reason),
};

/**
 * Creates WebSocket handlers for a Bun server; each connection carries its own {@linkcode BunSocket}.
 *
 * @param maxMessageBytes Maximum bytes per message, all fragments together: Bun has one limit for the whole server
 */
export function bunSocketHandlers(maxMessageBytes: number): object {
  return { ...HANDLERS, maxPayloadLength: Math.min(maxMessageBytes, MOST_BYTES) };
}
