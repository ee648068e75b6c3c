import type { SessionCommands } from "./session_commands.ts";

/**
 * The part used here of a client from npm's `redis` (node-redis) 5 or later: for one server, a cluster or sentinels.
 */
export interface NodeRedisClient {
  /** Sends `GET`. */
  get(key: string): Promise<unknown>;
  /** Sends `SET`. */
  set(
    key: string,
    content: string,
    options: { expiration: { type: "PX"; value: number }; condition?: "XX" },
  ): Promise<unknown>;
  /** Sends `DEL`. */
  del(key: string): Promise<unknown>;
  /** Sends `PEXPIRE`. */
  pExpire(key: string, ttlMs: number): Promise<unknown>;
}

/** The commands for node-redis. */
export function nodeRedisCommands(client: NodeRedisClient): SessionCommands {
  const lasting = (value: number) => ({ type: "PX", value }) as const;
  return {
    get: (key) => client.get(key),
    set: (key, content, ttlMs) => client.set(key, content, { expiration: lasting(ttlMs) }),
    replace: (key, content, ttlMs) => client.set(key, content, { expiration: lasting(ttlMs), condition: "XX" }),
    del: (key) => client.del(key),
    expire: (key, ttlMs) => client.pExpire(key, ttlMs),
  };
}
