import { fileURLToPath } from "node:url";

const ROOT = new URL("../../", import.meta.url);
const LOCK = new URL(".cache/bench/deno.lock", ROOT);

let copied = false;

/**
 * Arguments with which a benchmark runs a program of this repository: with the versions in a copy of its lock file,
 * since Deno would add to the committed one if JSR is reachable.
 *
 * @param flags Flags for Deno, besides these
 * @returns Arguments before the program's own
 */
export function denoRun(...flags: readonly string[]): string[] {
  if (!copied) {
    Deno.mkdirSync(new URL(".", LOCK), { recursive: true });
    Deno.copyFileSync(new URL("deno.lock", ROOT), LOCK);
    copied = true;
  }
  return ["run", "-A", "--quiet", "--no-check", `--lock=${fileURLToPath(LOCK)}`, ...flags];
}
