import { run } from "../../../scripts/process.ts";
import { Host } from "./host.ts";
import { fillNpmFolder, NPM_FOLDER } from "./npm_folder.ts";

/**
 * Starts real Express under Node.
 *
 * @param packages Names of packages that programs import
 * @returns The process
 * @throws {Error} If there is no Node, or a package can't be installed
 */
export async function startExpressHost(packages: readonly string[]): Promise<Host> {
  const { output } = await run("node", ["--version"], { limitMs: 5000, quiet: true });
  // without Node, Deno runs itself under that name
  if (!/^v\d/.test(output)) throw new Error(`The comparison with Express needs Node in the PATH, not ${output}`);
  await fillNpmFolder([...packages, "express"]);
  return new Host({ name: "Express", program: "node", args: ["support/runner.mjs", "express"], cwd: NPM_FOLDER });
}
