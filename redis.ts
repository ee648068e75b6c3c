/**
 * Topics of WebSockets across processes, through Redis.
 *
 * It brings no client of its own: pass one of `npm:redis` or `npm:ioredis`.
 *
 * @example A chat in several processes
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
// every program has it: what the entries share is then one module of the bundle (docs/decisions/0013-start.md)
import "./mod.ts";
export type { IoRedisClient } from "./src/redis/ioredis.ts";
export type { NodeRedisClient } from "./src/redis/node_redis.ts";
export { redisTopics, type RedisTopicsOptions } from "./src/redis/redis_topics.ts";
export type { TopicBroker, TopicHost } from "./src/websocket/topic_broker.ts";
