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
}

/** How often, in ms, a connection with waiting bytes is looked at for `drain`. */
const DRAIN_INTERVAL = 20;

/**
 * Runs a route's handlers on an accepted socket. It never throws: what a handler throws goes to `error`, and without
 * one closes the connection with 1011.
 *
 * @param options The socket and what is to happen on it
 * @returns The connection
 */
export function serveConnection(options: ConnectionOptions): WebSocketConnection {
  const { socket, handlers, connections, app } = options;
  let draining: ReturnType<typeof setTimeout> | undefined = undefined;
  const watchDrain = (): void => {
    if (handlers.drain === undefined || draining !== undefined) return;
    draining = setTimeout(() => {
      draining = undefined;
      if (socket.readyState !== 1) return;
      if (socket.bufferedAmount > 0) watchDrain();
      else run(() => handlers.drain?.(ws));
    }, DRAIN_INTERVAL);
  };
  const ws = new WebSocketConnection(socket, options.protocol, options.data, connections, watchDrain);
  const fail = (error: unknown): void => {
    if (handlers.error === undefined) return giveUp(error);
    try {
      const result = handlers.error(ws, error);
      if (result instanceof Promise) result.catch(giveUp);
    } catch (failure) {
      giveUp(failure);
    }
  };
  const giveUp = (error: unknown): void => {
    app.logError(error);
    if (socket.readyState === 1) socket.close(1011, "Internal error");
  };
  const run = (handler: () => unknown): void => {
    try {
      const result = handler();
      if (result instanceof Promise) result.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    connections.add(ws);
    run(() => handlers.open?.(ws));
  };
  socket.onmessage = ({ data }) => {
    run(() => handlers.message?.(ws, typeof data === "string" ? data : new Uint8Array(data)));
  };
  socket.onclose = ({ code, reason }) => {
    connections.delete(ws);
    clearTimeout(draining);
    run(() => handlers.close?.(ws, code, reason));
  };
  socket.onerror = (event) => {
    // a client that vanishes is no failure of the server: only a handler that asked for it is told
    if (handlers.error !== undefined) fail((event as ErrorEvent).error ?? new Error((event as ErrorEvent).message));
  };
  return ws;
}
