import { run } from "../../../scripts/process.ts";
import { Host } from "./host.ts";
import { lockedVersions } from "./locked_versions.ts";

const ROOT = new URL("../../../", import.meta.url);
const FOLDER = new URL(".cache/ecosystem/", ROOT);

/**
 * Starts real Express under Node, with the packages at the versions of `deno.lock` down to the last dependency.
 *
 * @param packages Names of the packages that programs import
 * @returns The process
 * @throws {Error} If there is no Node, or a package can't be installed
 */
export async function startExpressHost(packages: readonly string[]): Promise<Host> {
  const { output } = await run("node", ["--version"], { limitMs: 5000, quiet: true });
  // Deno runs itself where a program asks for a Node that is not there
  if (!/^v\d/.test(output)) throw new Error(`The comparison with Express needs Node in the PATH, not ${output}`);
  await install(packages);
  await copy("support", ["runner.mjs", "views.js"]);
  const programs = Array.from(Deno.readDirSync(new URL("tests/ecosystem/programs/", ROOT)), ({ name }) => name);
  await copy("programs", programs);
  return new Host({ name: "Express", program: "node", args: ["support/runner.mjs", "express"], cwd: FOLDER });
}

/** What stands in the folder; a test that needs less of it needs no installation. */
type Installed = { lock: string; dependencies: Record<string, string> };

async function install(packages: readonly string[]): Promise<void> {
  const versions = await lockedVersions();
  const dependencies: Record<string, string> = {};
  for (const name of [...packages, "express"].sort()) {
    const version = versions[name];
    if (version === undefined) throw new Error(`deno.json and deno.lock do not have the package "${name}"`);
    dependencies[name] = version;
  }
  const lock = await Deno.readTextFile(new URL("deno.lock", ROOT));
  const done = new URL("installed.json", FOLDER);
  const present: Installed = JSON.parse(await Deno.readTextFile(done).catch(() => "{}"));
  const known = present.lock === lock ? present.dependencies : {};
  if (Object.entries(dependencies).every(([name, version]) => known[name] === version)) return;
  const manifest = JSON.stringify({ private: true, type: "module", dependencies }, null, 2);
  await Deno.remove(FOLDER, { recursive: true }).catch(() => undefined);
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(new URL("package.json", FOLDER), manifest);
  await Deno.writeTextFile(new URL("deno.json", FOLDER), `{ "nodeModulesDir": "auto" }`);
  // Deno lays out a node_modules that Node understands, from its own cache and from the versions of this lock; npm
  // would choose the dependencies of dependencies anew
  await Deno.writeTextFile(new URL("deno.lock", FOLDER), lock);
  const { code, output } = await run(Deno.execPath(), ["install", "--quiet"], {
    limitMs: 300_000,
    quiet: true,
    cwd: FOLDER.pathname,
  });
  if (code !== 0) throw new Error(`The packages for Node could not be installed:\n${output}`);
  await Deno.writeTextFile(done, JSON.stringify({ lock, dependencies }));
}

// bare names resolve beside node_modules only
async function copy(folder: string, files: readonly string[]): Promise<void> {
  await Deno.mkdir(new URL(`${folder}/`, FOLDER), { recursive: true });
  for (const file of files) {
    const path = `${folder}/${file}`;
    await Deno.copyFile(new URL(`tests/ecosystem/${path}`, ROOT), new URL(path, FOLDER));
  }
}
