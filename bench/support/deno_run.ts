import { fileURLToPath } from "node:url";
import { publishedImports } from "./published.ts";

const ROOT = new URL("../../", import.meta.url);
const LOCK = new URL(".cache/bench/deno.lock", ROOT);

/**
 * Flags with which the imports of a benchmark's programs lead to Sluice as it is published, and to the versions in a copy
 * of the lock file, since Deno would add to the committed one if JSR is reachable.
 */
export const PACKAGE_FLAGS: readonly string[] = [
  `--import-map=${await publishedImports()}`,
  `--lock=${fileURLToPath(LOCK)}`,
];

await Deno.copyFile(new URL("deno.lock", ROOT), LOCK);

/**
 * Arguments with which a benchmark runs a program of this repository.
 *
 * @param flags Flags for Deno, besides these
 * @returns Arguments before the program's own
 */
export function denoRun(...flags: readonly string[]): string[] {
  return ["run", "-A", "--quiet", "--no-check", ...PACKAGE_FLAGS, ...flags];
}
