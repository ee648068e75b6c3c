import { cp, mkdir, readdir } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { rewrite } from "./rewrite.ts";

const ROOT = new URL("../", import.meta.url);

/** Unpublished packages: both limiters' engine, and code shared by all packages. */
const INTERNAL = ["limiting/", "shared/"];

/** The copy's folder in a package, with this repository's paths. */
const COPY = "internal/";

/**
 * Copies internal packages into a package that imports them by name, together with the framework files they import, and
 * redirects these imports to the copy. A package that contains them as folders needs no copy.
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
  // the loop also visits entries added during iteration
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
