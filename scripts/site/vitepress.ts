import { fileURLToPath } from "node:url";
import { installLocked } from "../locked_packages.ts";

/**
 * Installs VitePress, unless it is there. It is a program for people who write the documentation: the packages and the
 * demo do not know it.
 *
 * @param folder Where to; the folder is this function's
 * @returns A command that runs it
 */
export async function vitepress(folder: URL): Promise<string[]> {
  await installLocked(folder, ["vitepress"]);
  const program = fileURLToPath(new URL("node_modules/vitepress/bin/vitepress.js", folder));
  return ["run", "-A", "--quiet", "--node-modules-dir=manual", program];
}
