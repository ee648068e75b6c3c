import type { Duplex } from "node:stream";
import { asyncScope } from "../platform/shared/async_scope.ts";
import { Heartbeat, type Pulse } from "../platform/shared/heartbeat.ts";
import { bytesOf } from "../websocket/socket_data.ts";

/** The part of a ws connection used here. */
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

/** Node's own socket, with the number of bytes passed to it, and the number that the system has not accepted yet. */
interface Transport extends Duplex {
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
}

/** The part of the ws server used here, which responds to handshakes. */
export interface WsServer {
  on(event: "headers", listener: (lines: string[]) => void): void;
  handleUpgrade(request: object, socket: Duplex, head: Uint8Array, opened: (ws: WsSocket) => void): void;
}

/** Key under which a ws connection and its socket store their wrapper. */
const ownerKey: unique symbol = Symbol("owner");

/** A ws connection, or its socket. */
interface Owned {
  [ownerKey]?: NodeSocket;
}

/** The ws code for a message longer than `maxPayload`. */
const TOO_BIG = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";

/** The part of the web's `WebSocket` used here, on top of a ws connection. */
export class NodeSocket implements Pulse {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  readonly #ws: WsSocket;
  readonly #socket: Transport;
  readonly #heartbeat: Heartbeat;
  // connection events arrive in their own context; handlers run in the upgraded request's
  readonly #scope = asyncScope();
  #isPaused = false;
  #isLost = false;
  /** The unanswered ping, because the client reads too slowly. */
  #ping: Uint8Array | null = null;

  /**
   * @param ws The connection
   * @param socket The underlying socket
   * @param pingTimeoutMs Time without a response to pings before a client counts as disconnected, in ms; 0 means never
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
    // RFC 6455 section 7.1.1: after both Close frames, the server closes the connection; ws would wait for the client
    socket.on("finish", onFinish);
    // it is already open, but has no listeners so far, and messages may have come with the handshake
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
    // reads the rest of the data, because otherwise the client would get a reset instead of the Close frame
    this.#socket.off("finish", onFinish);
    if (error.code !== TOO_BIG) return this.#run(() => this.onerror?.({ error, message: error.message }));
    // ws has sent this code, but would report 1006 unless the client responds
    this.#run(() => this.onclose?.({ code: 1009, reason: "Message too big" }));
  }

  // RFC 6455 section 5.5.3: only the latest ping needs a response. Otherwise a client that sends pings and never reads
  // would fill memory with responses.
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

  /** Called with any bytes: a ping's response, or a part of a long message. */
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

  /** Returns how many bytes the client has received, from the counters that Node's own socket timeout uses. */
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

  /** Sends a message. Bytes are copied, as on other runtimes, because ws would read them later. */
  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    if (typeof data === "string") this.#ws.send(data);
    else this.#ws.send(bytesOf(data).slice());
  }

  close(code = 1000, reason = ""): void {
    this.#ws.close(code, reason);
    // resumes, to receive the client's Close frame
    if (this.#isPaused) this.resume();
  }

  /** Stops reading. */
  pause(): boolean {
    this.#isPaused = true;
    this.#heartbeat.pause();
    this.#ws.pause();
    return true;
  }

  /** Resumes reading. */
  resume(): void {
    this.#isPaused = false;
    this.#heartbeat.resume();
    this.#ws.resume();
  }
}

// Shared by all connections, because each would otherwise hold a kilobyte of functions while idle. Emitters pass
// themselves as `this`.
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
