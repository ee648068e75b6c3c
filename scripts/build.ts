/**
 * `deno task build`: both packages as they are published, in `.cache/published/`.
 *
 * A package's entry points are bundled into JavaScript that shares its modules, because Deno takes longer to load a
 * hundred modules than to run them (docs/decisions/0013). Types and documentation come from the sources, which are
 * published as well.
 */
import { cp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { run } from "./process.ts";

const ROOT = new URL("../", import.meta.url);

/** The folder `deno task build` writes to. */
export const PUBLISHED = new URL(".cache/published/", ROOT);

/** Folders of the packages, in the repository and in the result. */
const PACKAGES = ["./", "./advanced/"];

/** The part of a `deno.json` that is used here. */
interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly publish: { readonly include: readonly string[] };
}

/**
 * Builds both packages as a workspace from which `deno publish` publishes them.
 *
 * @param folder Where to; what it held before is removed
 * @throws {Error} If a package cannot be bundled
 */
export async function buildPackages(folder: URL): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const manifests = await Promise.all(PACKAGES.map((path) => manifestOf(new URL(path, ROOT))));
  // other packages stay imports, so that their fixes reach users and each is loaded once
  const external = manifests.flatMap(({ name, imports }) => [name, ...Object.keys(imports)]);
  for (const [i, path] of PACKAGES.entries()) {
    await buildPackage(new URL(path, ROOT), new URL(path, folder), manifests[i]!, external);
  }
}

async function buildPackage(
  source: URL,
  target: URL,
  { exports, publish }: Manifest,
  external: string[],
): Promise<void> {
  for (const path of publish.include) await cp(new URL(path, source), new URL(path, target), { recursive: true });
  const entries = Object.values(exports);
  await bundle(target, entries, external);
  for await (const { name } of Deno.readDir(new URL("dist/", target))) {
    await rewrite(new URL(`dist/${name}`, target), restoreNames);
  }
  for (const entry of entries) {
    await rewrite(new URL(builtFrom(entry), target), (code) => `/* @ts-self-types=".${entry}" */\n${code}`);
  }
  for (const name of ["deno.json", "jsr.json"]) await rewrite(new URL(name, target), exportBuilt);
}

async function manifestOf(folder: URL): Promise<Manifest> {
  return JSON.parse(await Deno.readTextFile(new URL("deno.json", folder)));
}

function builtFrom(entry: string): string {
  return entry.replace("./", "./dist/").replace(/\.ts$/, ".js");
}

async function bundle(folder: URL, entries: readonly string[], external: readonly string[]): Promise<void> {
  const flags = ["--quiet", "--no-lock", "--code-splitting", "--outdir", "dist"];
  const packages = external.flatMap((name) => [name, `${name}/*`]);
  // --external takes all that follows it up to the next flag
  const args = ["bundle", "--external", ...packages, ...flags, ...entries];
  const { code, output } = await run(Deno.execPath(), args, {
    limitMs: 60_000,
    quiet: true,
    cwd: fileURLToPath(folder),
  });
  if (code !== 0) throw new Error(`${fileURLToPath(folder)} cannot be bundled: ${output}`);
}

/** Undoes `var App = class _App`, as the bundler writes classes that refer to themselves: users see their names. */
function restoreNames(code: string): string {
  const names = new Set([...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name));
  return code.replace(/\b_(\w+)/g, (word, name) => names.has(name) ? name : word);
}

async function rewrite(file: URL, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(file, change(await Deno.readTextFile(file)));
}

/** Replaces the entry points in a manifest by what was built from them. */
function exportBuilt(text: string): string {
  const manifest = JSON.parse(text);
  for (const [name, entry] of Object.entries<string>(manifest.exports)) manifest.exports[name] = builtFrom(entry);
  manifest.publish?.include.push("dist/");
  return JSON.stringify(manifest, null, 2);
}

if (import.meta.main) {
  await buildPackages(PUBLISHED);
  console.log(`Built in ${fileURLToPath(PUBLISHED)}`);
}
