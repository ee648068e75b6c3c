import { installLocked } from "../../../scripts/locked_packages.ts";
import { run } from "../../../scripts/process.ts";
import { Host } from "./host.ts";

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
  await installLocked(FOLDER, [...packages, "express"]);
  await copy("support", ["runner.mjs", "views.js"]);
  const programs = Array.from(Deno.readDirSync(new URL("tests/ecosystem/programs/", ROOT)), ({ name }) => name);
  await copy("programs", programs);
  return new Host({ name: "Express", program: "node", args: ["support/runner.mjs", "express"], cwd: FOLDER });
}

// bare names resolve beside node_modules only
async function copy(folder: string, files: readonly string[]): Promise<void> {
  await Deno.mkdir(new URL(`${folder}/`, FOLDER), { recursive: true });
  for (const file of files) {
    const path = `${folder}/${file}`;
    await Deno.copyFile(new URL(`tests/ecosystem/${path}`, ROOT), new URL(path, FOLDER));
  }
}
