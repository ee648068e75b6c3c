import { Emitter, listenedTo } from "../http/emitter.ts";
import type { EventName } from "../http/emitter_methods.ts";
import type { Exchange } from "./exchange.ts";
import type { Peer } from "./peer.ts";

/** The part of Node's socket that Express middleware looks at. The connection itself belongs to the platform. */
export class SocketFace extends Emitter {
  #exchange: Exchange;
  #peer: Peer;
  #listenedTo = false;
  #closed = false;

  /**
   * Describes a connection.
   *
   * @param exchange The exchange the connection is used for
   * @param peer The other end
   */
  constructor(exchange: Exchange, peer: Peer) {
    super();
    this.#exchange = exchange;
    this.#peer = peer;
    this.encrypted = exchange.request.url.startsWith("https:");
  }

  /** Address of the peer, `undefined` where the platform tells none. */
  get remoteAddress(): string | undefined {
    return this.#peer.address;
  }

  /** Port of the peer, `undefined` where the platform tells none. */
  get remotePort(): number | undefined {
    return this.#peer.port;
  }

  /** Node's server, to whose upgrades proxies listen; `undefined` elsewhere. */
  get server(): unknown {
    return (this.#exchange.info as { req?: { socket?: { server?: unknown } } } | undefined)?.req?.socket?.server;
  }

  /** Whether the connection uses TLS. */
  encrypted: boolean;

  /** Whether the client has left, or `close` was emitted. */
  get destroyed(): boolean {
    return this.#closed || this.#exchange.aborted;
  }

  /** Whether the client is still there to send. */
  get readable(): boolean {
    return !this.destroyed;
  }

  /** Whether the client is still there to receive. */
  get writable(): boolean {
    return !this.destroyed;
  }

  /**
   * Has `close` come when the exchange is over, for what becomes of the connection then nobody tells. By this alone npm's
   * on-finished, and so every logger, learns that a client has left.
   */
  override [listenedTo](event: EventName): void {
    if (event !== "close" || this.#listenedTo) return;
    this.#listenedTo = true;
    const close = (): void => {
      if (this.#closed) return;
      this.#closed = true;
      this.emit("close", false);
    };
    // behind a complete answer, in front of one whose client has left
    this.#exchange.onLeave(() => queueMicrotask(close));
    this.#exchange.onEnd(close);
  }

  /** Breaks the exchange off, as if the client had left: an answer that has begun is cut. */
  destroy(error?: Error): this {
    this.#exchange.breakOff(error);
    return this;
  }

  /** Accepted; idle time is the platform's business. */
  setTimeout(_ms: number, _listener?: () => void): this {
    return this;
  }

  /** Accepted; when bytes leave is the platform's business. */
  setNoDelay(_on?: boolean): this {
    return this;
  }

  /** Accepted; probes are the platform's business. */
  setKeepAlive(_on?: boolean, _delayMs?: number): this {
    return this;
  }
}
