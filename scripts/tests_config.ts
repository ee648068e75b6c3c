/**
 * The configuration for tests, benchmarks and scripts. What the packages and the demo need is in `deno.json`; whatever
 * else this repository imports is in `tests/deno.json`, with a lock file of its own: `deno task` downloads all that
 * `deno.json` names, and whoever starts the demo should not have to wait for it.
 */
import { fileURLToPath } from "node:url";

/** Its path. */
export const TESTS_CONFIG: string = fileURLToPath(new URL("../tests/deno.json", import.meta.url));

/** The packages of this repository. */
const PACKAGE_FOLDERS = ["", "advanced/", "create/"];

/** Path of its lock file. */
export const TESTS_LOCK: string = fileURLToPath(new URL("../tests/deno.lock", import.meta.url));

/**
 * All that this repository imports.
 *
 * @returns Addresses by names
 */
export async function allImports(): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const folder of ["tests/", ...PACKAGE_FOLDERS]) {
    const config = new URL(`../${folder}deno.json`, import.meta.url);
    const { imports = {} } = JSON.parse(await Deno.readTextFile(config)) as { imports?: Record<string, string> };
    for (const [name, target] of Object.entries(imports)) {
      all[name] = target.startsWith(".") ? new URL(target, config).href : target;
    }
  }
  return all;
}
