import { Emitter, listenedTo, listenerFailed, tell } from "../../util/emitter.ts";
import type { EventName } from "../../util/emitter_methods.ts";
import { coded } from "../../util/coded_error.ts";
import { describe } from "../../util/error_text.ts";
import { originalKey } from "../../util/original_object.ts";
import { canonicalAddress } from "../../http/ip_address.ts";
import { LONGEST_TIMER_MS } from "../../util/units.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { failListener } from "../../exchange/fail_listener.ts";
import { connectionReset } from "../body/body_errors.ts";
import type { Peer } from "../../exchange/peer.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** The request notified of a timeout, as Node's server does. */
export interface Timed {
  /** Whether the whole request has arrived. */
  readonly complete: boolean;
  /** Emits an event on the request. */
  emit(event: EventName, ...args: unknown[]): boolean;
  /** The response; missing once the connection has become a WebSocket. */
  readonly res?: { readonly headersSent: boolean; emit(event: EventName, ...args: unknown[]): boolean };
}

/** A certificate, as returned by Node. */
// deno-lint-ignore no-explicit-any -- the core names no Node type, and programs read subject.CN
export type PeerCertificate = Record<string, any>;

/** A socket's state, shared with sockets derived from it. */
class SocketState {
  readonly exchange: Exchange;
  readonly peer: Peer;
  readonly req: Timed;
  timer: ReturnType<typeof setTimeout> | undefined = undefined;
  timeout: number | undefined = undefined;
  /** Whether events for an error, and for the end of the connection, have been arranged. */
  errorAwaited = false;
  closeAwaited = false;
  hasFailed = false;
  isClosed = false;

  constructor(exchange: Exchange, req: Timed) {
    this.exchange = exchange;
    this.peer = exchange.peer;
    this.req = req;
  }
}

/** Key of a socket's state. */
const stateKey: unique symbol = Symbol("state");

/** Properties that only Node's own socket has. */
const OF_NODE = [
  "server",
  "bytesRead",
  "bytesWritten",
  "write",
  "end",
  "servername",
  "authorized",
  "authorizationError",
  "getPeerCertificate",
  "getCipher",
  "getProtocol",
] as const;

/** The part of Node's socket that Express middleware uses. The platform owns the connection itself. */
export class RequestSocket extends Emitter {
  static {
    for (const name of OF_NODE) {
      Object.defineProperty(this.prototype, name, {
        get(this: RequestSocket) {
          const nodes = nodesOwn(this);
          const value = nodes?.[name];
          return typeof value === "function" ? value.bind(nodes) : value;
        },
        configurable: true,
      });
    }
  }

  /**
   * The socket itself.
   *
   * @internal
   */
  override readonly [originalKey]: object = this;
  private readonly [stateKey]: SocketState;

  /**
   * Describes a connection.
   *
   * @param exchange The exchange that uses the connection
   * @param req The request received over it
   */
  constructor(exchange: Exchange, req: Timed) {
    super();
    this[stateKey] = new SocketState(exchange, req);
    this.encrypted = exchange.encrypted;
  }

  /** The peer's address, `undefined` if the platform does not report it. */
  get remoteAddress(): string | undefined {
    return this[stateKey].peer.address;
  }

  /** The peer's port, `undefined` if the platform does not report it. */
  get remotePort(): number | undefined {
    return this[stateKey].peer.port;
  }

  /** Node's server, on which proxies listen for upgrades; `undefined` on other runtimes. */
  declare readonly server: unknown;

  /**
   * Local address. Only Node reports the connection's; on Deno with `app.listen`, and on Bun, it is the server's
   * listening address, `0.0.0.0` or `::` for all addresses. `undefined` elsewhere.
   */
  get localAddress(): string | undefined {
    return localOf(this).address;
  }

  /** Local port, on Node, on Bun, and on Deno with `app.listen`; `undefined` elsewhere. */
  get localPort(): number | undefined {
    return localOf(this).port;
  }

