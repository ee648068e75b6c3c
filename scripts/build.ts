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
import { rolldown } from "rolldown";
import { flags } from "./flags.ts";
import { installLocked } from "./locked_packages.ts";

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
  for (const [i, { path, included }] of PACKAGES.entries()) {
    const [source, target] = [new URL(path, ROOT), new URL(path, folder)];
    const { exports, publish } = manifests[i]!;
    const entries = Object.values(exports);
    const external = names.filter((name) => !included.includes(name));
    // the bundler names each module's path: with its packages beside the sources, none is one of this machine
    await installLocked(target, included);
    for (const name of publish.include) await cp(new URL(name, source), new URL(name, target), { recursive: true });
    await bundle(target, entries, external, options);
    if (included.length > 0) {
      await Deno.writeTextFile(new URL("dist/LICENSES.txt", target), await licenses(target, included));
    }
    for (const name of INSTALLED) await rm(new URL(name, target), { recursive: true, force: true });
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

/** What installing packages leaves, apart from a `deno.json`, which the package's own replaces. */
const INSTALLED = ["node_modules/", "package.json", "deno.lock", "installed.json"];

/** Bundles entry points into the package's `dist/`, with the given packages inside; its sources are in the folder. */
async function bundle(
  folder: URL,
  entries: readonly string[],
  external: readonly string[],
  { sourceMaps }: BuildOptions,
): Promise<void> {
  const bundle = await rolldown({
    cwd: fileURLToPath(folder),
    input: Object.fromEntries(entries.map((entry) => [entry.slice("./".length, -".ts".length), entry])),
    external: (id) => id.startsWith("node:") || external.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: "neutral",
    resolve: { mainFields: ["module", "main"] },
    // what cannot be resolved is only a warning otherwise
    onLog(_level, log) {
      throw new Error(log.message);
    },
  });
  try {
    const { output } = await bundle.write({
      dir: fileURLToPath(new URL("dist/", folder)),
      chunkFileNames: "chunk-[hash].js",
      comments: { jsdoc: false },
      // a variable that may not be initialized yet is checked whenever it is used
      topLevelVar: true,
      // what the modules of the package export to one another is named as in the sources, too
      minifyInternalExports: false,
      sourcemap: sourceMaps,
    });
    // any other character makes V8 store the whole module in two bytes a character
    for (const { type, fileName } of output) {
      if (type === "chunk") await rewrite(new URL(`dist/${fileName}`, folder), inAscii);
    }
  } finally {
    await bundle.close();
  }
}

/** Escapes other characters, which are only in texts and expressions: the bundler leaves comments out. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\p{ASCII}]/gu, (character) => {
    return [...Array(character.length).keys()].map((i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`;
    }).join("");
  });
}

/** The licenses of the included packages, which ask for being passed on with the code. */
async function licenses(target: URL, names: readonly string[]): Promise<string> {
  const texts = await Promise.all(names.map(async (name) => {
    const folder = new URL(`node_modules/${name}/`, target);
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
