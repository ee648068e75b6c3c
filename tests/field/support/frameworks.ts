/** The frameworks for suites and programs: Express 4 and 5 from npm, and `@sluice/express` as built for npm. */
import { fileURLToPath } from "node:url";
import { buildExpress, buildNpm, type Built } from "../../../scripts/build_npm.ts";
import { REPOSITORY } from "../../../scripts/npm_manifest.ts";
import { run } from "../../../scripts/process.ts";
import { FIELD } from "./folder.ts";

const VERSIONS = { "express-4": "npm:express@4.22.2", "express-5": "npm:express@5.2.1" };

/** A framework's name. */
export type Framework = "sluice" | keyof typeof VERSIONS;

const FOLDER = new URL("frameworks/", FIELD);

/**
 * Folder with the package that replaces `node_modules/express`.
 *
 * @param framework The framework
 * @param measure The Express that it replaces, which determines the `@sluice/express` major
 */
export function folderOf(framework: Framework, measure: keyof typeof VERSIONS): string {
  const name = framework === "sluice" ? measure.replace("express", "sluice") : framework;
  return fileURLToPath(new URL(`node_modules/${name}`, FOLDER));
}

/**
 * Builds Sluice and installs it next to the other frameworks.
 *
 * @throws {Error} If npm fails
 */
export async function installFrameworks(): Promise<void> {
  const to = new URL("npm/", FIELD);
  const [sluice] = await buildNpm(to, REPOSITORY);
  const ours = { "@sluice/sluice": sluice! } as Record<string, Built>;
  for (const one of await buildExpress(to, REPOSITORY)) ours[`sluice-${one.version.split(".")[0]}`] = one;
  const files = Object.entries(ours).map(([name, { tarball }]) => [name, `file:${fileURLToPath(tarball)}`]);
  const manifest = { private: true, dependencies: { ...VERSIONS, ...Object.fromEntries(files) } };
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(new URL("package.json", FOLDER), JSON.stringify(manifest));
  // npm compares versions, and these versions stay the same
  for (const name of Object.keys(ours)) {
    await Deno.remove(new URL(`node_modules/${name}`, FOLDER), { recursive: true }).catch(() => undefined);
  }
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
  const { code, output } = await run("npm", args, { limitMs: 300_000, quiet: true, cwd: fileURLToPath(FOLDER) });
  if (code !== 0) throw new Error(`The frameworks cannot be installed: ${output}`);
}
