import type { Buffer } from "node:buffer";

/** What is told of a connection. */
export interface ConnectionListener {
  /** It is there, or there again. */
  ready(): unknown;
  /** It is lost, or cannot be made. */
  failed(error: unknown): unknown;
}

/** A connection of its own that follows channels. */
export interface Subscriber {
  /** Whether it is there. */
  isReady(): boolean;
  /** Sends `SUBSCRIBE`. */
  subscribe(channel: string): Promise<unknown>;
  /** Sends `UNSUBSCRIBE`. */
  unsubscribe(channel: string): Promise<unknown>;
  /** Ends it. */
  close(): void;
}

/** Both kinds of client under one face. */
export interface PubSubClient {
  /** Whether it publishes at once. */
  isReady(): boolean;
  /** Sends `PUBLISH`. */
  publish(channel: string, message: Buffer): Promise<unknown>;
  /** Tells of the client's own connection, until the function it returns is called. */
  listen(listener: ConnectionListener): () => void;
  /** Opens a connection that follows channels. */
  subscriber(listener: ConnectionListener, message: (channel: string, message: Buffer) => void): Subscriber;
}

/** What tells of a connection, in both kinds of client. */
interface Connection {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/**
 * Tells a listener of a connection.
 *
 * @returns What ends it
 */
export function listenTo(client: Connection, { ready, failed }: ConnectionListener): () => void {
  client.on("ready", ready);
  client.on("error", failed);
  return () => {
    client.off("ready", ready);
    client.off("error", failed);
  };
}
