import type { Buffer } from "node:buffer";
import { listenTo, type PubSubClient } from "./pubsub_client.ts";

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

/** A second client of node-redis. */
interface NodeRedisDuplicate extends NodeRedisClient {
  readonly isOpen: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  subscribe(channel: string, listener: (message: Buffer, channel: Buffer) => void, buffers: true): Promise<unknown>;
  unsubscribe(channel: string, listener: (message: Buffer, channel: Buffer) => void, buffers: true): Promise<unknown>;
}

/** A client of node-redis under the common face. */
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
          // one that is being made cannot be called off
          own.on("ready", () => own.destroy());
          if (own.isOpen) own.destroy();
        },
      };
    },
  };
}
