import { type RedisServer, startServer } from "./redis_servers.ts";
import { until } from "./until.ts";

/** A primary and its replica, monitored by a sentinel. `await using` stops them. */
export interface RedisSentinel extends AsyncDisposable {
  /** The primary at the start. */
  readonly primary: RedisServer;
  /** Its replica at the start. */
  readonly replica: RedisServer;
  /** The sentinel, and its address. */
  readonly sentinel: { readonly host: string; readonly port: number; readonly server: RedisServer };
  /** The sentinel's name for the primary. */
  readonly name: "main";
  /** Stops all three. */
  stop(): Promise<void>;
}

/**
 * Starts a primary, a replica and a sentinel on 127.0.0.1 and waits until they have found each other.
 *
 * @returns The three
 */
export async function startSentinel(): Promise<RedisSentinel> {
  await using started = new AsyncDisposableStack();
  const primary = started.use(await startServer());
  const replica = started.use(await startServer({ args: ["--replicaof", "127.0.0.1", String(primary.port)] }));
  // before the sentinel starts: it polls a replica's state only occasionally
  await until(
    async () =>
      (await replica.cli("INFO", "replication")).includes("master_link_status:up") &&
      (await primary.cli("INFO", "replication")).includes("state=online"),
    "a replica in sync",
  );
  const watching = started.use(await startServer({ args: ["--sentinel"], config: configuration(primary.port) }));
  await until(
    async () => {
      const replicas = (await watching.cli("SENTINEL", "REPLICAS", "main")).split("\n");
      return replicas.includes(`127.0.0.1:${replica.port}`) &&
        replicas[replicas.indexOf("master-link-status") + 1] === "ok";
    },
    "a sentinel that sees the replica",
  );
  const kept = started.move();
  const stop = () => kept.disposeAsync();
  const sentinel = { host: "127.0.0.1", port: watching.port, server: watching };
  return { primary, replica, sentinel, name: "main", stop, [Symbol.asyncDispose]: stop };
}

function configuration(port: number): string {
  return [
    `sentinel monitor main 127.0.0.1 ${port} 1`,
    "sentinel down-after-milliseconds main 500",
    "sentinel failover-timeout main 2000",
    "",
  ].join("\n");
}
