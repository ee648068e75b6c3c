/**
 * The configuration for tests, benchmarks and scripts. What the packages and the demo need is in `deno.json`; whatever
 * else this repository imports is in `tests/deno.json`, with a lock file of its own: `deno task` downloads all that
 * `deno.json` names, and whoever starts the demo should not have to wait for it.
 */
import { fileURLToPath } from "node:url";

/** Its path. */
export const TESTS_CONFIG: string = fileURLToPath(new URL("../tests/deno.json", import.meta.url));

/** Path of its lock file. */
export const TESTS_LOCK: string = fileURLToPath(new URL("../tests/deno.lock", import.meta.url));

/**
 * All that this repository imports.
 *
 * @returns Addresses by names
 */
export async function allImports(): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const folder of ["tests", ...await packageFolders()]) {
    const config = new URL(`../${folder}/deno.json`, import.meta.url);
    const { imports = {} } = JSON.parse(await Deno.readTextFile(config)) as { imports?: Record<string, string> };
    for (const [name, target] of Object.entries(imports)) {
      all[name] = target.startsWith(".") ? new URL(target, config).href : target;
    }
  }
  return all;
}

/** Paths of the folders of the packages, published or not, relative to the root. */
export async function packageFolders(): Promise<string[]> {
  const config = new URL("../deno.json", import.meta.url);
  const { workspace } = JSON.parse(await Deno.readTextFile(config)) as { workspace: string[] };
  return [".", ...workspace];
}
