import { startServer } from "../tests/support/redis_servers.ts";
import { aptInstall } from "./apt.ts";
import { run } from "./process.ts";

/** A redis-server for the tests. */
export interface TestRedis {
  /** Where it listens. */
  readonly url: string;
  /** Stops it. */
  stop(): Promise<void>;
}

/**
 * Finds or installs redis-server and starts one on a free port of this machine.
 *
 * @returns The server, or why there is none
 */
export async function startRedis(): Promise<TestRedis | string> {
  const given = Deno.env.get("REDIS_URL");
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() };
  if (!await isInstalled() && !(await aptInstall(["redis-server"], 300_000) && await isInstalled())) {
    return "no redis-server, and apt-get could not install one";
  }
  try {
    return await startServer();
  } catch (error) {
    return `redis-server did not start: ${error instanceof Error ? error.message : error}`;
  }
}

async function isInstalled(): Promise<boolean> {
  return (await run("redis-server", ["--version"], { limitMs: 5000, quiet: true })).code === 0;
}
