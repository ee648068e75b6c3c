import type { SessionCommands } from "./session_commands.ts";

/** The part of a client from npm's `ioredis` used here: `new Redis()` or `new Cluster()`. */
export interface IoRedisClient {
  /** Sends `GET`. */
  get(key: string): Promise<unknown>;
  /** Sends `SET`. */
  set(key: string, content: string, px: "PX", ttlMs: number): Promise<unknown>;
  /** Sends `SET` with a condition. */
  set(key: string, content: string, px: "PX", ttlMs: number, xx: "XX"): Promise<unknown>;
  /** Sends `DEL`. */
  del(key: string): Promise<unknown>;
  /** Sends `PEXPIRE`. */
  pexpire(key: string, ttlMs: number): Promise<unknown>;
  /** Subscribes to a pattern; only used to recognise the kind of client. */
  psubscribe(...args: never[]): Promise<unknown>;
}

/** The commands for ioredis. */
export function ioRedisCommands(client: IoRedisClient): SessionCommands {
  return {
    get: (key) => client.get(key),
    set: (key, content, ttlMs) => client.set(key, content, "PX", ttlMs),
    replace: (key, content, ttlMs) => client.set(key, content, "PX", ttlMs, "XX"),
    del: (key) => client.del(key),
    expire: (key, ttlMs) => client.pexpire(key, ttlMs),
  };
}
