import { findOrInstall } from "./apt.ts";
import { run } from "./process.ts";

/**
 * Finds or installs wrk, the benchmarks' load generator.
 *
 * @returns Whether it is available
 */
export async function installWrk(): Promise<boolean> {
  return await findOrInstall(findWrk, ["wrk"]) !== undefined;
}

async function findWrk(): Promise<string | undefined> {
  // it prints its usage with its version, and fails
  const { code } = await run("wrk", ["--version"], { limitMs: 5000, quiet: true });
  return code === 127 ? undefined : "wrk";
}
