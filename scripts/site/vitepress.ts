import { fileURLToPath } from "node:url";
import { installLocked } from "../locked_packages.ts";

/**
 * Installs VitePress, if needed. Only documentation authors need it: the packages and the demo do not depend on it.
 *
 * @param folder The installation folder, owned by this function
 * @returns A command that runs it
 */
export async function vitepress(folder: URL): Promise<string[]> {
  await installLocked(folder, ["vitepress"]);
  const program = fileURLToPath(new URL("node_modules/vitepress/bin/vitepress.js", folder));
  return ["run", "-A", "--quiet", "--node-modules-dir=manual", program];
}
