import { checkNames, checkType, describe, guardClient, isThenable, type OptionNames } from "@sluice/shared";
import type { SessionStore, SetSessionOptions } from "../session/session_store.ts";
import { bunCommands, type BunRedisClient } from "./bun_redis.ts";
import { type IoRedisClient, ioRedisCommands } from "./ioredis.ts";
import { type NodeRedisClient, nodeRedisCommands } from "./node_redis.ts";
import type { SessionCommands } from "./session_commands.ts";

/** A client that a {@linkcode RedisSessionStore} accepts. */
export type RedisClient = NodeRedisClient | IoRedisClient | BunRedisClient;

/**
 * Options of a {@linkcode RedisSessionStore}.
 *
 * @example Keys below a prefix
 * ```ts ignore
 * app.use(session({ store: new RedisSessionStore({ client, prefix: "shop:sessions:" }) }));
 * ```
 */
export interface RedisSessionStoreOptions {
  /**
   * The program's own client, from npm's `redis` 5 or later, npm's `ioredis`, or Bun; it is never closed. Its `error`
   * events are logged, unless the program listens for them.
   */
  client: RedisClient;
  /** Prefix of the keys, `"session:"` by default. */
  prefix?: string;
}

const NAMES: OptionNames<RedisSessionStoreOptions> = { client: true, prefix: true };

/**
 * Sessions in Redis, or a server that speaks its protocol: one key each, which expires on its own.
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
 */
export class RedisSessionStore implements SessionStore {
  readonly #commands: SessionCommands;
  readonly #prefix: string;

  /**
   * Creates an instance.
   *
   * @param options Client and prefix
   * @throws {TypeError} If the client is not a supported one, or an option is unknown
   */
  constructor(options: RedisSessionStoreOptions) {
    checkNames("RedisSessionStore", options, NAMES);
    const { client, prefix = "session:" } = options;
    checkType("RedisSessionStore", "prefix", prefix, "string");
    this.#commands = commandsOf(client);
    guardClient("RedisSessionStore", client);
    this.#prefix = prefix;
  }

  /** Reads a session; see {@linkcode SessionStore}. */
  async get(id: string): Promise<string | null> {
    const content = await this.#commands.get(this.#prefix + id);
    // clients can be configured to return Buffers
    return content === null || content === undefined ? null : String(content);
  }

  /** Writes a session; see {@linkcode SessionStore}. */
  async set(id: string, content: string, { ttlMs, isNew }: SetSessionOptions): Promise<boolean> {
    const key = this.#prefix + id;
    const { set, replace } = this.#commands;
    const reply = await (isNew ? set(key, content, ttlMs) : replace(key, content, ttlMs));
    return reply !== null;
  }

  /** Deletes a session; see {@linkcode SessionStore}. */
  async destroy(id: string): Promise<void> {
    await this.#commands.del(this.#prefix + id);
  }

  /** Prolongs a session; see {@linkcode SessionStore}. */
  async touch(id: string, ttlMs: number): Promise<boolean> {
    return Number(await this.#commands.expire(this.#prefix + id, ttlMs)) === 1;
  }
}

function commandsOf(client: RedisClient): SessionCommands {
  if (typeof client === "object" && client !== null) {
    if ("pExpire" in client) return nodeRedisCommands(client);
    if ("send" in client && "connected" in client) return bunCommands(client);
    if ("pexpire" in client && "psubscribe" in client) return ioRedisCommands(client);
  }
  // a URL may contain a password, and errors are logged
  const isText = typeof client === "string";
  const given = isThenable(client) ? "a promise: await it" : isText ? "an address" : describe(client);
  throw new TypeError(
    "RedisSessionStore: option client must be a client of npm:redis 5 or later, of npm:ioredis, or Bun's own, not " +
      given,
  );
}
