import type { Duplex } from "node:stream";
import { asyncScope } from "../platform/shared/async_scope.ts";
import { Heartbeat, type Pulse } from "../platform/shared/heartbeat.ts";

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
  on(event: string, listener: (...args: never[]) => void): void;
}

/** Node's own socket, with the bytes passed to it, and those of them that the system has not taken yet. */
interface Transport extends Duplex {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
}

/** The used part of the server of ws, which answers handshakes. */
export interface WsServer {
  on(event: "headers", listener: (lines: string[]) => void): void;
  handleUpgrade(request: object, socket: Duplex, head: Uint8Array, opened: (ws: WsSocket) => void): void;
}

/** Key under which a connection of ws and its socket keep what is made of them. */
const ownerKey: unique symbol = Symbol("owner");

/** A connection of ws, or its socket. */
interface Owned {
  [ownerKey]?: NodeSocket;
}

/** The code of ws for a message that is longer than `maxPayload`. */
const TOO_BIG = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";

/** The used part of the web's `WebSocket`, over one of ws. */
export class NodeSocket implements Pulse {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  readonly #ws: WsSocket;
  readonly #socket: Transport;
  readonly #heartbeat: Heartbeat;
  // events of the connection come in its own context, and handlers run in that of the request that was upgraded
  readonly #scope = asyncScope();
  #isPaused = false;
  #isLost = false;
  /** The ping that has no response yet, because the client reads too slowly. */
  #ping: Uint8Array | null = null;

  /**
   * @param ws The connection
   * @param socket The underlying socket
   * @param pingTimeoutMs ms after which a client that does not respond to pings counts as gone, 0 for never
   */
  constructor(ws: WsSocket & Owned, socket: Duplex & Owned, pingTimeoutMs: number) {
    this.#ws = ws;
    this.#socket = socket;
    ws[ownerKey] = socket[ownerKey] = this;
    ws.binaryType = "arraybuffer";
    this.#heartbeat = new Heartbeat(pingTimeoutMs, this);
    ws.on("message", onMessage);
    ws.on("close", onClose);
    ws.on("error", onError);
    ws.on("ping", onPing);
    socket.on("data", onData);
    socket.on("drain", onDrain);
    // RFC 6455 section 7.1.1: after both Close frames the server closes the connection; ws would wait for the client
    socket.on("finish", onFinish);
    // it is open already, but nobody listens yet, and messages may have come with the handshake
    ws.pause();
    queueMicrotask(() => {
      this.onopen?.();
      ws.resume();
    });
  }

  /** Called with a message. */
  received(data: ArrayBuffer | Uint8Array, isBinary: boolean): void {
    this.#run(() => this.onmessage?.({ data: isBinary ? data : String(data) }));
  }

  /** Called when the connection is closed. */
  closed(code: number, reason: Uint8Array): void {
    this.#heartbeat.stop();
    this.#run(() => this.onclose?.({ code, reason: this.#isLost ? "No response to a ping" : String(reason) }));
  }

  /** Called with an error. */
  failed(error: Error & { code?: string }): void {
    // the rest of its data must be read: otherwise the client would get a reset instead of the Close frame
    this.#socket.off("finish", onFinish);
    if (error.code !== TOO_BIG) return this.#run(() => this.onerror?.({ error, message: error.message }));
    // ws has sent it, and would tell 1006 unless the client responds
    this.#run(() => this.onclose?.({ code: 1009, reason: "Message too big" }));
  }

  // RFC 6455 section 5.5.3: only the latest ping needs a response. A client that sends pings and reads nothing would
  // otherwise fill the memory with responses.
  /** Called with a ping. */
  pinged(data: Uint8Array): void {
    if (this.#socket.writableNeedDrain) this.#ping = data;
    else this.#ws.pong(data);
  }

  /** Called when more can be written. */
  drained(): void {
    if (this.#ping !== null) this.#ws.pong(this.#ping);
    this.#ping = null;
  }

  /** Called with any bytes: the response to a ping, or a part of a long message. */
  heard(): void {
    this.#heartbeat.heard();
  }

  #run(handler: () => void): void {
    this.#scope.runInAsyncScope(handler);
  }

  /** Sends a ping. */
  ping(): void {
    this.#ws.ping();
  }

  /** Ends the connection, because the client did not respond. */
  lost(): void {
    this.#isLost = true;
    this.#ws.terminate();
  }

  /** What the client has taken, by the figures with which Node's own timeout of a socket notices that a write proceeds. */
  taken(): number | null {
    const { bytesWritten = 0, writeQueueSize = 0 } = this.#socket._handle ?? {};
    return writeQueueSize === 0 ? null : bytesWritten - writeQueueSize;
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

// The same for all connections, each of which would hold a kilobyte of functions while it is idle. Emitters call them
// with themselves as `this`.
function onMessage(this: Owned, data: ArrayBuffer | Uint8Array, isBinary: boolean): void {
  this[ownerKey]!.received(data, isBinary);
}

function onClose(this: Owned, code: number, reason: Uint8Array): void {
  this[ownerKey]!.closed(code, reason);
}

function onError(this: Owned, error: Error): void {
  this[ownerKey]!.failed(error);
}

function onPing(this: Owned, data: Uint8Array): void {
  this[ownerKey]!.pinged(data);
}

function onData(this: Owned): void {
  this[ownerKey]!.heard();
}

function onDrain(this: Owned): void {
  this[ownerKey]!.drained();
}

function onFinish(this: Duplex): void {
  this.destroy();
}
