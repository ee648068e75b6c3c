/**
 * Modules with two versions in the npm package: the condition `workerd`, set only by bundlers for Workers, omits code
 * that Workers cannot run (docs/decisions/0012-the-size-of-the-core.md).
 */
import { allImports } from "./tests_config.ts";

const ROOT = new URL("../", import.meta.url);

/** Module paths below the root, with their Workers versions, which export the same names. */
export const WORKERD_MODULES: Readonly<Record<string, string>> = {
  "src/app/open_server.ts": "src/app/open_server_workerd.ts",
  "src/platform/runtimes.ts": "src/platform/runtimes_workerd.ts",
};

/** Returns an import map with which Deno's bundler bundles this repository's sources as for Workers. */
export async function workerdImportMap(): Promise<string> {
  const replaced = Object.entries(WORKERD_MODULES).map((paths) => paths.map((path) => new URL(path, ROOT).href));
  return JSON.stringify({ imports: { ...await allImports(), ...Object.fromEntries(replaced) } });
}
