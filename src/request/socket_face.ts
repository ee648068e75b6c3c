import { Emitter, listenedTo } from "../http/emitter.ts";
import type { EventName } from "../http/emitter_methods.ts";
import { LONGEST_TIMER_MS } from "../http/units.ts";
import type { Exchange } from "./exchange.ts";
import type { Peer } from "./peer.ts";

/** What a connection tells of its timeout, as Node's server does. */
export interface Timed {
  /** Whether the request has come to its end. */
  readonly complete: boolean;
  /** Calls the listeners of the request. */
  emit(event: EventName, ...args: unknown[]): boolean;
  /** The response; a connection that became a WebSocket has none any more. */
  readonly res?: { readonly headersSent: boolean; emit(event: EventName, ...args: unknown[]): boolean };
}

/** A certificate, as Node tells it. */
// deno-lint-ignore no-explicit-any -- the core names no type of Node's, and programs read subject.CN
export type PeerCertificate = Record<string, any>;

/** What only a socket of Node's knows. */
interface NodeSocket {
  readonly server?: unknown;
  readonly localAddress?: string;
  readonly localPort?: number;
  readonly remoteFamily?: string;
  readonly authorized?: boolean;
  readonly authorizationError?: unknown;
  readonly getPeerCertificate?: (detailed?: boolean) => PeerCertificate;
}

/** The part of Node's socket that Express middleware looks at. The connection itself belongs to the platform. */
export class SocketFace extends Emitter {
  #exchange: Exchange;
  #peer: Peer;
  #req: Timed;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listenedTo = false;
  #closed = false;

  /**
   * Describes a connection.
   *
   * @param exchange The exchange the connection is used for
   * @param peer The other end
   * @param req The request that came over it
   */
  constructor(exchange: Exchange, peer: Peer, req: Timed) {
    super();
    this.#exchange = exchange;
    this.#peer = peer;
    this.#req = req;
    this.encrypted = exchange.target.request.url.startsWith("https:");
  }

  /** Address of the peer, `undefined` where the platform tells none. */
  get remoteAddress(): string | undefined {
    return this.#peer.address;
  }

  /** Port of the peer, `undefined` where the platform tells none. */
  get remotePort(): number | undefined {
    return this.#peer.port;
  }

  get #ofNode(): NodeSocket | undefined {
    return (this.#exchange.info as { req?: { socket?: NodeSocket } } | undefined)?.req?.socket;
  }

  /** Node's server, to whose upgrades proxies listen; `undefined` elsewhere. */
  get server(): unknown {
    return this.#ofNode?.server;
  }

  /** Address the client has reached, on Node; `undefined` elsewhere. */
  get localAddress(): string | undefined {
    return this.#ofNode?.localAddress;
  }

  /** Port the client has reached, on Node; `undefined` elsewhere. */
  get localPort(): number | undefined {
    return this.#ofNode?.localPort;
  }

  /** `"IPv4"` or `"IPv6"`, on Node; `undefined` elsewhere. */
  get remoteFamily(): string | undefined {
    return this.#ofNode?.remoteFamily;
  }

  /** Whether the client has shown a certificate that a server of Node's trusts; `undefined` elsewhere. */
  get authorized(): boolean | undefined {
    return this.#ofNode?.authorized;
  }

  /** Why the client's certificate is not trusted, on Node. */
  get authorizationError(): unknown {
    return this.#ofNode?.authorizationError;
  }

  /** Tells the certificate the client has shown, as Node does; `undefined` where there is no TLS, or none of Node's. */
  get getPeerCertificate(): ((detailed?: boolean) => PeerCertificate) | undefined {
    const socket = this.#ofNode;
    return socket?.getPeerCertificate?.bind(socket);
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

  /**
   * Sets the time in which an answer has to begin; a chunk of the body that a handler reads starts it anew. `timeout` then
   * comes to a request whose body is still coming, to the response, and to the socket, and where neither of the first two
   * listens the exchange is broken off, as in Node. Behind the head of the answer idle time is the platform's business.
   *
   * @param ms The time; 0 for none
   * @param listener Listens for `timeout`, once
   * @throws {RangeError} If it is no time
   */
  setTimeout(ms: number, listener?: () => void): this {
    if (!(ms >= 0 && ms < Infinity)) {
      throw new RangeError(`setTimeout takes ms from 0, which is none, and finite, not ${String(ms)}`);
    }
    if (listener !== undefined) this.once("timeout", listener);
    clearTimeout(this.#timer);
    if (Number(ms) === 0 || this.#req.res?.headersSent !== false) return this;
    if (this.#timer === undefined) this.#exchange.onEnd(() => clearTimeout(this.#timer));
    const before = this.#exchange.reading?.taken;
    const isSilent = (): boolean => before === this.#exchange.reading?.taken;
    // a timer cannot wait longer, and one that should would end at once
    this.#timer = setTimeout(() => isSilent() ? this.#expire() : this.setTimeout(ms), Math.min(ms, LONGEST_TIMER_MS));
    return this;
  }

  #expire(): void {
    const { res } = this.#req;
    if (res?.headersSent !== false) return;
    const told = !this.#req.complete && this.#req.emit("timeout", this);
    if (!res.emit("timeout", this) && !told) this.destroy();
    this.emit("timeout");
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
