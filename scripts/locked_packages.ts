/** npm packages in their own folder, for programs that do not run on Deno, at the versions in `tests/deno.lock`. */
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { run } from "./process.ts";
import { allImports, TESTS_LOCK } from "./tests_config.ts";

/** A folder's packages; if they cover the request, nothing is installed. */
type Installed = { lock: string; dependencies: Record<string, string> };

/**
 * Installs packages so that Node and Bun find them, down to the last dependency at the versions in `tests/deno.lock`.
 *
 * @param folder The folder, which this function owns: it is recreated if something is missing
 * @param packages The packages' names
 * @throws {Error} If a package is not in the lock file, or cannot be installed
 */
export async function installLocked(folder: URL, packages: readonly string[]): Promise<void> {
  const versions = await lockedVersions();
  const dependencies: Record<string, string> = {};
  for (const name of [...packages].sort()) {
    const version = versions[name];
    if (version === undefined) throw new Error(`tests/deno.lock does not have the package "${name}"`);
    dependencies[name] = version;
  }
  const lock = await Deno.readTextFile(TESTS_LOCK);
  const done = new URL("installed.json", folder);
  const present: Installed = JSON.parse(await Deno.readTextFile(done).catch(() => "{}"));
  const known = present.lock === lock ? present.dependencies : {};
  if (Object.entries(dependencies).every(([name, version]) => known[name] === version)) return;
  const manifest = JSON.stringify({ private: true, type: "module", dependencies }, null, 2);
  await rm(folder, { recursive: true, force: true });
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(new URL("package.json", folder), manifest);
  await Deno.writeTextFile(new URL("deno.json", folder), `{ "nodeModulesDir": "auto" }`);
  // Deno creates a node_modules folder for Node, from its own cache and with the versions in this lock file; npm would
  // resolve transitive dependencies anew
  await Deno.writeTextFile(new URL("deno.lock", folder), lock);
  const { code, output } = await run(Deno.execPath(), ["install", "--quiet"], {
    limitMs: 300_000,
    quiet: true,
    cwd: fileURLToPath(folder),
  });
  if (code !== 0) throw new Error(`The packages could not be installed:\n${output}`);
  await Deno.writeTextFile(done, JSON.stringify({ lock, dependencies }));
}

/**
 * Returns the npm package versions in `tests/deno.lock`.
 *
 * @returns Versions by import name in this repository
 */
export async function lockedVersions(): Promise<Record<string, string>> {
  const { specifiers } = JSON.parse(await Deno.readTextFile(TESTS_LOCK)) as { specifiers: Record<string, string> };
  const versions: Record<string, string> = {};
  for (const [name, specifier] of Object.entries(await allImports())) {
    const [, wanted, major] = specifier.match(/^npm:((?:@[^/]+\/)?[^@]+)@\D*(\d+)/) ?? [];
    // the lock file may have several versions of a package, and it normalizes ranges
    const found = Object.entries(specifiers).find(([one, version]) =>
      one.startsWith(`npm:${wanted}@`) && version.startsWith(`${major}.`)
    );
    // the chosen peer dependencies follow an underscore
    if (found !== undefined) versions[name] = found[1].split("_")[0]!;
  }
  return versions;
}
