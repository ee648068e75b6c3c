import { Heartbeat } from "./heartbeat.ts";

/** Bun's end of a connection, as far as it is used. */
interface ServerSocket {
  readonly data: BunSocket;
  readonly readyState: number;
  binaryType: string;
  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): number;
  ping(): number;
  close(code?: number, reason?: string): void;
  terminate(): void;
  getBufferedAmount(): number;
}

/** How a connection ended, as the web's `CloseEvent` says it. */
interface End {
  readonly code: number;
  readonly reason: string;
}

/** The web's `WebSocket` over one of Bun's, as far as an upgrade uses it. */
export class BunSocket {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: End) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  readonly #pingTimeoutMs: number;
  #socket: ServerSocket | null = null;
  #heartbeat: Heartbeat | null = null;
  #lost: End | null = null;
  #closed = false;

  /** @param pingTimeoutMs ms after which a client that answers no ping is taken for gone, 0 for never */
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

  /** Bun opens a connection while it is still being upgraded, before anybody could listen. */
  opened(socket: ServerSocket): void {
    this.#socket = socket;
    socket.binaryType = this.binaryType;
    this.#heartbeat = new Heartbeat(this.#pingTimeoutMs, {
      ping: () => void socket.ping(),
      lost: () => {
        this.#lost = { code: 1006, reason: "No response to a ping" };
        socket.terminate();
      },
    });
    queueMicrotask(() => this.onopen?.());
  }

  /** A message, or the answer to a ping, has come. */
  heard(): void {
    this.#heartbeat?.heard();
  }

  /** Bun tells of an end while `close()` still runs; elsewhere it comes later. */
  closed(code: number, reason: string): void {
    this.#closed = true;
    this.#heartbeat?.stop();
    queueMicrotask(() => this.onclose?.(this.#lost ?? { code, reason }));
  }
}

/** What every server of Bun's is given for its connections: each of them knows its own {@linkcode BunSocket}. */
export const bunSocketHandlers = {
  // each connection has a heartbeat of its own, with the time of its route
  idleTimeout: 0,
  sendPings: false,
  // as many bytes as on Deno; Bun's own is a quarter
  maxPayloadLength: 64 * 1024 * 1024,
  // Bun would drop messages beyond it in silence; ws.bufferedAmount is there to be looked at
  backpressureLimit: 0,
  open: (ws: ServerSocket): void => ws.data.opened(ws),
  message(ws: ServerSocket, data: string | ArrayBuffer): void {
    ws.data.heard();
    ws.data.onmessage?.({ data });
  },
  pong: (ws: ServerSocket): void => ws.data.heard(),
  ping: (ws: ServerSocket): void => ws.data.heard(),
  close: (ws: ServerSocket, code: number, reason: string): void => ws.data.closed(code, reason),
};
