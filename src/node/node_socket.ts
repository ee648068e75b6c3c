import { AsyncResource } from "node:async_hooks";
import type { Duplex } from "node:stream";
import { Heartbeat } from "../platform/shared/heartbeat.ts";

/** The used part of a connection of ws. */
export interface WsSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  binaryType: string;
  send(data: string | Uint8Array): void;
  close(code: number, reason: string): void;
  ping(): void;
  pong(data: Uint8Array): void;
  terminate(): void;
  pause(): void;
  resume(): void;
  on(event: "message", listener: (data: ArrayBuffer | Uint8Array, isBinary: boolean) => void): void;
  on(event: "ping", listener: (data: Uint8Array) => void): void;
  on(event: "close", listener: (code: number, reason: Uint8Array) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
}

/** The used part of the server of ws, which answers handshakes. */
export interface WsServer {
  on(event: "headers", listener: (lines: string[]) => void): void;
  handleUpgrade(request: object, socket: Duplex, head: Uint8Array, opened: (ws: WsSocket) => void): void;
}

/** The used part of the web's `WebSocket`, over one of ws. */
export class NodeSocket {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  readonly #ws: WsSocket;
  readonly #heartbeat: Heartbeat;
  #isPaused = false;

  /**
   * @param ws The connection
   * @param socket The underlying socket
   * @param pingTimeoutMs ms after which a client that does not respond to pings counts as gone, 0 for never
   */
  constructor(ws: WsSocket, socket: Duplex, pingTimeoutMs: number) {
    this.#ws = ws;
    ws.binaryType = "arraybuffer";
    let lost = "";
    const heartbeat = this.#heartbeat = new Heartbeat(pingTimeoutMs, {
      ping: () => ws.ping(),
      lost: () => {
        lost = "No response to a ping";
        ws.terminate();
      },
      taken: () => takenFrom(socket),
    });
    // any bytes count: the response to a ping, or a part of a long message
    socket.on("data", () => heartbeat.heard());
    replyToPings(ws, socket);
    // RFC 6455 section 7.1.1: after both Close frames the server closes the connection; ws would wait for the client
    const end = () => socket.destroy();
    socket.once("finish", end);
    // events of the connection come in its own context, and handlers run in that of the request that was upgraded
    const context = new AsyncResource("SluiceWebSocket");
    const run = (handler: () => void): void => context.runInAsyncScope(handler);
    ws.on("message", (data, isBinary) => run(() => this.onmessage?.({ data: isBinary ? data : String(data) })));
    ws.on("close", (code, reason) => {
      heartbeat.stop();
      run(() => this.onclose?.({ code, reason: lost || String(reason) }));
    });
    ws.on("error", (error: Error & { code?: string }) => {
      // the rest of its data must be read: otherwise the client would get a reset instead of the Close frame
      socket.off("finish", end);
      if (error.code !== TOO_BIG) return run(() => this.onerror?.({ error, message: error.message }));
      // ws has sent it, and would tell 1006 unless the client responds
      run(() => this.onclose?.({ code: 1009, reason: "Message too big" }));
    });
    // it is open already, but nobody listens yet, and messages may have come with the handshake
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

  /** Sends a message. Bytes are copied, as on other runtimes: ws would read them later. */
  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    if (typeof data === "string") this.#ws.send(data);
    else if (data instanceof ArrayBuffer) this.#ws.send(new Uint8Array(data.slice(0)));
    else this.#ws.send(new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice());
  }

  close(code = 1000, reason = ""): void {
    this.#ws.close(code, reason);
    // for the client's Close frame
    if (this.#isPaused) this.resume();
  }

  /** Stops reading. */
  pause(): boolean {
    this.#isPaused = true;
    this.#heartbeat.pause();
    this.#ws.pause();
    return true;
  }

  /** Reads on. */
  resume(): void {
    this.#isPaused = false;
    this.#heartbeat.resume();
    this.#ws.resume();
  }
}

/** The code of ws for a message that is longer than `maxPayload`. */
const TOO_BIG = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";

// RFC 6455 section 5.5.3: only the latest ping needs a response. A client that sends pings and reads nothing would
// otherwise fill the memory with responses.
function replyToPings(ws: WsSocket, socket: Duplex): void {
  let latest: Uint8Array | null = null;
  ws.on("ping", (data) => {
    if (socket.writableNeedDrain) latest = data;
    else ws.pong(data);
  });
  socket.on("drain", () => {
    if (latest !== null) ws.pong(latest);
    latest = null;
  });
}

/** The used part of Node's own socket: bytes passed to it, and those of them that the system has not taken yet. */
interface SocketHandle {
  readonly bytesWritten?: number;
  readonly writeQueueSize?: number;
}

// the figures by which Node's own timeout of a socket notices that a write makes progress
function takenFrom(socket: Duplex & { readonly _handle?: SocketHandle | null }): number | null {
  const { bytesWritten = 0, writeQueueSize = 0 } = socket._handle ?? {};
  return writeQueueSize === 0 ? null : bytesWritten - writeQueueSize;
}
