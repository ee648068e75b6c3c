/** What packages and the site are built from, and whether that has changed. */
import { createHash } from "node:crypto";

/** Folders that nothing is built from. The pages, and the programs they show, become the site and `llms-small.txt`. */
const UNUSED = /^(?:\..*|bench|coverage|node_modules|reliability|tests)\/$/;

/** What the scripts that build import, and in which versions. */
const TOOLS = ["tests/deno.json", "tests/deno.lock"];

/**
 * Paths of all files that building the packages may read, those of the scripts that build them among them.
 *
 * @param root The repository
 * @returns Paths below it, in an order that is the same on every machine
 */
export async function builtFrom(root: URL): Promise<string[]> {
  const found: string[] = [];
  // older checkouts, which benchmarks compare with, have them in deno.json
  for (const path of TOOLS) if (await Deno.stat(new URL(path, root)).catch(() => null) !== null) found.push(path);
  for await (const { name, isDirectory } of Deno.readDir(root)) {
    if (!isDirectory) found.push(name);
    else if (!UNUSED.test(`${name}/`)) found.push(...await filesBelow(root, `${name}/`));
  }
  return found.sort();
}

async function filesBelow(root: URL, folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory) found.push(...await filesBelow(root, `${folder}${name}/`));
    else found.push(folder + name);
  }
  return found;
}

/**
 * A digest of those files, and of the version of Deno that builds: with the same digest, the same is built.
 *
 * @param root The repository
 */
export async function digestOfSources(root: URL): Promise<string> {
  const hash = createHash("sha256").update(Deno.version.deno);
  for (const path of await builtFrom(root)) {
    const contents = await Deno.readFile(new URL(path, root));
    hash.update(`\n${path} ${contents.length}\n`).update(contents);
  }
  return hash.digest("hex");
}
