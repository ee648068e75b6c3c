/**
 * `deno task build`: both packages as they are published, in `.cache/published/`; `--source-maps` adds maps, for
 * registries that serve them.
 *
 * A package's entry points are bundled into JavaScript that shares its modules, because runtimes take longer to load a
 * hundred modules than to run them (docs/decisions/0013-start.md). Types and documentation come from the sources, which
 * are published as well.
 */
import { cp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { flags } from "./flags.ts";
import { lockedVersions } from "./locked_packages.ts";
import { run } from "./process.ts";

const ROOT = new URL("../", import.meta.url);

/** The folder `deno task build` writes to. */
export const PUBLISHED = new URL(".cache/published/", ROOT);

/** A package, in the repository and in the result. */
interface Package {
  /** Its folder. */
  readonly path: string;
  /**
   * npm packages that become part of its bundles, at the versions of `deno.lock`: all that its `mod.ts` loads. Others
   * stay imports, so that their fixes reach users and each is loaded once.
   */
  readonly included: readonly string[];
}

const PACKAGES: readonly Package[] = [
  {
    path: "./",
    included: [
      "content-disposition",
      "content-type",
      "cookie-es",
      "encodeurl",
      "mrmime",
      "path-to-regexp",
      "type-is",
    ],
  },
  { path: "./advanced/", included: [] },
];

/** How packages are built. */
export interface BuildOptions {
  /** Whether the bundles get source maps. */
  readonly sourceMaps: boolean;
}

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
 * @param options How
 * @throws {Error} If a package cannot be bundled
 */
export async function buildPackages(folder: URL, options: BuildOptions = { sourceMaps: false }): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const manifests = await Promise.all(PACKAGES.map(({ path }) => manifestOf(new URL(path, ROOT))));
  const names = manifests.flatMap(({ name, imports }) => [name, ...Object.keys(imports)]);
  const versions = await lockedVersions();
  for (const [i, { path, included }] of PACKAGES.entries()) {
    const [source, target] = [new URL(path, ROOT), new URL(path, folder)];
    const { exports, publish } = manifests[i]!;
    for (const name of publish.include) await cp(new URL(name, source), new URL(name, target), { recursive: true });
    const entries = Object.values(exports);
    const external = names.filter((name) => !included.includes(name));
    const imports = Object.fromEntries(included.map((name) => [name, `npm:${name}@${versions[name]}`]));
    await bundle(target, entries, external, imports, options);
    for (const entry of entries) {
      // on the line of the first import, so that a source map keeps its lines
      await rewrite(new URL(builtFrom(entry), target), (code) => `/* @ts-self-types=".${entry}" */ ${code}`);
    }
    for (const name of ["deno.json", "jsr.json"]) await rewrite(new URL(name, target), exportBuilt);
  }
}

async function manifestOf(folder: URL): Promise<Manifest> {
  return JSON.parse(await Deno.readTextFile(new URL("deno.json", folder)));
}

function builtFrom(entry: string): string {
  return entry.replace("./", "./dist/").replace(/\.ts$/, ".js");
}

async function bundle(
  folder: URL,
  entries: readonly string[],
  external: readonly string[],
  imports: Readonly<Record<string, string>>,
  { sourceMaps }: BuildOptions,
): Promise<void> {
  // the bundler names each module's path: with its packages beside the sources, none is one of this machine
  const [config, modules] = [new URL("bundle.json", folder), new URL("node_modules/", folder)];
  await Deno.writeTextFile(config, JSON.stringify({ nodeModulesDir: "auto", imports }));
  const how = ["--quiet", "--no-lock", "--config=bundle.json", "--code-splitting", "--outdir=dist"];
  if (sourceMaps) how.push("--sourcemap=linked");
  const packages = external.flatMap((name) => [name, `${name}/*`]);
  // --external takes all that follows it up to the next flag
  const args = ["bundle", "--external", ...packages, ...how, ...entries];
  const { code, output } = await run(Deno.execPath(), args, {
    limitMs: 60_000,
    quiet: true,
    cwd: fileURLToPath(folder),
  });
  if (code !== 0) throw new Error(`${fileURLToPath(folder)} cannot be bundled: ${output}`);
  const dist = new URL("dist/", folder);
  for await (const { name } of Deno.readDir(dist)) {
    if (name.endsWith(".js")) await rewrite(new URL(name, dist), restoreNames);
  }
  const names = Object.keys(imports);
  if (names.length > 0) await Deno.writeTextFile(new URL("LICENSES.txt", dist), await licenses(modules, names));
  await rm(config);
  await rm(modules, { recursive: true, force: true });
}

/** Undoes `var App = class _App`, as the bundler writes classes that refer to themselves: stack traces show the name. */
function restoreNames(code: string): string {
  const names = new Set([...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name));
  return code.replace(/\b_(\w+)/g, (word, name) => names.has(name) ? name : word);
}

/** The licenses of the included packages, which ask for being passed on with the code. */
async function licenses(modules: URL, names: readonly string[]): Promise<string> {
  const texts = await Promise.all(names.map(async (name) => {
    const folder = new URL(`${name}/`, modules);
    const files = await Array.fromAsync(Deno.readDir(folder));
    const license = files.find((file) => /^licen[cs]e/i.test(file.name));
    if (license === undefined) throw new Error(`the package "${name}" has no license`);
    const { version } = JSON.parse(await Deno.readTextFile(new URL("package.json", folder)));
    return `${name} ${version}\n\n${await Deno.readTextFile(new URL(license.name, folder))}`;
  }));
  return texts.join(`\n${"-".repeat(80)}\n\n`);
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
  const { "source-maps": sourceMaps } = flags({ "source-maps": false });
  await buildPackages(PUBLISHED, { sourceMaps });
  console.log(`Built in ${fileURLToPath(PUBLISHED)}`);
}
