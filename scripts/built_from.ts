/** The sources for the packages and the site, and whether they have changed. */
import { createHash } from "node:crypto";

/** Folders that builds do not use. The pages, and the programs they show, become the site and `llms-small.txt`. */
const UNUSED = /^(?:\..*|bench|coverage|node_modules|reliability|tests)\/$/;

/** The build scripts' dependencies, with their versions. */
const TOOLS = ["tests/deno.json", "tests/deno.lock"];

/**
 * Lists all files that building the packages may read, including the build scripts.
 *
 * @param root The repository
 * @returns Paths below it, in the same order on every machine
 */
export async function builtFrom(root: URL): Promise<string[]> {
  const found: string[] = [];
  // older checkouts, used for comparison by benchmarks, have them in deno.json
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
 * Computes a digest over those files and the version of Deno that builds: equal digests mean equal builds.
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
