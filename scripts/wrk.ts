import { aptInstall } from "./apt.ts";
import { run } from "./process.ts";

/**
 * Finds or installs wrk, which loads servers for the benchmarks.
 *
 * @returns Whether it is there
 */
export async function installWrk(): Promise<boolean> {
  return await isInstalled() || (await aptInstall(["wrk"], 300_000) && await isInstalled());
}

async function isInstalled(): Promise<boolean> {
  // with its version it prints how it is used, and fails
  return (await run("wrk", ["--version"], { limitMs: 5000, quiet: true })).code !== 127;
}
