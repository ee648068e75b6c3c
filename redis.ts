/**
 * WebSocket topics shared between processes through Redis.
 *
 * Bring your own client, from `npm:redis` or `npm:ioredis`.
 *
 * @example A chat across several processes
 * ```ts ignore
 * import { createClient } from "redis";
 * import sluice from "@sluice/sluice";
 * import { redisTopics } from "@sluice/sluice/redis";
 *
 * const app = sluice();
 * const client = await createClient().connect();
 * app.connections.use(redisTopics(client));
 * app.ws("/chat/:room", {
 *   open: (ws) => ws.subscribe(ws.data.params.room),
 *   message: (ws, text) => ws.publish(ws.data.params.room, text),
 * });
 * ```
 *
 * @module
 */
// every program imports it, so bundlers keep what the entries share in one module (docs/decisions/0013-start.md)
import "./mod.ts";
export type { IoRedisClient } from "./src/redis/ioredis.ts";
export type { NodeRedisClient } from "./src/redis/node_redis.ts";
export { redisTopics, type RedisTopicsOptions } from "./src/redis/redis_topics.ts";
export type { TopicBroker, TopicHost } from "./src/websocket/topic_broker.ts";
