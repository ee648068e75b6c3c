import { isLongerThan } from "../util/encodings.ts";
import { isThenable } from "../util/is_thenable.ts";
import type { AppLike } from "../exchange/app_like.ts";
import { sendBudget } from "../exchange/send_budget.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { ErrorReporter } from "../exchange/call_guarded.ts";
import { type Connections, GOING_AWAY } from "./connections.ts";
import { MAX_BUFFERED_BYTES, MAX_MESSAGE_BYTES, type ServerEnd, TOO_BIG, TOO_BUSY } from "./socket_limits.ts";
import { PendingMessages } from "./pending_messages.ts";
import { type ConnectionData, type ConnectionEvents, dropKey, WebSocketConnection } from "./ws_connection.ts";
import type { WebSocketHandlers } from "./ws_handlers.ts";

/** Everything needed to run a connection's handlers. */
export interface ConnectionOptions {
  /** The server's end; no event has been dispatched on it yet. */
  readonly socket: ServerEnd;
  /** The selected sub-protocol, or `""` if there is none. */
  readonly protocol: string;
  /** The value of `ws.data`. */
  readonly data: ConnectionData;
  /** The connection's handlers. */
  readonly handlers: WebSocketHandlers;
  /** The application's connections. */
  readonly connections: Connections;
  /** Reports errors that no handler handles. */
  readonly app: ErrorReporter & Pick<AppLike, "settings">;
  /** Whether the connection was already open before the application restarted; if so, `open` does not run. */
  readonly resumed?: boolean;
  /** Runs after each handler; its errors count as the handler's own. */
  readonly handled?: ((ws: WebSocketConnection) => void) | undefined;
  /** The exchange that became the connection. It ends with the connection, after the `close` handler. */
  readonly exchange?: Pick<Exchange, "abort" | "sequence"> | undefined;
}

/** An asynchronous handler's promise; nothing for a handler that has finished. */
type Running = Promise<unknown> | void;

/** How often, in ms, a connection with waiting bytes is checked for `drain`. */
const DRAIN_INTERVAL = 20;

/** Deno's errors for a client that vanished; other runtimes only have close code 1006. */
const VANISHED = /unexpected eof|connection reset|broken pipe|no response from ping/i;

/**
 * Runs a route's handlers on an accepted socket. Never throws: handlers' errors go to `error`; without that handler,
 * they close the connection with 1011.
 *
 * @param options The socket and its handlers
 * @returns The connection
 */
export function serveConnection(options: ConnectionOptions): WebSocketConnection {
  return new Service(options).ws;
}

/** Key under which a socket stores the service that handles it. */
const serviceKey: unique symbol = Symbol("service");

/** A socket with its service. */
interface Served extends ServerEnd {
  [serviceKey]?: Service;
}

/** One connection and its handlers. */
class Service implements ConnectionEvents {
  readonly ws: WebSocketConnection;
  readonly #socket: Served;
  readonly #handlers: WebSocketHandlers;
  readonly #connections: Connections;
  readonly #app: ConnectionOptions["app"];
  readonly #handled: ConnectionOptions["handled"];
  readonly #exchange: ConnectionOptions["exchange"];
  #draining: ReturnType<typeof setTimeout> | undefined = undefined;
  #closedHere: readonly [code: number, reason: string] | undefined = undefined;
  #pending: PendingMessages | null = null;

  /** @param options The socket and its handlers */
  constructor({ socket, protocol, data, handlers, connections, app, resumed, handled, exchange }: ConnectionOptions) {
    this.#socket = socket;
    this.#handlers = handlers;
    this.#connections = connections;
    this.#app = app;
    this.#handled = handled;
    this.#exchange = exchange;
    this.ws = new WebSocketConnection(socket, protocol, data, connections, this, handlers.maxBufferedBytes);
    this.#socket[serviceKey] = this;
    socket.binaryType = "arraybuffer";
    socket.onopen = resumed ? null : onOpen;
    socket.onmessage = onMessage;
    socket.onclose = onClose;
    socket.onerror = onError;
    if (resumed && this.ws.readyState === 1) connections.add(this.ws);
  }

