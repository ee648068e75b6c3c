import type { Duplex } from "node:stream";
import { Heartbeat } from "../platform/heartbeat.ts";

/** A connection of ws, as far as it is used. */
export interface WsSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  binaryType: string;
  send(data: string | Uint8Array): void;
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
    let lost = "";
    const heartbeat = new Heartbeat(pingTimeoutMs, {
      ping: () => ws.ping(),
      lost: () => {
        lost = "No response to a ping";
        ws.terminate();
      },
    });
    // an answer is bytes too, and a part of a long message is as good as one
    socket.on("data", () => heartbeat.heard());
    // RFC 6455 section 7.1.1: the server is the one to close when both have said so; ws would wait for the client
    const end = () => socket.destroy();
    socket.once("finish", end);
    ws.on("message", (data, isBinary) => this.onmessage?.({ data: isBinary ? data : String(data) }));
    ws.on("close", (code, reason) => {
      heartbeat.stop();
      this.onclose?.({ code, reason: lost || String(reason) });
    });
    ws.on("error", (error) => {
      // what it still sends has to be read, or it would not get to see why it was closed
      socket.off("finish", end);
      this.onerror?.({ error, message: error.message });
    });
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
  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    if (typeof data === "string") this.#ws.send(data);
    else if (data instanceof ArrayBuffer) this.#ws.send(new Uint8Array(data.slice(0)));
    else this.#ws.send(new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice());
  }

  close(code = 1000, reason = ""): void {
    this.#ws.close(code, reason);
  }
}
