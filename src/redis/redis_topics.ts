import { isThenable } from "../util/is_thenable.ts";
import { checkNames, checkType, type OptionNames } from "../util/check_option.ts";
import { guardClient } from "../util/guard_client.ts";
import type { TopicBroker } from "../websocket/topic_broker.ts";
import { ioRedis, type IoRedisClient } from "./ioredis.ts";
import { nodeRedis, type NodeRedisClient } from "./node_redis.ts";
import type { PubSubClient } from "./pubsub_client.ts";
import { RedisBroker } from "./redis_broker.ts";

/**
 * Options for topics sent through Redis.
 *
 * @example Two programs that share a Redis
 * ```ts ignore
 * app.connections.use(redisTopics(client, { prefix: "shop:" }));
 * ```
 */
export interface RedisTopicsOptions {
  /** Prefix for the channels, `"sluice:"` by default; use different prefixes to separate applications. */
  prefix?: string;
}

const NAMES: OptionNames<RedisTopicsOptions> = { prefix: true };

/**
 * Connects WebSocket topics across the application's processes through Redis.
 *
 * A message reaches subscribers in this process at once, as without Redis, and those in other processes at most once.
 * While Redis is unreachable, other processes get nothing, and nothing is sent later. Subscriptions are restored with
 * the connection. An outage does not crash the process: the client's `error` events go to the application's listeners.
 *
 * It publishes through the client, which must be connected, and opens a second connection for its subscriptions.
 * `app.close()` closes this second connection.
 *
 * @param client A client from `npm:redis` 5 or later, or from `npm:ioredis`
 * @param options Prefix for the channels
 * @returns The broker for `app.connections.use`
 * @throws {TypeError} If the client is of neither kind, or an option is unknown or not a string
 *
 * @example Topics across processes
 * ```ts ignore
 * import { createClient } from "redis";
 * import { redisTopics } from "@sluice/sluice/redis";
 *
 * const client = await createClient({ url: "redis://127.0.0.1:6379" }).connect();
 * app.connections.use(redisTopics(client));
 * ```
 */
export function redisTopics(client: NodeRedisClient | IoRedisClient, options: RedisTopicsOptions = {}): TopicBroker {
  checkNames("redisTopics", options, NAMES);
  const { prefix = "sluice:" } = options;
  checkType("redisTopics", "prefix", prefix, "string");
  return new RedisBroker(pubSubClientOf(client), prefix, guardClient("redisTopics", client));
}

function pubSubClientOf(client: NodeRedisClient | IoRedisClient): PubSubClient {
  if (typeof client === "object" && client !== null && "duplicate" in client && "publish" in client) {
    // node-redis clusters do not report on their subscribing connection; version 4 has no destroy()
    if ("pSubscribe" in client && !("masters" in client) && "destroy" in client) return nodeRedis(client);
    // Bun's own client also has the commands, but does not report on its connection
    if ("psubscribe" in client && "on" in client) return ioRedis(client);
  }
  // an address may contain a password, and errors are logged
  const shown = isThenable(client)
    ? "a promise: await it"
    : typeof client === "string"
    ? "an address: connect a client to it"
    : client === Object(client)
    ? "this object"
    : String(client);
  throw new TypeError(
    "redisTopics expects a client of npm:redis 5 or later (in a cluster, of one node), or of npm:ioredis, not " + shown,
  );
}
