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

/** The request that is told of a timeout, as by Node's server. */
export interface Timed {
  /** Whether all of the request has arrived. */
  readonly complete: boolean;
  /** Emits an event on the request. */
  emit(event: EventName, ...args: unknown[]): boolean;
  /** The response; there is none any more once the connection became a WebSocket. */
  readonly res?: { readonly headersSent: boolean; emit(event: EventName, ...args: unknown[]): boolean };
}

/** A certificate, as returned by Node. */
// deno-lint-ignore no-explicit-any -- the core names no type of Node's, and programs read subject.CN
export type PeerCertificate = Record<string, any>;

/** State of a socket, which those that are derived from it share. */
class SocketState {
  readonly exchange: Exchange;
  readonly peer: Peer;
  readonly req: Timed;
  timer: ReturnType<typeof setTimeout> | undefined = undefined;
  timeout: number | undefined = undefined;
  /** Whether an error, and whether the end of the connection, has been arranged to be told. */
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

/** The part of Node's socket that Express middleware uses. The connection itself belongs to the platform. */
export class RequestSocket extends Emitter {
  /**
   * Itself.
   *
   * @internal
   */
  override readonly [originalKey]: object = this;
  private readonly [stateKey]: SocketState;

  /**
   * Describes a connection.
   *
   * @param exchange The exchange the connection is used for
   * @param req The request that came over it
   */
  constructor(exchange: Exchange, req: Timed) {
    super();
    this[stateKey] = new SocketState(exchange, req);
    const { app: { [runtimeKey]: runtime }, info, target: { request } } = exchange;
    this.encrypted = runtime.isEncrypted?.(request, info) ?? request.url.startsWith("https:");
  }

  /** Address of the peer, `undefined` if the platform does not tell it. */
  get remoteAddress(): string | undefined {
    return this[stateKey].peer.address;
  }

  /** Port of the peer, `undefined` if the platform does not tell it. */
  get remotePort(): number | undefined {
    return this[stateKey].peer.port;
  }

  /** Node's server, on which proxies listen for upgrades; `undefined` on other runtimes. */
  get server(): unknown {
    return nodesOwn(this)?.["server"];
  }

  /**
   * Address of this end. Only Node tells that of a connection; on Deno with `app.listen`, and on Bun, it is the one that
   * the server listens on, `0.0.0.0` or `::` for all. `undefined` elsewhere.
   */
  get localAddress(): string | undefined {
    return localOf(this).address;
  }

  /** Port of this end, on Node, on Bun, and on Deno with `app.listen`; `undefined` elsewhere. */
  get localPort(): number | undefined {
    return localOf(this).port;
  }

  /** `IPv4` or `IPv6`, by `localAddress`. */
  get localFamily(): string | undefined {
    return familyOf(this.localAddress);
  }

  /** `IPv4` or `IPv6`, by `remoteAddress`. */
  get remoteFamily(): string | undefined {
    return familyOf(this.remoteAddress);
  }

  /** Bytes received over the connection, on Node; `undefined` elsewhere. */
  get bytesRead(): number | undefined {
    return ofNode(this, "bytesRead");
  }

  /** Bytes sent over the connection, on Node; `undefined` elsewhere. */
  get bytesWritten(): number | undefined {
    return ofNode(this, "bytesWritten");
  }

  /** `localAddress`, `localFamily` and `localPort`; as on Node, an empty object if they are unknown. */
  address(): { address?: string; family?: string; port?: number } {
    const { localAddress: address, localFamily: family, localPort: port } = this;
    return address === undefined ? {} : { address, ...family && { family }, ...port !== undefined && { port } };
  }

  /** Writes raw bytes to the connection, such as early hints, on Node; `undefined` elsewhere. */
  get write(): ((bytes: Uint8Array | string, ...more: unknown[]) => boolean) | undefined {
    return ofNode(this, "write");
  }

  /** Closes the connection once all written bytes are sent, on Node; `undefined` elsewhere. */
  get end(): ((...last: unknown[]) => unknown) | undefined {
    return ofNode(this, "end");
  }

  /** Host name from the client's TLS handshake (SNI), on Node. */
  get servername(): string | false | undefined {
    return ofNode(this, "servername");
  }

  /** Whether the client's certificate was issued by one of the server's authorities, on Node over TLS; `undefined` elsewhere. */
  get authorized(): boolean | undefined {
    return ofNode(this, "authorized");
  }

