import type { Buffer } from "node:buffer";
import { listenTo, type PubSubClient } from "./pubsub_client.ts";

/** The part of an `npm:ioredis` client used here: `new Redis()` or `new Cluster()`. */
export interface IoRedisClient {
  /** `"ready"` when commands reach the server. */
  readonly status: string;
  /** Creates and connects a client with the same options except the given ones; on a cluster, it accepts no options. */
  duplicate(options?: never): unknown;
  /** Sends `PUBLISH`. */
  publish(channel: string, message: Buffer): Promise<unknown>;
  /** A cluster's nodes. */
  nodes?(role: "master"): Pick<IoRedisClient, "publish">[];
  /** Subscribes to a pattern; only used to recognize the kind of client. */
  psubscribe(...args: never[]): Promise<unknown>;
  /** Adds a listener. */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  /** Removes a listener. */
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A second ioredis client. */
interface IoRedisDuplicate extends IoRedisClient {
  connect(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

/** An ioredis client behind the common interface. */
export function ioRedis(client: IoRedisClient): PubSubClient {
  return {
    // a client in state "wait" connects on its first command
    isReady: () => client.status === "ready" || client.status === "wait",
    // always the same node: a cluster would pick one per message, which could reorder messages
    publish: (channel, message) => (client.nodes?.("master")[0] ?? client).publish(channel, message),
    listen: (listener) => listenTo(client, listener),
    subscriber(listener, message) {
      // if it resubscribed itself and Redis refused, the unhandled rejection would crash the process
      const options = client.nodes === undefined ? { autoResubscribe: false } : undefined;
      const own = client.duplicate(options as never) as IoRedisDuplicate;
      own.on("messageBuffer", (channel, bytes) => message(String(channel), bytes as Buffer));
      listenTo(own, listener);
      // if Redis closes a slow subscriber's connection, ioredis emits no error
      own.on("close", () => listener.failed(new Error("the subscriber connection was closed")));
      if (own.status === "wait") own.connect().catch(listener.failed);
      return {
        isReady: () => own.status === "ready",
        subscribe: (channel) => own.subscribe(channel),
        unsubscribe: (channel) => own.unsubscribe(channel),
        close: () => own.disconnect(),
      };
    },
  };
}
