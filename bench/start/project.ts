import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildPackages } from "../../scripts/build.ts";
import { lockedVersions } from "../../scripts/locked_packages.ts";
import { importGraph } from "./graph.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDER = new URL(".cache/bench/start/", ROOT);

/** Contestants that are bundles of another contestant, each in its own folder, with their bundler flags. */
const BUNDLES: ReadonlyMap<string, readonly string[]> = new Map([
  ["bundled", []],
  ["split", ["--code-splitting", "--minify"]],
]);

/** The contestants, by program name. */
export const STARTING: ReadonlyMap<string, string> = new Map([
  ["bare", "`Deno.serve`"],
  ["published", "Sluice, as published"],
  ["served", "Sluice, as published, passed to `Deno.serve`"],
  ["sluice", "Sluice, its sources"],
  ["bundled", "a program with Sluice, bundled by `deno bundle`"],
  ["split", "the same with `--code-splitting --minify`"],
  ["hono", "Hono"],
  ["h3", "h3"],
  ["elysia", "Elysia"],
  ["express", "Express"],
]);

/**
 * Creates a project like a user's, in its own folder: this repository's lock file has about a hundred other packages,
 * which Deno would read at every start.
 *
 * @returns Locates a contestant's program
 */
export async function makeProject(): Promise<(contestant: string) => URL> {
  const versions = await lockedVersions();
  const { packages } = await importGraph("mod.ts");
  const imports: Record<string, string> = {
    "@sluice/sluice": new URL("mod.ts", ROOT).href,
    "@sluice/published": "./dist/mod.js",
  };
  for (const name of [...packages, "hono", "h3", "elysia", "express"]) imports[name] = `npm:${name}@${versions[name]}`;
  await rm(FOLDER, { recursive: true, force: true });
  await Deno.mkdir(FOLDER, { recursive: true });
  await copyPublished();
  // its own workspace; otherwise, Deno would look for one in the parent folders
  await Deno.writeTextFile(new URL("deno.json", FOLDER), JSON.stringify({ workspace: [], imports }));
  for (const name of STARTING.keys()) {
    const flags = BUNDLES.get(name);
    if (flags !== undefined) await bundle(name, flags);
    else await Deno.writeTextFile(new URL(`${name}.ts`, FOLDER), await programOf(name));
  }
  return (contestant) => new URL(BUNDLES.has(contestant) ? `${contestant}/sluice.js` : `${contestant}.ts`, FOLDER);
}

async function programOf(name: string): Promise<string> {
  const read = (file: string) => Deno.readTextFile(new URL(`programs/${file}.ts`, import.meta.url));
  if (name !== "published" && name !== "served") return read(name);
  return (await read(name === "published" ? "sluice" : name)).replace("@sluice/sluice", "@sluice/published");
}

/** Copies only the bundles: next to their `deno.json`, Deno would treat them as a package under development. */
async function copyPublished(): Promise<void> {
  const built = new URL("build/", FOLDER);
  await buildPackages(built);
  await Deno.rename(new URL("dist/", built), new URL("dist/", FOLDER));
  await Deno.remove(built, { recursive: true });
}

async function bundle(folder: string, flags: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", ...flags, "--outdir", folder, "sluice.ts"],
    cwd: fileURLToPath(FOLDER),
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
