import { asyncScope } from "../shared/async_scope.ts";
import { Heartbeat, type Pulse } from "../shared/heartbeat.ts";

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

/** How a connection ended, like the web's `CloseEvent`. */
interface End {
  readonly code: number;
  readonly reason: string;
}

/** The part of the web's `WebSocket` used here, over one of Bun's. */
export class BunSocket implements Pulse {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: End) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  readonly #pingTimeoutMs: number;
  /** The request's context: Bun runs its handlers outside it. */
  readonly #scope = asyncScope();
  #socket: ServerSocket | null = null;
  #heartbeat: Heartbeat | null = null;
  #lost: End | null = null;
  #closed = false;
  /** Number of times the client has read waiting data. */
  #drained = 0;

  /**
   * @param pingTimeoutMs Time without a response to pings before a client counts as disconnected, in ms; 0 means never
   */
  constructor(pingTimeoutMs: number) {
    this.#pingTimeoutMs = pingTimeoutMs;
  }

  get readyState(): number {
    if (this.#closed) return 3;
    return this.#socket?.readyState ?? 0;
  }

  get bufferedAmount(): number {
    return this.#closed ? 0 : this.#socket?.getBufferedAmount() ?? 0;
  }

  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    this.#socket?.send(data);
  }

  close(code?: number, reason?: string): void {
    this.#socket?.close(code, reason);
  }

  /** Stops reading if this Bun version supports it. */
  pause(): boolean {
    if (this.#socket?.pause === undefined) return false;
    this.#socket.pause();
    this.#heartbeat?.pause();
    return true;
  }

  /** Resumes reading. */
  resume(): void {
    if (this.#closed) return;
    this.#heartbeat?.resume();
    this.#socket?.resume?.();
  }

  /** Called by Bun while the connection is still being upgraded, before listeners can be added. */
  opened(socket: ServerSocket): void {
    this.#socket = socket;
    socket.binaryType = this.binaryType;
    this.#heartbeat = new Heartbeat(this.#pingTimeoutMs, this);
    queueMicrotask(() => this.#scope.runInAsyncScope(() => this.onopen?.()));
  }

  /** Sends a ping. */
  ping(): void {
    this.#socket?.ping();
  }

  /** Ends the connection because the client did not respond. */
  lost(): void {
    this.#lost = { code: 1006, reason: "No response to a ping" };
    this.#socket?.terminate();
  }

  /** Number of times the client has read data; `null` if no data is waiting. */
  taken(): number | null {
    return this.#socket?.getBufferedAmount() ? this.#drained : null;
  }

  /** Called by Bun with a message. */
  received(data: string | ArrayBuffer): void {
    this.heard();
    this.#scope.runInAsyncScope(() => this.onmessage?.({ data }));
  }

  /** Records that the client sent a message or a pong. */
  heard(): void {
    this.#heartbeat?.heard();
  }

  /** Records that the client has read waiting data. */
  drained(): void {
    this.#drained++;
  }

  /** Called by Bun, even within `close()`; on other runtimes the call comes later. */
  closed(code: number, reason: string): void {
    this.#closed = true;
    this.#heartbeat?.stop();
    const end = reason === TOO_BIG ? { code: 1009, reason: "Message too big" } : { code, reason };
    queueMicrotask(() => this.#scope.runInAsyncScope(() => this.onclose?.(this.#lost ?? end)));
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
