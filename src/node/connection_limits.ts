import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Standstill } from "../platform/shared/slow_clients.ts";

/** The bytes of a connection as libuv counts them. Node's own socket timeouts read them, too. */
interface Transport {
  /** All bytes that were to be written. */
  readonly bytesWritten: number;
  /** Those of them that the system has not taken. */
  readonly writeQueueSize: number;
}

/** The part of an HTTP/2 stream that is used. */
interface Http2Stream {
  readonly writableLength: number;
  setTimeout(ms: number, callback: () => void): unknown;
  close(code: number): void;
}

/** HTTP/2's code for a stream that is no longer needed (RFC 9113 section 7). */
const CANCEL = 8;

/** Node's own, not a test's fake timers: those do not delay what clients do. */
const { setInterval, clearInterval } = globalThis;

/** Cuts connections whose clients take nothing of what was sent to them. One timer looks at all of them. */
export class ConnectionLimits {
  /** The open connections; those with TLS as they are without it. */
  readonly sockets = new Set<Socket>();
  readonly #responses: Iterable<{ readonly res: ServerResponse }>;
  /** HTTP/2 streams that have a timeout. */
  readonly #timed = new WeakSet<object>();
  readonly #standstill = new Standstill<Socket>();
  /** The listener for `close`: one for all sockets. */
  readonly closed: (this: Socket) => void;
  #timeoutMs = 0;
  #timer: ReturnType<typeof setInterval> | undefined = undefined;

  /** @param responses The responses that are not complete */
  constructor(responses: Iterable<{ readonly res: ServerResponse }>) {
    this.#responses = responses;
    const { sockets } = this;
    this.closed = function (this: Socket): void {
      sockets.delete(this);
    };
  }

  /** Takes a new connection. */
  add(socket: Socket): void {
    this.sockets.add(socket);
    socket.on("close", this.closed);
  }

  /** ms in which a client must take something, 0 for no limit. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  set timeoutMs(ms: number) {
    this.stop();
    this.#timeoutMs = ms;
    if (ms > 0) this.#timer = setInterval(() => this.#look(), Standstill.everyMs(ms)).unref();
  }

  /** Ends the timer. */
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

  // A client that opens no window for its streams leaves nothing to be written to the connection. Node's timeout of a
  // stream begins anew with whatever is sent on its connection, so that a client which takes other streams is not cut.
  #time(stream: Http2Stream | undefined): void {
    if (stream === undefined || stream.writableLength === 0 || this.#timed.has(stream)) return;
    this.#timed.add(stream);
    stream.setTimeout(this.#timeoutMs, () => {
      this.#timed.delete(stream);
      if (stream.writableLength > 0) stream.close(CANCEL);
    });
  }
}
