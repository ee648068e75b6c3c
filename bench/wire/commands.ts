import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { installLocked } from "../../scripts/locked_packages.ts";
import { installRuntimes } from "../../scripts/runtimes.ts";
import { denoRun, PACKAGE_FLAGS } from "../support/deno_run.ts";
import type { ServerCommand } from "../support/server.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDER = new URL(".cache/bench/npm/", ROOT);

/** Frameworks loaded from npm's own files, as users load them; everything else becomes part of the bundle. */
const PEERS = ["@hono/node-server", "elysia", "express", "h3", "hono"];

/** A program of this folder on Deno. */
export function onDeno(path: string, ...args: string[]): ServerCommand {
  return { program: Deno.execPath(), args: [...denoRun(), fileURLToPath(new URL(`bench/${path}`, ROOT)), ...args] };
}

/**
 * A program of this folder under Node.
 *
 * @throws {Error} If there is no Node
 */
export async function underNode(path: string, ...args: string[]): Promise<ServerCommand> {
  const { output } = await run("node", ["--version"], { limitMs: 5000, quiet: true });
  // without Node, Deno runs itself under that name
  if (!/^v\d/.test(output)) throw new Error(`the contestants under Node need it in the PATH, not ${output}`);
  return { program: "node", args: [await bundled(path), ...args] };
}

/**
 * A program of this folder on Bun.
 *
 * @throws {Error} If Bun can't be installed
 */
export async function onBun(path: string, ...args: string[]): Promise<ServerCommand> {
  const runtimes = await installRuntimes();
  if (typeof runtimes === "string") throw new Error(runtimes);
  return { program: `${runtimes.folder}node_modules/.bin/bun`, args: [await bundled(path), ...args] };
}

const bundles = new Map<string, Promise<string>>();

function bundled(path: string): Promise<string> {
  const known = bundles.get(path) ?? bundle(path);
  bundles.set(path, known);
  return known;
}

/** Neither runtime supports the import map, so programs are bundled; dynamic imports stay separate files. */
async function bundle(path: string): Promise<string> {
  await installLocked(FOLDER, PEERS);
  const name = path.replace(/^.*\//, "").replace(/\.ts$/, "");
  const folder = new URL(`${name}/`, FOLDER);
  await rm(folder, { recursive: true, force: true });
  const external = PEERS.flatMap((peer) => ["--external", peer]);
  const out = ["--code-splitting", "--outdir", fileURLToPath(folder)];
  const args = ["bundle", "--quiet", ...PACKAGE_FLAGS, "--platform", "deno", ...external, ...out, `bench/${path}`];
  const { code, output } = await run(Deno.execPath(), args, {
    limitMs: 60_000,
    quiet: true,
    cwd: fileURLToPath(ROOT),
  });
  if (code !== 0) throw new Error(`${path} could not be bundled: ${output}`);
  return fileURLToPath(new URL(`${name}.js`, folder));
}
