import type { Buffer } from "node:buffer";
import { listenTo, type PubSubClient } from "./pubsub_client.ts";

/** A client of `npm:ioredis`, as far as it is used: `new Redis()` or `new Cluster()`. */
export interface IoRedisClient {
  /** `"ready"` when commands reach the server. */
  readonly status: string;
  /** Makes a client with the same options but for the given ones, and connects it; one of a cluster takes none. */
  duplicate(options?: never): unknown;
  /** Sends `PUBLISH`. */
  publish(channel: string, message: Buffer): Promise<unknown>;
  /** Nodes of a cluster. */
  nodes?(role: "master"): Pick<IoRedisClient, "publish">[];
  /** Follows a pattern; here it only tells one kind of client from the other. */
  psubscribe(...args: never[]): Promise<unknown>;
  /** Adds a listener. */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  /** Takes a listener away. */
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A second client of ioredis. */
interface IoRedisDuplicate extends IoRedisClient {
  connect(): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

/** A client of ioredis under the common face. */
export function ioRedis(client: IoRedisClient): PubSubClient {
  return {
    // one that waits for its first command connects by it
    isReady: () => client.status === "ready" || client.status === "wait",
    // a cluster would choose a node for each message, and the later one might be there first
    publish: (channel, message) => (client.nodes?.("master")[0] ?? client).publish(channel, message),
    listen: (listener) => listenTo(client, listener),
    subscriber(listener, message) {
      // it would follow again by itself, and end the process where Redis forbids it: nobody has the promise
      const options = client.nodes === undefined ? { autoResubscribe: false } : undefined;
      const own = client.duplicate(options as never) as IoRedisDuplicate;
      own.on("messageBuffer", (channel, bytes) => message(String(channel), bytes as Buffer));
      listenTo(own, listener);
      // one that Redis ends, for a follower that is too slow, is no error to ioredis
      own.on("close", () => listener.failed(new Error("the connection that follows channels was closed")));
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
