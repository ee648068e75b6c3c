import type { Buffer } from "node:buffer";

/** A client of `npm:redis` (node-redis) 5 or later, as far as it is used: `createClient()`. */
export interface NodeRedisClient {
  /** Whether commands reach the server. */
  readonly isReady: boolean;
  /** Makes a client with the same options, not connected yet. */
  duplicate(): unknown;
  /** Sends `PUBLISH`. */
  publish(channel: string, message: Buffer): Promise<unknown>;
  /** Follows a pattern; here it only tells one kind of client from the other. */
  pSubscribe(...args: never[]): Promise<unknown>;
  /** Adds a listener. */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  /** Takes a listener away. */
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A client of `npm:ioredis`, as far as it is used: `new Redis()`. */
export interface IoRedisClient {
  /** `"ready"` when commands reach the server. */
  readonly status: string;
  /** Makes a client with the same options, and connects it. */
  duplicate(): unknown;
  /** Sends `PUBLISH`. */
  publish(channel: string, message: Buffer): Promise<unknown>;
  /** Follows a pattern; here it only tells one kind of client from the other. */
  psubscribe(...args: never[]): Promise<unknown>;
  /** Adds a listener. */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  /** Takes a listener away. */
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

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

/**
 * Finds out what a client is.
 *
 * @param client What was given
 * @returns The client under the common face
 * @throws {TypeError} If it is neither of node-redis nor of ioredis
 */
export function pubSubClientOf(client: NodeRedisClient | IoRedisClient): PubSubClient {
  if (typeof client === "object" && client !== null && "duplicate" in client && "publish" in client) {
    if ("pSubscribe" in client) return nodeRedis(client);
    if ("psubscribe" in client) return ioRedis(client);
  }
  throw new TypeError(
    "redisTopics takes a client of npm:redis 5 or later, or of npm:ioredis, not " +
      (typeof client === "object" && client !== null ? "this object" : String(client)),
  );
}

/** A second client of node-redis. */
interface NodeRedisDuplicate extends NodeRedisClient {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  subscribe(channel: string, listener: (message: Buffer, channel: Buffer) => void, buffers: true): Promise<unknown>;
  unsubscribe(channel: string, listener: (message: Buffer, channel: Buffer) => void, buffers: true): Promise<unknown>;
}

function nodeRedis(client: NodeRedisClient): PubSubClient {
  return {
    isReady: () => client.isReady,
    publish: (channel, message) => client.publish(channel, message),
    listen: (listener) => listenTo(client, listener),
    subscriber(listener, message) {
      const own = client.duplicate() as NodeRedisDuplicate;
      const take = (bytes: Buffer, channel: Buffer) => message(channel.toString(), bytes);
      listenTo(own, listener);
      own.connect().catch(listener.failed);
      return {
        isReady: () => own.isReady,
        subscribe: (channel) => own.subscribe(channel, take, true),
        unsubscribe: (channel) => own.unsubscribe(channel, take, true),
        close() {
          // one that is being made cannot be called off
          own.on("ready", () => own.destroy());
          if (own.isOpen) own.destroy();
        },
      };
    },
  };
}

/** A second client of ioredis. */
interface IoRedisDuplicate extends IoRedisClient {
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

function ioRedis(client: IoRedisClient): PubSubClient {
  return {
    // one that waits for its first command connects by it
    isReady: () => client.status === "ready" || client.status === "wait",
    publish: (channel, message) => client.publish(channel, message),
    listen: (listener) => listenTo(client, listener),
    subscriber(listener, message) {
      const own = client.duplicate() as IoRedisDuplicate;
      own.on("messageBuffer", (channel, bytes) => message(String(channel), bytes as Buffer));
      listenTo(own, listener);
      return {
        isReady: () => own.status === "ready",
        subscribe: (channel) => own.subscribe(channel),
        unsubscribe: (channel) => own.unsubscribe(channel),
        close: () => own.disconnect(),
      };
    },
  };
}

function listenTo(client: Pick<NodeRedisClient, "on" | "off">, { ready, failed }: ConnectionListener): () => void {
  client.on("ready", ready);
  client.on("error", failed);
  return () => {
    client.off("ready", ready);
    client.off("error", failed);
  };
}
