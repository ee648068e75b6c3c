import type { Buffer } from "node:buffer";

/** Notified about a connection. */
export interface ConnectionListener {
  /** It is established, perhaps again. */
  ready(): unknown;
  /** It is lost, or cannot be established. */
  failed(error: unknown): unknown;
}

/** A separate connection that subscribes to channels. */
export interface Subscriber {
  /** Whether it is established. */
  isReady(): boolean;
  /** Sends `SUBSCRIBE`. */
  subscribe(channel: string): Promise<unknown>;
  /** Sends `UNSUBSCRIBE`. */
  unsubscribe(channel: string): Promise<unknown>;
  /** Ends it. */
  close(): void;
}

/** Common interface of both kinds of client. */
export interface PubSubClient {
  /** Whether it can publish right away. */
  isReady(): boolean;
  /** Sends `PUBLISH`. */
  publish(channel: string, message: Buffer): Promise<unknown>;
  /** Reports on the client's own connection until the returned function is called. */
  listen(listener: ConnectionListener): () => void;
  /** Opens a connection that subscribes to channels. */
  subscriber(listener: ConnectionListener, message: (channel: string, message: Buffer) => void): Subscriber;
}

/** The emitter methods of both kinds of client. */
interface Connection {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/**
 * Reports on a connection to a listener.
 *
 * @returns Stops it
 */
export function listenTo(client: Connection, { ready, failed }: ConnectionListener): () => void {
  client.on("ready", ready);
  client.on("error", failed);
  return () => {
    client.off("ready", ready);
    client.off("error", failed);
  };
}
