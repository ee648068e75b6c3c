import { isLongerThan } from "../util/encodings.ts";
import { isThenable } from "../util/is_thenable.ts";
import type { ErrorReporter } from "../exchange/call_guarded.ts";
import { type Connections, GOING_AWAY } from "./connections.ts";
import { MAX_BUFFERED_BYTES, MAX_MESSAGE_BYTES, type ServerEnd, TOO_BIG, TOO_BUSY } from "./socket_limits.ts";
import { PendingMessages } from "./pending_messages.ts";
import { type ConnectionData, WebSocketConnection } from "./ws_connection.ts";
import type { WebSocketHandlers } from "./ws_handlers.ts";

/** What is needed to run the handlers of a connection. */
export interface ConnectionOptions {
  /** The server's end; no event has been dispatched on it yet. */
  readonly socket: ServerEnd;
  /** The sub-protocol that was chosen, `""` for none. */
  readonly protocol: string;
  /** The value of `ws.data`. */
  readonly data: ConnectionData;
  /** Handlers of the connection. */
  readonly handlers: WebSocketHandlers;
  /** The application's connections. */
  readonly connections: Connections;
  /** Reports errors that no handler takes. */
  readonly app: ErrorReporter;
  /** Whether the connection was already open in an application that is gone; then `open` does not run. */
  readonly resumed?: boolean;
  /** Runs after each handler; what it throws counts as the handler's own error. */
  readonly handled?: ((ws: WebSocketConnection) => void) | undefined;
  /** Runs when the connection is over, behind the handler for that. */
  readonly ended?: (() => void) | undefined;
}

/** A handler that takes its time; nothing for one that is done. */
type Running = Promise<unknown> | void;

/** How often, in ms, a connection with waiting bytes is looked at for `drain`. */
const DRAIN_INTERVAL = 20;

/** Deno's errors for a client that has vanished; on other runtimes there is only close code 1006. */
const VANISHED = /unexpected eof|connection reset|broken pipe|no response from ping/i;

/**
 * Runs a route's handlers on an accepted socket. It never throws: errors of handlers go to `error`; without that
 * handler they close the connection with 1011.
 *
 * @param options The socket and its handlers
 * @returns The connection
 */
export function serveConnection(options: ConnectionOptions): WebSocketConnection {
  const { socket, protocol, data, handlers, connections, app, resumed, handled, ended } = options;
  const { maxMessageBytes = MAX_MESSAGE_BYTES, maxBufferedBytes = MAX_BUFFERED_BYTES } = handlers;
  let draining: ReturnType<typeof setTimeout> | undefined = undefined;
  let closedHere: readonly [code: number, reason: string] | undefined = undefined;
  const sent = (): void => {
    // asked last: on Deno, the amount is a call into the runtime
    if (handlers.drain === undefined || draining !== undefined || ws.bufferedAmount === 0) return;
    draining = setTimeout(() => {
      draining = undefined;
      if (ws.readyState !== 1) return;
      if (ws.bufferedAmount > 0) sent();
      else run(() => handlers.drain?.(ws));
    }, DRAIN_INTERVAL);
  };
  const fail = (error: unknown): Running => {
    if (handlers.error === undefined) return giveUp(error);
    return attempt(() => handlers.error?.(ws, error), giveUp);
  };
  const giveUp = (error: unknown): void => {
    app.reportError(error, { req: data.req, phase: "websocket" });
    ws.close(1011, "Internal error");
  };
  // returns a promise for platforms that wait until a handler is done
  const attempt = (handler: () => unknown, failed: (error: unknown) => Running): Running => {
    try {
      const result = handler();
      if (isThenable(result)) return Promise.resolve(result).then(() => handled?.(ws)).catch(failed);
      handled?.(ws);
    } catch (error) {
      return failed(error);
    }
  };
  const run = (handler: () => unknown): Running => attempt(handler, fail);
  const closing = (...how: [number, string]): void => {
    closedHere = how;
    // nothing can be sent from now on, although the client may take its time to respond
    connections.delete(ws);
  };
  const events = { sent, closing, failed: fail };
  const ws = new WebSocketConnection(socket, protocol, data, connections, events, maxBufferedBytes);
  let pending: PendingMessages | null = null;
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    connections.add(ws);
    const opened = run(() => handlers.open?.(ws));
    // closing began between the handshake and this event, before the connection was registered
    if (connections.areClosing) ws.close(...GOING_AWAY);
    return opened;
  };
  if (resumed && ws.readyState === 1) connections.add(ws);
  socket.onmessage = ({ data }) => {
    // some runtimes still deliver messages that were in flight, some do not
    if (closedHere !== undefined) return;
    const message = typeof data === "string" ? data : new Uint8Array(data);
    // Deno and Workers have no such limit of their own, and that of Bun is one for all routes
    if (isLongerThan(message, maxMessageBytes)) return ws.close(...TOO_BIG);
    const handling = run(() => handlers.message?.(ws, message));
    if (handling === undefined) return;
    pending ??= new PendingMessages(socket, maxBufferedBytes, () => ws.close(...TOO_BUSY));
    return pending.until(handling, message.length);
  };
  socket.onclose = (event) => {
    // Deno dispatches `close` twice if a ping is not answered; and it keeps a socket whose client has vanished until
    // the next ping is due, with everything these functions refer to
    socket.onopen =
      socket.onmessage =
      socket.onclose =
      socket.onerror =
        null;
    connections.delete(ws);
    clearTimeout(draining);
    const [code, reason] = closedHere ?? howItClosed(event);
    const closed = run(() => handlers.close?.(ws, code, reason));
    ended?.();
    return closed;
  };
  socket.onerror = (event) => {
    const { error, message = "" } = event as ErrorEvent;
    // a vanished client is no error; one that violates the protocol is
    if (VANISHED.test(message)) return;
    const violation = error ?? new Error(message);
    if (handlers.error !== undefined) return fail(violation);
    app.reportError(violation, { req: data.req, phase: "connection" });
  };
  return ws;
}

// Deno reports 0 instead of 1006 (RFC 6455 section 7.1.5), and 1001 after a ping without a response
function howItClosed({ code, reason, wasClean }: CloseEvent): [code: number, reason: string] {
  return wasClean === false || code === 0 ? [1006, reason] : [code, reason];
}
