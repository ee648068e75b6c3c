import { asyncScope } from "./async_scope.ts";
import { Heartbeat, type Pulse } from "./heartbeat.ts";

/** The part of a server's socket used here. */
interface NativeSocket {
  ping(): unknown;
  getBufferedAmount(): number;
}

/**
 * The part of the web's `WebSocket` used here, on servers with one handler for all connections, which is Bun and
 * uWebSockets.js.
 */
export abstract class HandledSocket<Native extends NativeSocket> implements Pulse {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: { error: unknown; message: string }) => void) | null = null;
  /** The server's own socket, while it is open. */
  protected native: Native | null = null;
  protected heartbeat: Heartbeat | null = null;
  protected isClosed = false;
  readonly #pingTimeoutMs: number;
  /** The request's context: the server runs its handlers outside it. */
  readonly #scope = asyncScope();
  #isLost = false;
  /** Number of times the client has read waiting data. */
  #drained = 0;

  /**
   * @param pingTimeoutMs Time without a response to pings before a client counts as disconnected, in ms; 0 means never
   */
  constructor(pingTimeoutMs: number) {
    this.#pingTimeoutMs = pingTimeoutMs;
  }

  get bufferedAmount(): number {
    return this.native?.getBufferedAmount() ?? 0;
  }

  /** Cuts the connection. */
  abstract terminate(): void;

  /** Called by the server while the connection is still being upgraded, before listeners can be added. */
  opened(native: Native): void {
    this.native = native;
    this.heartbeat = new Heartbeat(this.#pingTimeoutMs, this);
    queueMicrotask(() => this.#run(() => this.onopen?.()));
  }

  /** Called by the server with a message. */
  received(data: string | ArrayBuffer): void {
    this.heard();
    this.#run(() => this.onmessage?.({ data }));
  }

  /** Records that the client sent a message, a ping, or a pong. */
  heard(): void {
    this.heartbeat?.heard();
  }

  /** Records that the client has read waiting data. */
  drained(): void {
    this.#drained++;
  }

  /** Called by the server, even within `close()`; on other runtimes the call comes later. */
  closed(code: number, reason: string, told?: () => void): void {
    this.native = null;
    this.isClosed = true;
    this.heartbeat?.stop();
    const end = this.#isLost ? { code: 1006, reason: "No response to a ping" } : { code, reason };
    queueMicrotask(() => {
      this.#run(() => this.onclose?.(end));
      told?.();
    });
  }

  /** Sends a ping. */
  ping(): void {
    this.native?.ping();
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
