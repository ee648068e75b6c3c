/**
 * Modules that the package for npm has in two versions: under the condition `workerd`, which only bundlers for Workers
 * set, it leaves out what Workers cannot run (docs/decisions/0012-the-size-of-the-core.md).
 */
import { allImports } from "./tests_config.ts";

const ROOT = new URL("../", import.meta.url);

/** Paths of the modules below the root, with those of the versions for Workers, which export the same names. */
export const WORKERD_MODULES: Readonly<Record<string, string>> = {
  "src/app/open_server.ts": "src/app/open_server_workerd.ts",
  "src/platform/runtimes.ts": "src/platform/runtimes_workerd.ts",
};

/** An import map for Deno's bundler by which sources of this repository are bundled as for Workers. */
export async function workerdImportMap(): Promise<string> {
  const replaced = Object.entries(WORKERD_MODULES).map((paths) => paths.map((path) => new URL(path, ROOT).href));
  return JSON.stringify({ imports: { ...await allImports(), ...Object.fromEntries(replaced) } });
}
