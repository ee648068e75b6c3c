/** Bun's end of a connection, as far as it is used. */
interface ServerSocket {
  readonly data: BunSocket;
  readonly readyState: number;
  binaryType: string;
  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): number;
  close(code?: number, reason?: string): void;
  getBufferedAmount(): number;
}

/** The web's `WebSocket` over one of Bun's, as far as an upgrade uses it. */
export class BunSocket {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  #socket: ServerSocket | null = null;
  #closed = false;

  get readyState(): number {
    if (this.#closed) return 3;
    return this.#socket?.readyState ?? 0;
  }

  get bufferedAmount(): number {
    return this.#closed ? 0 : this.#socket?.getBufferedAmount() ?? 0;
  }

  send(data: string | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    if (data instanceof Blob) void data.arrayBuffer().then((bytes) => this.send(bytes));
    else this.#socket?.send(data);
  }

  close(code?: number, reason?: string): void {
    this.#socket?.close(code, reason);
  }

  /** Bun opens a connection while it is still being upgraded, before anybody could listen. */
  opened(socket: ServerSocket): void {
    this.#socket = socket;
    socket.binaryType = this.binaryType;
    queueMicrotask(() => this.onopen?.());
  }

  closed(code: number, reason: string): void {
    this.#closed = true;
    this.onclose?.({ code, reason });
  }
}

/** What every server of Bun's is given for its connections: each of them knows its own {@linkcode BunSocket}. */
export const bunSocketHandlers = {
  open: (ws: ServerSocket): void => ws.data.opened(ws),
  message(ws: ServerSocket, data: string | ArrayBuffer): void {
    ws.data.onmessage?.({ data });
  },
  close: (ws: ServerSocket, code: number, reason: string): void => ws.data.closed(code, reason),
};