  /** Why the client's certificate was not accepted, on Node over TLS. */
  get authorizationError(): unknown {
    return ofNode(this, "authorizationError");
  }

  /** Returns the client's certificate, on Node over TLS; `undefined` elsewhere. */
  get getPeerCertificate(): ((detailed?: boolean) => PeerCertificate) | undefined {
    return ofNode(this, "getPeerCertificate");
  }

  /** Returns the cipher, on Node over TLS; `undefined` elsewhere. */
  get getCipher(): (() => object) | undefined {
    return ofNode(this, "getCipher");
  }

  /** Returns the TLS version, on Node over TLS; `undefined` elsewhere. */
  get getProtocol(): (() => string | null) | undefined {
    return ofNode(this, "getProtocol");
  }

  /** Whether the connection uses TLS. */
  encrypted: boolean;

  /** Whether the client is gone, or `close` was emitted. */
  get destroyed(): boolean {
    const { isClosed, exchange } = this[stateKey];
    return isClosed || exchange.aborted;
  }

  /** Whether the client disconnected; `false` if the program broke off the exchange. */
  get readableEnded(): boolean {
    const { exchange } = this[stateKey];
    return exchange.aborted && !exchange.isBrokenOff;
  }

  /** What `setTimeout` was given last, in ms; `undefined` before. */
  get timeout(): number | undefined {
    return this[stateKey].timeout;
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
   * Emits `close` at the end of the exchange, since nobody tells what becomes of the connection then. It is the only
   * way for npm's on-finished, and so for every logger, to learn that a client is gone. If the connection failed, which
   * Node tells, or it had not sent all of its request, `error` comes first, as on Node, where parsing fails then.
   */
  override [listenedTo](event: EventName): void {
    const state = this[stateKey];
    const { exchange } = state;
    if (event === "error" && !state.errorAwaited) {
      state.errorAwaited = true;
      return exchange.onLeaveLater(() => tellOfFailure(this));
    }
    if (event !== "close" || state.closeAwaited) return;
    state.closeAwaited = true;
    const close = (): void => {
      if (state.isClosed) return;
      state.isClosed = true;
      tell(this, "close", state.hasFailed);
    };
    // after the events of a complete response, but before those of one whose client is gone
    exchange.onLeave(() => queueMicrotask(close));
    exchange.onEnd(close);
  }

  /** Reports the error of a listener, which on Node would end the process. */
  override [listenerFailed](error: unknown): void {
    const { exchange, req } = this[stateKey];
    failListener(exchange.app, req, error);
  }

  /** Breaks off the exchange, as if the client were gone: a response that has begun is cut. */
  destroy(error?: Error): this {
    this[stateKey].exchange.breakOff(error);
    return this;
  }

  /**
   * Sets the time within which a response has to begin; each chunk of the body that a handler reads restarts it. After
   * that `timeout` is emitted on the request, if its body is still arriving, on the response, and on the socket. If
   * neither of the first two has a listener, the exchange is broken off, as in Node. Once the response has begun, idle
   * time is up to the platform.
   *
   * @param ms The time in ms; 0 for none
   * @param listener Added for `timeout`, once
   * @throws {RangeError} If `ms` is negative or not finite
   */
  setTimeout(ms: number, listener?: () => void): this {
    const isNumber = typeof ms === "number";
    if (!isNumber || !(ms >= 0 && ms < Infinity)) {
      const message = `setTimeout takes ms from 0, which is none, and finite, not ${describe(ms)}`;
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

  /** Does nothing: the platform decides about keep-alive probes. */
  setKeepAlive(_on?: boolean, _delayMs?: number): this {
    return this;
  }
}

// only Node's own socket knows these
function ofNode<T>(socket: RequestSocket, name: string): T {
  const nodes = nodesOwn(socket);
  const value = nodes?.[name];
  return typeof value === "function" ? value.bind(nodes) : value as T;
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
  // as the peer's, whose IPv4 address an IPv6 socket shows as a mapped one
  return { address: localAddress && (canonicalAddress(localAddress) ?? localAddress), port: localPort };
}

function familyOf(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  return address.includes(":") ? "IPv6" : "IPv4";
}

function tellOfFailure(socket: RequestSocket): void {
  const state = socket[stateKey];
  const { exchange, req } = state;
  // what the client sent may have been no HTTP, also in another request on this connection
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
