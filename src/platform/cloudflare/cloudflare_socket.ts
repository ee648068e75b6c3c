import { asyncScope } from "../shared/async_scope.ts";

/** Messages that a Worker's socket can send. */
type Sent = string | ArrayBuffer | ArrayBufferView<ArrayBuffer>;

/** The part of the server's end of a Worker's `WebSocketPair` used here. */
export interface ServerSocket {
  readonly readyState: number;
  readonly bufferedAmount?: number;
  binaryType?: string;
  accept(): void;
  send(data: Sent): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: SocketEvent) => void): void;
}

/** The part of a Worker socket's events used here. */
interface SocketEvent {
  readonly data: string | ArrayBuffer;
  readonly code: number;
  readonly reason: string;
  readonly error?: unknown;
  readonly message: string;
}

/** Codes that only describe how a connection ended and must not be sent (RFC 6455 section 7.4.1). */
const NEVER_SENT = [1004, 1005, 1006, 1015];

/**
 * The web's `WebSocket` over a Worker's socket. It returns handlers' results to the caller, so a Durable Object can
 * wait for them.
 */
export class WorkerSocket {
  binaryType = "arraybuffer";
  onopen: (() => unknown) | null = null;
  onmessage: ((event: { data: unknown }) => unknown) | null = null;
  onclose: ((event: { code: number; reason: string }) => unknown) | null = null;
  onerror: ((event: { error: unknown; message: string }) => unknown) | null = null;
  readonly #socket: ServerSocket;
  #closed = false;

  /** @param socket The server's end */
  constructor(socket: ServerSocket) {
    this.#socket = socket;
  }

  /** Accepts the socket and listens to it. */
  accept(): void {
    const socket = this.#socket;
    // since March 2026 the default is "blob"
    socket.binaryType = "arraybuffer";
    socket.accept();
    const scope = asyncScope();
    const on = (type: string, listen: (event: SocketEvent) => void): void =>
      socket.addEventListener(type, (event) => scope.runInAsyncScope(() => listen(event)));
    on("message", ({ data }) => void this.message(data));
    on("close", ({ code, reason }) => void this.closed(code, reason));
    on("error", ({ error, message }) => void this.failed(error ?? new Error(message)));
  }

  get readyState(): number {
    return this.#closed ? 3 : ofThisRequest(() => this.#socket.readyState);
  }

  get bufferedAmount(): number {
    return this.#closed ? 0 : ofThisRequest(() => this.#socket.bufferedAmount ?? 0);
  }

  send(data: Sent): void {
    ofThisRequest(() => this.#socket.send(data));
  }

  close(code?: number, reason?: string): void {
    if (this.readyState < 2) ofThisRequest(() => this.#socket.close(code, reason));
  }

  /** Dispatches `open`, because Workers do not. */
  opened(): unknown {
    return this.onopen?.();
  }

  /** Dispatches a message. */
  message(data: string | ArrayBuffer): unknown {
    return this.#closed ? undefined : this.onmessage?.({ data });
  }

  /** Dispatches `close`, once. */
  closed(code: number, reason: string): unknown {
    if (this.#closed) return undefined;
    // workerd has replied to Close frames only since April 2026, and never does in a Durable Object that may hibernate
    if (code === 1005) this.#socket.close();
    else if (!NEVER_SENT.includes(code)) this.#socket.close(code, reason);
    this.#closed = true;
    return this.onclose?.({ code, reason });
  }

  /** Dispatches `error` and then `close`, which workerd omits. */
  async failed(error: unknown): Promise<void> {
    await this.onerror?.({ error, message: error instanceof Error ? error.message : String(error) });
    await this.closed(1006, "");
  }
}

// in workerd, a socket can be used only within the request that created it
function ofThisRequest<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (!/different (request|Durable Object)/i.test((error as Error).message)) throw error;
    throw new TypeError(
      "A Worker cannot use another request's WebSocket: use durableSockets in @sluice/sluice/workers",
      { cause: error },
    );
  }
}
