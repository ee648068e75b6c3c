import { startMemcached, type TestMemcached } from "../tests/support/memcached_server.ts";
import { aptInstall } from "./apt.ts";
import { run } from "./process.ts";

/**
 * Finds or installs Memcached and starts a server on a free port of this machine.
 *
 * @returns The server, or why there is none
 */
export async function startTestMemcached(): Promise<TestMemcached | string> {
  const given = Deno.env.get("MEMCACHED_ADDRESS");
  if (given !== undefined) return { address: given, stop: () => Promise.resolve() };
  if (!await isInstalled() && !(await aptInstall(["memcached"], 300_000) && await isInstalled())) {
    return "not installed, and apt-get could not install it";
  }
  try {
    return await startMemcached();
  } catch (error) {
    return `it did not start: ${error instanceof Error ? error.message : error}`;
  }
}

async function isInstalled(): Promise<boolean> {
  return (await run("memcached", ["--version"], { limitMs: 5000, quiet: true })).code === 0;
}
