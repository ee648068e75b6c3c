/** The packages as they are published, which is what programs load; benchmarks measure them, not the sources. */
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/build.ts";
import { offlineImports } from "../../scripts/std.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDER = new URL(".cache/bench/published/", ROOT);

/**
 * Builds the packages.
 *
 * @returns Path of an import map with which their names lead to what was built
 */
export async function publishedImports(): Promise<string> {
  await buildPackages(FOLDER);
  const imports = await offlineImports();
  for (const folder of [FOLDER, new URL("advanced/", FOLDER)]) {
    const { name, exports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", folder)));
    for (const [entry, path] of Object.entries<string>(exports)) {
      imports[name + entry.slice(1)] = new URL(path, folder).href;
    }
  }
  const map = new URL("imports.json", FOLDER);
  await Deno.writeTextFile(map, JSON.stringify({ imports }));
  return fileURLToPath(map);
}
