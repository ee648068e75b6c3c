/** Bundles programs and runs them under real Node, which supports neither TypeScript nor import maps. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { TESTS_CONFIG, TESTS_LOCK } from "../../scripts/tests_config.ts";
import { workerdImportMap } from "../../scripts/workerd_modules.ts";
import { placeCopy, putFile } from "./put_file.ts";
import { type Program, startProgram } from "./program.ts";

const root = new URL("../../", import.meta.url);
const missing = !await nodeExists();
if (missing && Deno.env.get("CI") === "true") throw new Error("Node is missing: no test of ./node can run");

/** Whether tests on Node are skipped because it is missing. In CI, that is a failure instead. */
export const skipNode: boolean = missing;

// without Node, Deno runs itself under that name
async function nodeExists(): Promise<boolean> {
  const args = ["-e", "process.exit(process.versions.deno === undefined ? 0 : 1)"];
  try {
    return (await new Deno.Command("node", { args, stdout: "null", stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

const bundles = new Map<string, Promise<string>>();

/**
 * Bundles programs into one file, once.
 *
 * @param paths Modules to run one after the other: paths relative to the root, or package names
 * @returns Path of the bundle
 */
export function bundleForNode(...paths: string[]): Promise<string> {
  const key = paths.join(" ");
  const known = bundles.get(key) ?? bundle(key.replace(/[^a-z0-9]+/g, "_"), paths);
  bundles.set(key, known);
  return known;
}

async function bundle(name: string, paths: readonly string[]): Promise<string> {
  const folder = new URL(".cache/node/", root);
  const file = (extension: string) => fileURLToPath(new URL(`${name}.${extension}`, folder));
  await Deno.mkdir(folder, { recursive: true });
  const specifiers = paths.map((path) => path.startsWith("@") ? path : `../../${path}`);
  const text = specifiers.map((one) => `import ${JSON.stringify(one)};\n`).join("");
  await putFile(file("js"), (path) => Deno.writeTextFile(path, text));
  const flags = ["--quiet", ...await packageFlags(name), "--platform", "deno"];
  await putFile(file("mjs"), async (path) => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", ...flags, "-o", path, file("js")],
      cwd: fileURLToPath(root),
      stdout: "null",
      stderr: "piped",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  });
  return file("mjs");
}

/**
 * Flags for one Deno run that resolve everything this repository imports. The lock file is a copy: if JSR is reachable,
 * Deno would add to the committed one.
 *
 * @param name Name of the copy
 */
export async function packageFlags(name: string): Promise<string[]> {
  await Deno.mkdir(new URL(".cache/node/", root), { recursive: true });
  const lock = fileURLToPath(new URL(`.cache/node/${name}.lock`, root));
  await placeCopy(pathToFileURL(TESTS_LOCK), lock);
  return [`--config=${TESTS_CONFIG}`, `--lock=${lock}`];
}

/**
 * Flags like {@linkcode packageFlags}, with the npm packages that bundlers for Workers get.
 *
 * @param name Name of the lock file's copy
 */
export async function workerdFlags(name: string): Promise<string[]> {
  const flags = await packageFlags(name);
  const map = fileURLToPath(new URL(".cache/node/workerd.json", root));
  const text = await workerdImportMap();
  await putFile(map, (path) => Deno.writeTextFile(path, text));
  return [...flags, `--import-map=${map}`, "--platform", "browser"];
}

/** Working directory and environment for programs. */
const SETTING = { cwd: fileURLToPath(root), env: { NODE_ENV: "test" } };

/** Starts a program under Node. */
export async function startNode(path: string): Promise<Program> {
  return await startProgram("node", [await bundleForNode(path)], SETTING);
}

/**
 * Starts a program under Node that may open many files and trigger garbage collection.
 *
 * @param files Number of files it must be able to open
 * @param path The program
 * @param args Its arguments
 */
export async function startNodeWithFiles(files: number, path: string, ...args: string[]): Promise<Program> {
  const script = 'test "$(ulimit -n)" -ge "$0" || ulimit -n "$0" && exec node --expose-gc "$@"';
  const command = ["-c", script, String(files), await bundleForNode(path), ...args];
  return await startProgram("sh", command, SETTING);
}

/** Starts a program under Deno, whose `node:` modules stand in for Node. */
export async function startDeno(path: string): Promise<Program> {
  const flags = await packageFlags(path.replace(/[^a-z0-9]+/g, "_"));
  return await startProgram(Deno.execPath(), ["run", "-A", "--quiet", ...flags, path], SETTING);
}
