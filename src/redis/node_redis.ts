import type { Buffer } from "node:buffer";
import { listenTo, type PubSubClient } from "./pubsub_client.ts";

/** The part of an `npm:redis` (node-redis) client used here, version 5 or later: `createClient()`. */
export interface NodeRedisClient {
  /** Whether commands reach the server. */
  readonly isReady: boolean;
  /** Creates a client with the same options, not yet connected. */
  duplicate(): unknown;
  /** Sends `PUBLISH`. */
  publish(channel: string, message: Buffer): Promise<unknown>;
  /** Subscribes to a pattern; only used to recognize the kind of client. */
  pSubscribe(...args: never[]): Promise<unknown>;
  /** Adds a listener. */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  /** Removes a listener. */
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A second node-redis client. */
interface NodeRedisDuplicate extends NodeRedisClient {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  subscribe(channel: string, listener: (message: Buffer, channel: Buffer) => void, buffers: true): Promise<unknown>;
  unsubscribe(channel: string, listener: (message: Buffer, channel: Buffer) => void, buffers: true): Promise<unknown>;
}

/** A node-redis client behind the common interface. */
export function nodeRedis(client: NodeRedisClient): PubSubClient {
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
          // a connection attempt cannot be cancelled
          own.on("ready", () => own.destroy());
          if (own.isOpen) own.destroy();
        },
      };
    },
  };
}
