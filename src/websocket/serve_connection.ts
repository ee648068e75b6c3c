import { isThenable } from "../http/is_thenable.ts";
import type { Connections } from "./connections.ts";
import { type ConnectionData, WebSocketConnection } from "./ws_connection.ts";
import type { WebSocketHandlers } from "./ws_handlers.ts";

/** What is needed to run a connection's handlers. */
export interface ConnectionOptions {
  /** The server's end; nothing has happened on it yet. */
  readonly socket: WebSocket;
  /** The sub-protocol that was chosen, `""` for none. */
  readonly protocol: string;
  /** What the connection knows of its beginning. */
  readonly data: ConnectionData;
  /** What happens on the connection. */
  readonly handlers: WebSocketHandlers;
  /** The application's connections. */
  readonly connections: Connections;
  /** Where errors are written that no handler takes. */
  readonly app: { logError(error: unknown): void };
  /** Whether the connection was open before, in an application that is gone; then `open` does not run. */
  readonly resumed?: boolean;
  /** Runs after each handler; what it throws counts as the handler's own error. */
  readonly handled?: ((ws: WebSocketConnection) => void) | undefined;
  /** Runs when the connection is over, behind the handler for that. */
  readonly ended?: (() => void) | undefined;
}

/** How often, in ms, a connection with waiting bytes is looked at for `drain`. */
const DRAIN_INTERVAL = 20;

/** What Deno says of a client that has vanished; elsewhere the close code 1006 says it alone. */
const VANISHED = /unexpected eof|connection reset|broken pipe|no response from ping/i;

/**
 * Runs a route's handlers on an accepted socket. It never throws: what a handler throws goes to `error`, and without
 * one closes the connection with 1011.
 *
 * @param options The socket and what is to happen on it
 * @returns The connection
 */
export function serveConnection(options: ConnectionOptions): WebSocketConnection {
  const { socket, protocol, data, handlers, connections, app, handled } = options;
  let draining: ReturnType<typeof setTimeout> | undefined = undefined;
  let closedHere: readonly [code: number, reason: string] | undefined = undefined;
  const buffered = (): void => {
    if (handlers.drain === undefined || draining !== undefined) return;
    draining = setTimeout(() => {
      draining = undefined;
      if (ws.readyState !== 1) return;
      if (ws.bufferedAmount > 0) buffered();
      else run(() => handlers.drain?.(ws));
    }, DRAIN_INTERVAL);
  };
  const fail = (error: unknown): unknown => {
    if (handlers.error === undefined) return giveUp(error);
    return attempt(() => handlers.error?.(ws, error), giveUp);
  };
  const giveUp = (error: unknown): void => {
    app.logError(error);
    ws.close(1011, "Internal error");
  };
  // a promise tells whoever told the event when all is over
  const attempt = (handler: () => unknown, failed: (error: unknown) => unknown): unknown => {
    try {
      const result = handler();
      if (isThenable(result)) return Promise.resolve(result).then(() => handled?.(ws)).catch(failed);
      handled?.(ws);
    } catch (error) {
      return failed(error);
    }
  };
  const run = (handler: () => unknown): unknown => attempt(handler, fail);
  const closing = (...how: [number, string]): void => {
    closedHere = how;
    // nothing can be sent on it any more, though the client may take its time to answer
    connections.delete(ws);
  };
  const ws = new WebSocketConnection(socket, protocol, data, connections, { buffered, closing, failed: fail });
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    connections.add(ws);
    const opened = run(() => handlers.open?.(ws));
    // closing began after the handshake, when this was none of the connections yet
    if (connections.areClosing) ws.close(1001, "The server is closing");
    return opened;
  };
  if (options.resumed && ws.readyState === 1) connections.add(ws);
  socket.onmessage = ({ data }) => {
    // some runtimes still pass on what was under way, some do not
    if (closedHere !== undefined) return;
    return run(() => handlers.message?.(ws, typeof data === "string" ? data : new Uint8Array(data)));
  };
  socket.onclose = (event) => {
    // Deno tells it twice where a ping was not answered, and keeps a socket whose client has vanished until the next ping
    // would be due, with all that these hold
    socket.onopen =
      socket.onmessage =
      socket.onclose =
      socket.onerror =
        null;
    connections.delete(ws);
    clearTimeout(draining);
    const [code, reason] = closedHere ?? howItClosed(event);
    const closed = run(() => handlers.close?.(ws, code, reason));
    options.ended?.();
    return closed;
  };
  socket.onerror = (event) => {
    const { error, message = "" } = event as ErrorEvent;
    // a client that vanishes is no failure of the server, and one that breaks the protocol matters to those who ask
    if (handlers.error !== undefined && !VANISHED.test(message)) return fail(error ?? new Error(message));
  };
  return ws;
}

// Deno gives 0 where it should be 1006 (RFC 6455 section 7.1.5), and its own 1001 after a ping without an answer
function howItClosed({ code, reason, wasClean }: CloseEvent): [code: number, reason: string] {
  return wasClean === false || code === 0 ? [1006, reason] : [code, reason];
}
