import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/build.ts";
import { publishedImports } from "../../scripts/published_imports.ts";

const ROOT = new URL("../../", import.meta.url);
const PUBLISHED = new URL(".cache/bench/published/", ROOT);
const LOCK = new URL(".cache/bench/deno.lock", ROOT);

await buildPackages(PUBLISHED);
await Deno.copyFile(new URL("deno.lock", ROOT), LOCK);

/**
 * Flags with which a benchmark's programs import Sluice as it is published, and everything else in the versions of a copy
 * of the lock file, since Deno would add to the committed one if JSR is reachable.
 */
export const PACKAGE_FLAGS: readonly string[] = [
  `--import-map=${await publishedImports(PUBLISHED)}`,
  `--lock=${fileURLToPath(LOCK)}`,
];

/**
 * Arguments with which a benchmark runs a program of this repository.
 *
 * @param flags Flags for Deno, besides these
 * @returns Arguments before the program's own
 */
export function denoRun(...flags: readonly string[]): string[] {
  return ["run", "-A", "--quiet", "--no-check", ...PACKAGE_FLAGS, ...flags];
}
