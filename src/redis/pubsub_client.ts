import type { Buffer } from "node:buffer";

/** Callbacks for a connection's state. */
export interface ConnectionListener {
  /** The connection is established, for the first time or again. */
  ready(): unknown;
  /** The connection is lost or cannot be established. */
  failed(error: unknown): unknown;
}

/** A separate connection that subscribes to channels. */
export interface Subscriber {
  /** Whether the connection is established. */
  isReady(): boolean;
  /** Sends `SUBSCRIBE`. */
  subscribe(channel: string): Promise<unknown>;
  /** Sends `UNSUBSCRIBE`. */
  unsubscribe(channel: string): Promise<unknown>;
  /** Closes the connection. */
  close(): void;
}

/** Common interface for both kinds of client. */
export interface PubSubClient {
  /** Whether the client can publish right away. */
  isReady(): boolean;
  /** Sends `PUBLISH`. */
  publish(channel: string, message: Buffer): Promise<unknown>;
  /** Reports on the client's own connection until the returned function is called. */
  listen(listener: ConnectionListener): () => void;
  /** Opens a connection that subscribes to channels. */
  subscriber(listener: ConnectionListener, message: (channel: string, message: Buffer) => void): Subscriber;
}

/** The emitter methods that both kinds of client have. */
interface Connection {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/**
 * Reports a connection's state to a listener.
 *
 * @returns A function that stops the reports
 */
export function listenTo(client: Connection, { ready, failed }: ConnectionListener): () => void {
  client.on("ready", ready);
  client.on("error", failed);
  return () => {
    client.off("ready", ready);
    client.off("error", failed);
  };
}