  /** `IPv4` or `IPv6`, according to `localAddress`. */
  get localFamily(): string | undefined {
    return familyOf(this.localAddress);
  }

  /** `IPv4` or `IPv6`, according to `remoteAddress`. */
  get remoteFamily(): string | undefined {
    return familyOf(this.remoteAddress);
  }

  /** Bytes received over the connection, on Node; `undefined` elsewhere. */
  declare readonly bytesRead: number | undefined;

  /** Bytes sent over the connection, on Node; `undefined` elsewhere. */
  declare readonly bytesWritten: number | undefined;

  /** `localAddress`, `localFamily` and `localPort`; an empty object if unknown, as on Node. */
  address(): { address?: string; family?: string; port?: number } {
    const { localAddress: address, localFamily: family, localPort: port } = this;
    return address === undefined ? {} : { address, ...family && { family }, ...port !== undefined && { port } };
  }

  /** Writes raw bytes to the connection, such as early hints, on Node; `undefined` elsewhere. */
  declare readonly write: ((bytes: Uint8Array | string, ...more: unknown[]) => boolean) | undefined;

  /** Closes the connection once all written bytes are sent, on Node; `undefined` elsewhere. */
  declare readonly end: ((...last: unknown[]) => unknown) | undefined;

  /** Host name from the client's TLS handshake (SNI), on Node. */
  declare readonly servername: string | false | undefined;

  /** Whether a server authority issued the client's certificate, on Node over TLS; otherwise `undefined`. */
  declare readonly authorized: boolean | undefined;

  /** Why the client's certificate was rejected, on Node over TLS. */
  declare readonly authorizationError: unknown;

  /** Returns the client's certificate, on Node over TLS; `undefined` elsewhere. */
  declare readonly getPeerCertificate: ((detailed?: boolean) => PeerCertificate) | undefined;

  /** Returns the cipher, on Node over TLS; `undefined` elsewhere. */
  declare readonly getCipher: (() => object) | undefined;

  /** Returns the TLS version, on Node over TLS; `undefined` elsewhere. */
  declare readonly getProtocol: (() => string | null) | undefined;

  /** Whether the connection uses TLS. */
  encrypted: boolean;

  /** Whether the client disconnected, or `close` was emitted. */
  get destroyed(): boolean {
    const { isClosed, exchange } = this[stateKey];
    return isClosed || exchange.aborted;
  }

  /** Whether the client disconnected; `false` if the program aborted the exchange. */
  get readableEnded(): boolean {
    const { exchange } = this[stateKey];
    return exchange.aborted && !exchange.isBrokenOff;
  }

  /** The last value passed to `setTimeout`, in ms; `undefined` until then. */
  get timeout(): number | undefined {
    return this[stateKey].timeout;
  }

  /** Whether the client can still send. */
  get readable(): boolean {
    return !this.destroyed;
  }

  /** Whether the client can still receive. */
  get writable(): boolean {
    return !this.destroyed;
  }

  /**
   * Emits `close` when the exchange ends, because no runtime reports what later happens to the connection. npm's
   * on-finished, and so every logger, detects a disconnect only through it. `error` comes first if the connection
   * failed, which Node reports, or if the request was incomplete, because parsing then fails on Node.
   */
  override [listenedTo](event: EventName): void {
    const state = this[stateKey];
    const { exchange } = state;
    if (event === "error" && !state.errorAwaited) {
      state.errorAwaited = true;
      return exchange.onAbortLater(() => tellOfFailure(this));
    }
    if (event !== "close" || state.closeAwaited) return;
    state.closeAwaited = true;
    const close = (): void => {
      if (state.isClosed) return;
      state.isClosed = true;
      tell(this, "close", state.hasFailed);
    };
    // after a complete response's events, but before the events for a disconnected client
    exchange.onAbort(() => queueMicrotask(close));
    exchange.onEnd(close);
  }

