import { Heartbeat } from "./heartbeat.ts";

/** The used part of Bun's end of a connection. */
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

/** How a connection ended, as in the web's `CloseEvent`. */
interface End {
  readonly code: number;
  readonly reason: string;
}

/** The used part of the web's `WebSocket`, over one of Bun's. */
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
  /** How often the client has taken something of what was waiting. */
  #drained = 0;

  /** @param pingTimeoutMs ms after which a client that does not answer pings counts as gone, 0 for never */
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

  /** Called by Bun while the connection is still being upgraded, before anybody can listen. */
  opened(socket: ServerSocket): void {
    this.#socket = socket;
    socket.binaryType = this.binaryType;
    this.#heartbeat = new Heartbeat(this.#pingTimeoutMs, {
      ping: () => void socket.ping(),
      lost: () => {
        this.#lost = { code: 1006, reason: "No response to a ping" };
        socket.terminate();
      },
      taken: () => socket.getBufferedAmount() === 0 ? null : this.#drained,
    });
    queueMicrotask(() => this.onopen?.());
  }

  /** Notes that something came from the client: a message, or the response to a ping. */
  heard(): void {
    this.#heartbeat?.heard();
  }

  /** Notes that the client has taken something of what was waiting. */
  drained(): void {
    this.#drained++;
  }

  /** Called by Bun, even within `close()`; on other runtimes that comes later. */
  closed(code: number, reason: string): void {
    this.#closed = true;
    this.#heartbeat?.stop();
    queueMicrotask(() => this.onclose?.(this.#lost ?? { code, reason }));
  }
}

/** WebSocket handlers for all Bun servers; each connection carries its own {@linkcode BunSocket}. */
export const bunSocketHandlers = {
  // each connection has its own heartbeat, with the timeout of its route
  idleTimeout: 0,
  sendPings: false,
  // as on Deno; Bun's default is a quarter of that
  maxPayloadLength: 64 * 1024 * 1024,
  // no limit: Bun would silently drop messages beyond it; programs can check ws.bufferedAmount
  backpressureLimit: 0,
  open: (ws: ServerSocket): void => ws.data.opened(ws),
  message(ws: ServerSocket, data: string | ArrayBuffer): void {
    ws.data.heard();
    ws.data.onmessage?.({ data });
  },
  pong: (ws: ServerSocket): void => ws.data.heard(),
  ping: (ws: ServerSocket): void => ws.data.heard(),
  drain: (ws: ServerSocket): void => ws.data.drained(),
  close: (ws: ServerSocket, code: number, reason: string): void => ws.data.closed(code, reason),
};
