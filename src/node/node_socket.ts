import type { Duplex } from "node:stream";

/** A connection of ws, as far as it is used. */
export interface WsSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  binaryType: string;
  send(data: string | Uint8Array | Blob): void;
  close(code: number, reason: string): void;
  ping(): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  on(event: "message", listener: (data: ArrayBuffer | Uint8Array, isBinary: boolean) => void): void;
  on(event: "close", listener: (code: number, reason: Uint8Array) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
}

/** What answers handshakes in ws, as far as it is used. */
export interface WsServer {
  on(event: "headers", listener: (lines: string[]) => void): void;
  handleUpgrade(request: object, socket: Duplex, head: Uint8Array, opened: (ws: WsSocket) => void): void;
}

/** Longest time a timer takes, in ms. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The web's `WebSocket` over one of ws, as far as an upgrade uses it. */
export class NodeSocket {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  readonly #ws: WsSocket;

  /**
   * @param ws The connection
   * @param socket What it runs on
   * @param pingTimeoutMs ms after which a client that answers no ping is taken for gone, 0 for never
   */
  constructor(ws: WsSocket, socket: Duplex, pingTimeoutMs: number) {
    this.#ws = ws;
    ws.binaryType = "arraybuffer";
    ws.on("message", (data, isBinary) => this.onmessage?.({ data: isBinary ? data : String(data) }));
    ws.on("close", (code, reason) => this.onclose?.({ code, reason: String(reason) }));
    ws.on("error", (error) => this.onerror?.({ error, message: error.message }));
    if (pingTimeoutMs > 0) keepPinging(ws, socket, pingTimeoutMs);
    // it is open already, and nobody listens yet; a message may have come with the handshake
    ws.pause();
    queueMicrotask(() => {
      this.onopen?.();
      ws.resume();
    });
  }

  get readyState(): number {
    return this.#ws.readyState;
  }

  get bufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  /** Sends a message. What it is given is copied, as everywhere: ws would send what is in it later. */
  send(data: string | Blob | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    if (typeof data === "string" || data instanceof Blob) this.#ws.send(data);
    else if (data instanceof ArrayBuffer) this.#ws.send(new Uint8Array(data.slice(0)));
    else this.#ws.send(new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice());
  }

  /**
   * Closes the connection.
   *
   * @throws {RangeError} If the code may not be sent, or the reason is too long; ws would be stuck half closed
   */
  close(code = 1000, reason = ""): void {
    if (!isSendable(code)) {
      throw new RangeError(`ws.close takes 1000 to 1003, 1007 to 1014, or 3000 to 4999, not ${code}`);
    }
    const { length } = new TextEncoder().encode(reason);
    if (length > 123) throw new RangeError(`ws.close takes a reason of at most 123 bytes, not ${length}`);
    this.#ws.close(code, reason);
  }
}

// RFC 6455 section 7.4
function isSendable(code: number): boolean {
  if (!Number.isInteger(code)) return false;
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

function keepPinging(ws: WsSocket, socket: Duplex, timeoutMs: number): void {
  let heard = true;
  let waiting = 0;
  // a pong is bytes too, and a part of a long message is as good as one
  socket.on("data", () => heard = true);
  const timer = setInterval(() => {
    // the ping is behind what a slow reader has not taken yet
    const moves = ws.bufferedAmount < waiting;
    waiting = ws.bufferedAmount;
    if (!heard && !moves) return ws.terminate();
    heard = false;
    ws.ping();
  }, Math.min(timeoutMs / 2, LONGEST_TIMER));
  timer.unref();
  ws.on("close", () => clearInterval(timer));
}
