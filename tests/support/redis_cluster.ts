import { type RedisServer, startServer } from "./redis_servers.ts";
import { until } from "./until.ts";

/** A Redis cluster with three primaries. `await using` stops it. */
export interface RedisCluster extends AsyncDisposable {
  readonly nodes: readonly RedisServer[];
  readonly urls: readonly string[];
  /** Stops them all. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster with three primaries on 127.0.0.1 and waits until every node accepts commands.
 *
 * @returns The cluster
 */
export async function startCluster(): Promise<RedisCluster> {
  // nodes discover each other within half this time: with 2000 ms, startup took up to 9 s
  const options = { args: ["--cluster-enabled", "yes"], config: "cluster-node-timeout 500\n" };
  const starts = await Promise.allSettled([startServer(options), startServer(options), startServer(options)]);
  const nodes = starts.flatMap((start) => start.status === "fulfilled" ? [start.value] : []);
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
  };
  try {
    for (const start of starts) if (start.status === "rejected") throw start.reason;
    await join(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, urls: nodes.map((node) => node.url), stop, [Symbol.asyncDispose]: stop };
}

async function join(nodes: readonly RedisServer[]): Promise<void> {
  const addresses = nodes.map((node) => `127.0.0.1:${node.port}`);
  await nodes[0]!.cli("--cluster", "create", ...addresses, "--cluster-replicas", "0", "--cluster-yes");
  for (const node of nodes) {
    await until(
      async () => (await node.cli("CLUSTER", "INFO")).includes("cluster_state:ok"),
      `cluster_state:ok on port ${node.port}`,
    );
  }
  // from here on, even after a restart, a busy machine must not look like a lost node
  for (const node of nodes) {
    await node.cli("CONFIG", "SET", "cluster-node-timeout", "2000");
    await node.cli("CONFIG", "REWRITE");
  }
}
