import { cp, mkdir, readdir } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rewrite } from "./rewrite.ts";

const ROOT = new URL("../", import.meta.url);

/** Packages that nobody publishes: the engine of both limiters, and what all packages share. */
const INTERNAL = ["limiting/", "shared/"];

/** Where a package has its copy, with the paths that the files have in this repository. */
const COPY = "internal/";

/**
 * Copies internal packages into one that imports them by name, with those of the framework's files that they import,
 * and makes these imports lead to the copy. A package that has them among its own folders needs none.
 *
 * @param folder The package
 */
export async function copyInternals(folder: URL): Promise<void> {
  const entries = new Map<string, string>();
  for (const internal of INTERNAL) {
    const { name, exports } = JSON.parse(await Deno.readTextFile(new URL(`${internal}deno.json`, ROOT)));
    entries.set(name, internal + exports["."].slice("./".length));
  }
  const copied = new Set<string>();
  for (const path of await sources(folder)) {
    const file = new URL(path, folder);
    await rewrite(file, (text) =>
      text.replaceAll(/(?<=\bfrom )"([^"]+)"/g, (whole, specifier) => {
        const entry = entries.get(specifier);
        if (entry === undefined) return whole;
        copied.add(entry);
        const shown = relative(dirname(path), COPY + entry);
        return `"${shown.startsWith(".") ? shown : `./${shown}`}"`;
      }));
  }
  if (copied.size === 0) return;
  // a set that grows is iterated to its end
  for (const path of copied) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    for (const [, specifier] of text.matchAll(/\bfrom "(\.[^"]+)"/g)) {
      copied.add(relative(fileURLToPath(ROOT), fileURLToPath(new URL(specifier!, new URL(path, ROOT)))));
    }
    const copy = new URL(COPY + path, folder);
    await mkdir(new URL("./", copy), { recursive: true });
    await cp(new URL(path, ROOT), copy);
  }
  await rewrite(new URL("deno.json", folder), (text) => {
    const manifest = JSON.parse(text);
    manifest.publish.include.push(COPY);
    return JSON.stringify(manifest, null, 2);
  });
}

async function sources(folder: URL): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true });
  return paths.filter((path) => path.endsWith(".ts") && !path.startsWith("node_modules/"));
}
