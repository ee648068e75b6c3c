import { asyncScope } from "../platform/shared/async_scope.ts";
import { Heartbeat, type Pulse } from "../platform/shared/heartbeat.ts";
import type { EngineSocket } from "./engine.ts";

/** How a connection ended, like the web's `CloseEvent`. */
interface End {
  readonly code: number;
  readonly reason: string;
}

/** The part of the web's `WebSocket` used here, over one of the engine's. */
export class UwsSocket implements Pulse {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: End) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  readonly #pingTimeoutMs: number;
  /** The request's context: the engine runs its handlers outside it. */
  readonly #scope = asyncScope();
  #native: EngineSocket<unknown> | null = null;
  #heartbeat: Heartbeat | null = null;
  #isLost = false;
  #state: 0 | 1 | 2 | 3 = 0;
  /** Number of times the client has read waiting data. */
  #drained = 0;

  /**
   * @param pingTimeoutMs Time without a response to pings before a client counts as disconnected, in ms; 0 means never
   */
  constructor(pingTimeoutMs: number) {
    this.#pingTimeoutMs = pingTimeoutMs;
  }

  get readyState(): number {
    return this.#state;
  }

  get bufferedAmount(): number {
    return this.#native?.getBufferedAmount() ?? 0;
  }

  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    if (this.#state !== 1 || this.#native === null) return;
    if (typeof data === "string") this.#native.send(data, false);
    else if (data instanceof ArrayBuffer) this.#native.send(data, true);
    else this.#native.send(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), true);
  }

  close(code = 1000, reason = ""): void {
    if (this.#state > 1) return;
    this.#state = 2;
    this.#native?.end(code, reason);
  }

  /** Cuts the connection. */
  terminate(): void {
    this.#native?.close();
  }

  /** Called by the engine while the connection is still being upgraded, before listeners can be added. */
  opened(native: EngineSocket<unknown>): void {
    this.#native = native;
    this.#state = 1;
    this.#heartbeat = new Heartbeat(this.#pingTimeoutMs, this);
    queueMicrotask(() => this.#run(() => this.onopen?.()));
  }

  /** Called by the engine with a message; the engine reclaims its bytes after the call. */
  received(data: ArrayBuffer, isBinary: boolean): void {
    this.heard();
    const message = isBinary ? data.slice(0) : textOf(data);
    this.#run(() => this.onmessage?.({ data: message }));
  }

  /** Records that the client sent a message, a ping, or a pong. */
  heard(): void {
    this.#heartbeat?.heard();
  }

  /** Records that the client has read waiting data. */
  drained(): void {
    this.#drained++;
  }

  /** Called by the engine, even within `close()`; on other runtimes the call comes later. */
  closed(code: number, reason: ArrayBuffer, told: () => void): void {
    this.#native = null;
    this.#state = 3;
    this.#heartbeat?.stop();
    const text = this.#isLost ? "No response to a ping" : code === 1006 ? "" : textOf(reason);
    queueMicrotask(() => {
      this.#run(() => this.onclose?.({ code, reason: text }));
      told();
    });
  }

  /** Sends a ping. */
  ping(): void {
    this.#native?.ping();
  }

  /** Ends the connection because the client did not respond. */
  lost(): void {
    this.#isLost = true;
    this.terminate();
  }

  /** Number of times the client has read data; `null` if no data is waiting. */
  taken(): number | null {
    return this.bufferedAmount > 0 ? this.#drained : null;
  }

  #run(handler: () => void): void {
    this.#scope.runInAsyncScope(handler);
  }
}

// a decoder would strip a byte order mark
function textOf(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString();
}