  /** The socket is open. */
  opened(): Running {
    const { ws } = this;
    this.#socket.onopen = null;
    this.#connections.add(ws);
    const opened = this.#run(() => this.#handlers.open?.(ws, ws.data.req));
    // closing began after the handshake but before this event registered the connection
    if (this.#exchange!.sequence <= this.#connections.refused) ws.close(...GOING_AWAY);
    return opened;
  }

  /** A message arrived. */
  received(data: string | ArrayBuffer): Running {
    // some runtimes still deliver messages that were in flight
    if (this.#closedHere !== undefined) return;
    const { maxMessageBytes = MAX_MESSAGE_BYTES, maxBufferedBytes = MAX_BUFFERED_BYTES } = this.#handlers;
    const message = typeof data === "string" ? data : new Uint8Array(data);
    // Deno and Workers have no such limit, and Bun's applies to all routes
    if (isLongerThan(message, maxMessageBytes)) return this.ws.close(...TOO_BIG);
    const handling = this.#run(() => this.#handlers.message?.(this.ws, message));
    if (handling === undefined) return;
    this.#pending ??= new PendingMessages(this.#socket, maxBufferedBytes, () => this.ws.close(...TOO_BUSY));
    return this.#pending.until(handling, message.length);
  }

  /** The socket is closed. */
  closed(event: CloseEvent): Running {
    const socket = this.#socket;
    const wasOpen = socket.onopen === null;
    // Deno dispatches `close` twice after an unanswered ping. It also keeps a vanished client's socket, and everything
    // the socket refers to, until the next ping is due.
    socket.onopen =
      socket.onmessage =
      socket.onclose =
      socket.onerror =
        null;
    delete socket[serviceKey];
    this.#connections.delete(this.ws);
    clearTimeout(this.#draining);
    this.ws[dropKey]();
    const [code, reason] = this.#closedHere ?? howItClosed(event);
    // a client that disconnected before its handshake was answered is none of the handlers' concern
    const closed = wasOpen ? this.#run(() => this.#handlers.close?.(this.ws, code, reason)) : undefined;
    this.#exchange?.abort();
    return closed;
  }

  /** The socket has failed. */
  erred({ error, message = "" }: ErrorEvent): Running {
    // a vanished client is not an error; a protocol violation is
    if (VANISHED.test(message)) return;
    const violation = error ?? new Error(message);
    if (this.#handlers.error !== undefined) return this.failed(violation);
    this.#app.reportError(violation, { req: this.ws.data.req, phase: "connection" });
  }

  sent(): void {
    // checked last: on Deno, the amount is a call into the runtime
    if (this.#handlers.drain === undefined || this.#draining !== undefined || this.ws.bufferedAmount === 0) return;
    this.#draining = setTimeout(() => {
      this.#draining = undefined;
      if (this.ws.readyState !== 1) return;
      if (this.ws.bufferedAmount > 0) this.sent();
      else this.#run(() => this.#handlers.drain?.(this.ws));
    }, DRAIN_INTERVAL);
  }

  closing(...how: [number, string]): void {
    this.#closedHere = how;
    // nothing more can be sent, although the client may take time to respond
    this.#connections.delete(this.ws);
  }

  failed(error: unknown): Running {
    if (this.#handlers.error === undefined) return this.#giveUp(error);
    return this.#attempt(() => this.#handlers.error?.(this.ws, error), (failure) => this.#giveUp(failure));
  }

  get sendBudget(): number {
    return sendBudget(this.#app.settings);
  }

  overBudget(reason: Error): void {
    this.#app.reportError(reason, { phase: "connection" });
  }

  #giveUp(error: unknown): void {
    this.#app.reportError(error, { req: this.ws.data.req, phase: "websocket" });
    this.ws.close(1011, "Internal error");
  }

  #run(handler: () => unknown): Running {
    return this.#attempt(handler, (error) => this.failed(error));
  }

  // returns a promise for platforms that wait for handlers
  #attempt(handler: () => unknown, failed: (error: unknown) => Running): Running {
    try {
      const result = handler();
      if (isThenable(result)) return Promise.resolve(result).then(() => this.#handled?.(this.ws)).catch(failed);
      this.#handled?.(this.ws);
    } catch (error) {
      return failed(error);
    }
  }
}

// Shared by all connections: separate functions would hold half a kilobyte per idle connection.
function onOpen(this: Served): Running {
  return this[serviceKey]?.opened();
}

function onMessage(this: Served, { data }: MessageEvent): Running {
  return this[serviceKey]?.received(data);
}

function onClose(this: Served, event: CloseEvent): Running {
  return this[serviceKey]?.closed(event);
}

function onError(this: Served, event: Event): Running {
  return this[serviceKey]?.erred(event as ErrorEvent);
}

// Deno reports 0 instead of 1006 (RFC 6455 section 7.1.5), and 1001 after an unanswered ping
function howItClosed({ code, reason, wasClean }: CloseEvent): [code: number, reason: string] {
  return wasClean === false || code === 0 ? [1006, reason] : [code, reason];
}
