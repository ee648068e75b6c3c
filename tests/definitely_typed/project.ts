/** The project that compiles the DefinitelyTyped tests, with Sluice installed as `express`. */
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { PACKAGES } from "./pins.ts";

const FOLDER = new URL("../../.cache/definitely_typed/", import.meta.url);
const INSTALL_MS = 300_000;

/**
 * Installs such a program's packages if they are missing, and adds the built package.
 *
 * @param sluice The built package
 * @returns Path of the folder, with a trailing slash
 * @throws {Error} If npm cannot install them
 */
export async function makeProject(sluice: URL): Promise<string> {
  const folder = fileURLToPath(FOLDER);
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES }, null, 2);
  const done = new URL("installed.json", FOLDER);
  await Deno.mkdir(FOLDER, { recursive: true });
  if (await Deno.readTextFile(done).catch(() => "") !== manifest) {
    await Deno.writeTextFile(new URL("package.json", FOLDER), manifest);
    const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", "--legacy-peer-deps"];
    const { code, output } = await run("npm", args, { limitMs: INSTALL_MS, quiet: true, cwd: folder });
    if (code !== 0) throw new Error(`The packages of types cannot be installed: ${output}`);
    await Deno.writeTextFile(done, manifest);
  }
  const express = new URL("node_modules/express", FOLDER);
  await Deno.remove(express, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.symlink(fileURLToPath(sluice), express);
  return folder;
}
