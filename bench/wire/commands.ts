import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { installLocked } from "../../scripts/locked_packages.ts";
import { installRuntimes } from "../../scripts/runtimes.ts";
import { denoRun, type Packages } from "../support/packages.ts";
import type { ServerCommand } from "../support/server.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDER = new URL(".cache/bench/npm/", ROOT);

/** Frameworks loaded from npm's own files, as users load them; everything else is bundled. */
const PEERS = ["@fastify/static", "@hono/node-server", "elysia", "express", "fastify", "h3", "hono"];

/** How to start a program from this folder on a runtime. */
export type Start = (packages: Packages, path: string, ...args: string[]) => ServerCommand | Promise<ServerCommand>;

/** Starts a program from this folder on Deno. */
export function onDeno(packages: Packages, path: string, ...args: string[]): ServerCommand {
  return {
    program: Deno.execPath(),
    args: [...denoRun(packages), fileURLToPath(new URL(`bench/${path}`, ROOT)), ...args],
  };
}

/**
 * Starts a program from this folder under Node.
 *
 * @throws {Error} If there is no Node
 */
export async function underNode(packages: Packages, path: string, ...args: string[]): Promise<ServerCommand> {
  const { output } = await run("node", ["--version"], { limitMs: 5000, quiet: true });
  // without Node, Deno runs itself under that name
  if (!/^v\d/.test(output)) throw new Error(`the contestants under Node need it in the PATH, not ${output}`);
  return { program: "node", args: [await bundled(packages, path), ...args] };
}

/**
 * Starts a program from this folder on Bun.
 *
 * @throws {Error} If Bun cannot be installed
 */
export async function onBun(packages: Packages, path: string, ...args: string[]): Promise<ServerCommand> {
  const runtimes = await installRuntimes();
  if (typeof runtimes === "string") throw new Error(runtimes);
  return { program: `${runtimes.folder}node_modules/.bin/bun`, args: [await bundled(packages, path), ...args] };
}

const bundles = new Map<string, Promise<string>>();

function bundled(packages: Packages, path: string): Promise<string> {
  const key = `${packages.name}/${path.replace(/^.*\//, "").replace(/\.ts$/, "")}`;
  const known = bundles.get(key) ?? bundle(packages, path, new URL(`${key}/`, FOLDER));
  bundles.set(key, known);
  return known;
}

/** Neither runtime supports the import map, so programs are bundled; dynamic imports stay separate files. */
async function bundle(packages: Packages, path: string, folder: URL): Promise<string> {
  await installLocked(FOLDER, PEERS);
  await rm(folder, { recursive: true, force: true });
  const external = PEERS.flatMap((peer) => ["--external", peer, "--external", `${peer}/*`]);
  const out = ["--code-splitting", "--outdir", fileURLToPath(folder)];
  const args = ["bundle", "--quiet", ...packages.flags, "--platform", "deno", ...external, ...out, `bench/${path}`];
  const { code, output } = await run(Deno.execPath(), args, {
    limitMs: 60_000,
    quiet: true,
    cwd: fileURLToPath(ROOT),
  });
  if (code !== 0) throw new Error(`${path} could not be bundled: ${output}`);
  return fileURLToPath(new URL(path.replace(/^.*\//, "").replace(/\.ts$/, ".js"), folder));
}
