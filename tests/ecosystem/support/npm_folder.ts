import { installLocked } from "../../../scripts/locked_packages.ts";

const ROOT = new URL("../../../", import.meta.url);

/**
 * The folder for Node and Bun: programs are next to their packages, since bare names resolve only from node_modules.
 */
export const NPM_FOLDER: URL = new URL(".cache/ecosystem/", ROOT);

/**
 * Fills the folder. All packages and dependencies have the versions in `tests/deno.lock`.
 *
 * @param packages Names of the packages that programs import
 * @throws {Error} If a package cannot be installed
 */
export async function fillNpmFolder(packages: readonly string[]): Promise<void> {
  await installLocked(NPM_FOLDER, packages);
  await copy("support", ["runner.mjs", "views.js"]);
  const programs = Array.from(Deno.readDirSync(new URL("tests/ecosystem/programs/", ROOT)), ({ name }) => name);
  await copy("programs", programs);
}

async function copy(folder: string, files: readonly string[]): Promise<void> {
  await Deno.mkdir(new URL(`${folder}/`, NPM_FOLDER), { recursive: true });
  for (const file of files) {
    const path = `${folder}/${file}`;
    await Deno.copyFile(new URL(`tests/ecosystem/${path}`, ROOT), new URL(path, NPM_FOLDER));
  }
}
