import { run } from "../../../scripts/process.ts";
import { folderOf, type Framework } from "./frameworks.ts";

/**
 * Replaces each `express` that npm has installed with a framework, as overrides in `package.json` do, or restores it.
 *
 * @param folder Folder above `node_modules`, with a trailing slash
 * @param framework The framework
 */
export async function replaceExpress(folder: string, framework: Framework | "its own"): Promise<void> {
  for (const path of await installedExpress(`${folder}node_modules`)) {
    const theirs = `${path}-as-installed`;
    if (!await exists(theirs)) await Deno.rename(path, theirs);
    await Deno.remove(path).catch(() => undefined);
    await Deno.symlink(framework === "its own" ? theirs : folderOf(framework, await majorOf(theirs)), path);
  }
}

async function installedExpress(modules: string): Promise<string[]> {
  const args = [modules, "-path", "*/node_modules/express"];
  const { output } = await run("find", args, { limitMs: 60_000, quiet: true });
  return output.split("\n").filter((line) => line !== "");
}

// a tree may have both majors
async function majorOf(express: string): Promise<"express-4" | "express-5"> {
  const { version } = JSON.parse(await Deno.readTextFile(`${express}/package.json`));
  return version.startsWith("5.") ? "express-5" : "express-4";
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
