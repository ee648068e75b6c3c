/**
 * The configuration for tests, benchmarks and scripts. Dependencies of the packages and the demo are in `deno.json`;
 * all other dependencies are in `tests/deno.json`, with its own lock file. `deno task` downloads everything in
 * `deno.json`, and starting the demo should not have to wait for test dependencies.
 */
import { fileURLToPath } from "node:url";

/** Its path. */
export const TESTS_CONFIG: string = fileURLToPath(new URL("../tests/deno.json", import.meta.url));

/** Its lock file's path. */
export const TESTS_LOCK: string = fileURLToPath(new URL("../tests/deno.lock", import.meta.url));

/**
 * Returns all of this repository's imports.
 *
 * @returns Import targets by name
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

/** Folders of all packages, published or not, relative to the root. */
export async function packageFolders(): Promise<string[]> {
  const config = new URL("../deno.json", import.meta.url);
  const { workspace } = JSON.parse(await Deno.readTextFile(config)) as { workspace: string[] };
  return [".", ...workspace];
}
