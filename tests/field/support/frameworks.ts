/** What suites and programs run on: Express 4 and 5 from npm, and Sluice as it is built for npm, under its name. */
import { fileURLToPath } from "node:url";
import { buildNpm } from "../../../scripts/build_npm.ts";
import { REPOSITORY } from "../../../scripts/npm_manifest.ts";
import { run } from "../../../scripts/process.ts";
import { FIELD } from "./folder.ts";

const VERSIONS = { "express-4": "npm:express@4.22.2", "express-5": "npm:express@5.2.1" };

/** Name of one of them. */
export type Framework = "sluice" | keyof typeof VERSIONS;

const FOLDER = new URL("frameworks/", FIELD);

/** Folder of a package, which stands in for `node_modules/express`. */
export function folderOf(framework: Framework): string {
  return fileURLToPath(new URL(`node_modules/${framework}`, FOLDER));
}

/**
 * Builds Sluice and installs it beside the others.
 *
 * @throws {Error} If npm cannot
 */
export async function installFrameworks(): Promise<void> {
  const [sluice] = await buildNpm(new URL("npm/", FIELD), REPOSITORY);
  const manifest = { private: true, dependencies: { ...VERSIONS, sluice: `file:${fileURLToPath(sluice!.tarball)}` } };
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(new URL("package.json", FOLDER), JSON.stringify(manifest));
  // npm compares versions, and this one stays the same
  await Deno.remove(folderOf("sluice"), { recursive: true }).catch(() => undefined);
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
  const { code, output } = await run("npm", args, { limitMs: 300_000, quiet: true, cwd: fileURLToPath(FOLDER) });
  if (code !== 0) throw new Error(`The frameworks cannot be installed: ${output}`);
}
