/**
 * Sessions in Redis, over the program's own client.
 *
 * @example Sessions in Redis
 * ```ts ignore
 * import { createClient } from "redis";
 * import { session } from "@sluice/middleware/session";
 * import { RedisSessionStore } from "@sluice/middleware/session/redis";
 *
 * // otherwise requests would wait for as long as Redis is away
 * const client = createClient({ url: process.env.REDIS_URL, disableOfflineQueue: true });
 * client.on("error", console.error);
 * await client.connect();
 * app.use(session({ store: new RedisSessionStore({ client }) }));
 * ```
 *
 * @module
 */
export {
  type RedisClient,
  RedisSessionStore,
  type RedisSessionStoreOptions,
} from "./src/session_redis/redis_session_store.ts";
export type { BunRedisClient } from "./src/session_redis/bun_redis.ts";
export type { IoRedisClient } from "./src/session_redis/ioredis.ts";
export type { NodeRedisClient } from "./src/session_redis/node_redis.ts";
export type { SessionStore, SetSessionOptions } from "./src/session/session_store.ts";
