import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Standstill } from "../platform/shared/slow_clients.ts";

/** A connection's bytes as counted by libuv. Node's own socket timeouts also use them. */
interface Transport {
  /** All bytes passed for writing. */
  readonly bytesWritten: number;
  /** Bytes that the system has not accepted. */
  readonly writeQueueSize: number;
}

/** The part of an HTTP/2 stream used here. */
interface Http2Stream {
  readonly writableLength: number;
  setTimeout(ms: number, callback: () => void): unknown;
  close(code: number): void;
}

/** HTTP/2's code for a stream that is no longer needed (RFC 9113 section 7). */
const CANCEL = 8;

/** Node's own timer, not a test's fake one, which does not delay clients. */
const { setInterval, clearInterval } = globalThis;

/** Cuts connections to clients that receive none of the data sent to them. One timer checks all connections. */
export class ConnectionLimits {
  /** The open connections; for TLS, the underlying ones. */
  readonly sockets = new Set<Socket>();
  readonly #responses: Iterable<{ readonly res: ServerResponse }>;
  /** HTTP/2 streams with a timeout. */
  readonly #timed = new WeakSet<object>();
  readonly #standstill = new Standstill<Socket>();
  /** The `close` listener, shared by all sockets. */
  readonly closed: (this: Socket) => void;
  #timeoutMs = 0;
  #timer: ReturnType<typeof setInterval> | undefined = undefined;

  /** @param responses The incomplete responses */
  constructor(responses: Iterable<{ readonly res: ServerResponse }>) {
    this.#responses = responses;
    const { sockets } = this;
    this.closed = function (this: Socket): void {
      sockets.delete(this);
    };
  }

  /** Adds a new connection. */
  add(socket: Socket): void {
    this.sockets.add(socket);
    socket.on("close", this.closed);
  }

  /** Time in ms within which a client must receive something, 0 for no limit. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  set timeoutMs(ms: number) {
    this.stop();
    this.#timeoutMs = ms;
    if (ms > 0) this.#timer = setInterval(() => this.#look(), Standstill.everyMs(ms)).unref();
  }

  /** Stops the timer. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const socket of this.#standstill.look(this.#sending(), this.#timeoutMs)) socket.destroy();
    for (const { res } of this.#responses) this.#time((res as { stream?: Http2Stream }).stream);
  }

  *#sending(): Generator<readonly [Socket, number]> {
    for (const socket of this.sockets) {
      const transport = (socket as { _handle?: Transport | null })._handle;
      if (transport && transport.writeQueueSize > 0) yield [socket, transport.bytesWritten - transport.writeQueueSize];
    }
  }

  // If a client opens no window for its streams, there are no bytes to write to the connection. Node's stream timeout
  // restarts with anything sent on the connection, so a client that reads other streams is not cut.
  #time(stream: Http2Stream | undefined): void {
    if (stream === undefined || stream.writableLength === 0 || this.#timed.has(stream)) return;
    this.#timed.add(stream);
    stream.setTimeout(this.#timeoutMs, () => {
      this.#timed.delete(stream);
      if (stream.writableLength > 0) stream.close(CANCEL);
    });
  }
}