  /** Reports an error thrown by a listener, which would crash the process on Node. */
  override [listenerFailed](error: unknown): void {
    const { exchange, req } = this[stateKey];
    failListener(exchange.app, req, error);
  }

  /** Aborts the exchange as if the client had disconnected: a response that has begun is cut. */
  destroy(error?: Error): this {
    this[stateKey].exchange.breakOff(error);
    return this;
  }

  /**
   * Sets the time within which a response must begin; each body chunk that a handler reads restarts it. When the time
   * runs out, `timeout` is emitted on the request (if its body is still arriving), on the response, and on the socket.
   * If neither of the first two has a listener, the exchange is aborted, as in Node. Once the response has begun, the
   * platform handles idle time.
   *
   * @param ms The time in ms; 0 means no limit
   * @param listener Listens for `timeout`, once
   * @throws {RangeError} If `ms` is negative or not finite
   */
  setTimeout(ms: number, listener?: () => void): this {
    const isNumber = typeof ms === "number";
    if (!isNumber || !(ms >= 0 && ms < Infinity)) {
      const message = `setTimeout expects finite ms from 0, which means none, not ${describe(ms)}`;
      throw isNumber
        ? coded("ERR_OUT_OF_RANGE", new RangeError(message))
        : coded("ERR_INVALID_ARG_TYPE", new TypeError(message));
    }
    if (listener !== undefined) this.once("timeout", listener);
    const state = this[stateKey];
    const { exchange, req } = state;
    state.timeout = Number(ms);
    clearTimeout(state.timer);
    if (Number(ms) === 0 || req.res?.headersSent !== false) return this;
    if (state.timer === undefined) exchange.onEnd(() => clearTimeout(state.timer));
    const before = exchange.reading?.taken;
    const isSilent = (): boolean => before === exchange.reading?.taken;
    // a longer timer would fire at once
    state.timer = setTimeout(() => isSilent() ? expire(this) : this.setTimeout(ms), Math.min(ms, LONGEST_TIMER_MS));
    return this;
  }

  /** Does nothing: the platform decides when bytes are sent. */
  setNoDelay(_on?: boolean): this {
    return this;
  }

  /** Does nothing: the platform controls keep-alive probes. */
  setKeepAlive(_on?: boolean, _delayMs?: number): this {
    return this;
  }
}

function nodesOwn(socket: RequestSocket): Record<string, unknown> | undefined {
  const { info } = socket[stateKey].exchange;
  return (info as { req?: { socket?: Record<string, unknown> } } | undefined)?.req?.socket;
}

function localOf(socket: RequestSocket): Peer {
  const nodes = nodesOwn(socket);
  const { app, info } = socket[stateKey].exchange;
  if (nodes === undefined) return app[runtimeKey].localOf?.(info) ?? { address: undefined };
  const { localAddress, localPort } = nodes as { localAddress?: string; localPort?: number };
  // like the peer's: an IPv6 socket shows an IPv4 address as a mapped one
  return { address: localAddress && (canonicalAddress(localAddress) ?? localAddress), port: localPort };
}

function familyOf(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  return address.includes(":") ? "IPv6" : "IPv4";
}

function tellOfFailure(socket: RequestSocket): void {
  const state = socket[stateKey];
  const { exchange, req } = state;
  // the client may have sent something other than HTTP, even in another request on this connection
  const errored = nodesOwn(socket)?.["errored"];
  const complete = (exchange.info as { req?: { complete?: boolean } } | undefined)?.req?.complete;
  const isCut = exchange.broken || !(complete ?? req.complete);
  if (!errored && !isCut) return;
  state.hasFailed = true;
  if (socket.listenerCount("error") > 0) tell(socket, "error", errored ?? connectionReset());
}

function expire(socket: RequestSocket): void {
  const { req } = socket[stateKey];
  const { res } = req;
  if (res?.headersSent !== false) return;
  const told = !req.complete && tell(req, "timeout", socket);
  if (!tell(res, "timeout", socket) && !told) socket.destroy();
  tell(socket, "timeout");
}
