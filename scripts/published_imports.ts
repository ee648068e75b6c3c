import { fileURLToPath } from "node:url";
import { LIBRARY_FOLDERS } from "./packages.ts";
import { offlineImports } from "./std.ts";

/**
 * Writes an import map that points the packages' names to their builds, for programs in this repository.
 *
 * @param folder Where the packages were built
 * @returns Path of the map
 */
export async function publishedImports(folder: URL): Promise<string> {
  const imports = await offlineImports();
  for (const path of LIBRARY_FOLDERS) {
    const built = new URL(path, folder);
    const manifest = await Deno.readTextFile(new URL("deno.json", built)).catch((error) => {
      // an older checkout, used for comparison by a benchmark, has fewer packages
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    });
    if (manifest === null) continue;
    const { name, exports } = JSON.parse(manifest);
    for (const [entry, path] of Object.entries<string>(exports)) {
      imports[name + entry.slice(1)] = new URL(path, built).href;
    }
  }
  const map = new URL("imports.json", folder);
  await Deno.writeTextFile(map, JSON.stringify({ imports }));
  return fileURLToPath(map);
}
