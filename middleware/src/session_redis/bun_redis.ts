import type { SessionCommands } from "./session_commands.ts";

/** The part of Bun's own client used here: `new RedisClient()`, or `redis`. */
export interface BunRedisClient {
  /** Sends any command. */
  send(command: string, args: string[]): Promise<unknown>;
  /** Whether it is connected; only used to recognise the kind of client. */
  readonly connected: boolean;
}

/** The commands for Bun's client. */
export function bunCommands(client: BunRedisClient): SessionCommands {
  return {
    get: (key) => client.send("GET", [key]),
    set: (key, content, ttlMs) => client.send("SET", [key, content, "PX", `${ttlMs}`]),
    replace: (key, content, ttlMs) => client.send("SET", [key, content, "PX", `${ttlMs}`, "XX"]),
    del: (key) => client.send("DEL", [key]),
    expire: (key, ttlMs) => client.send("PEXPIRE", [key, `${ttlMs}`]),
  };
}
