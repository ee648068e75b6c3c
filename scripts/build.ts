/**
 * `deno task build`: both packages as they are published, in `.cache/published/`.
 *
 * A package's entry points are bundled into JavaScript that shares its modules, because Deno takes longer to load a
 * hundred modules than to run them (docs/decisions/0013). Types and documentation come from the sources, which are
 * published as well.
 */
import { cp, rm } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { minify } from "terser";
import { lockedVersions } from "./locked_packages.ts";
import { run } from "./process.ts";

const ROOT = new URL("../", import.meta.url);

/** The folder `deno task build` writes to. */
export const PUBLISHED = new URL(".cache/published/", ROOT);

/**
 * npm packages that become part of the bundles, at the versions of `deno.lock`: all that `mod.ts` loads. To find and
 * load them separately takes a quarter of the time until the first response.
 */
const INCLUDED: readonly string[] = [
  "content-disposition",
  "content-type",
  "cookie-es",
  "encodeurl",
  "mrmime",
  "path-to-regexp",
  "type-is",
];

/** A package, in the repository and in the result. */
interface Package {
  /** Its folder. */
  readonly path: string;
  /**
   * Modules that are loaded beside its `mod.ts`, or later by it. While being bundled they import it, so that all it
   * consists of is one module: the bundler makes one for each combination of entry points that share something.
   */
  readonly besideMod: readonly string[];
}

const PACKAGES: readonly Package[] = [
  {
    path: "./",
    besideMod: [
      "fastly.ts",
      "lambda.ts",
      "node.ts",
      "redis.ts",
      "workers.ts",
      "src/response/file_transfer.ts",
      "src/websocket/accept.ts",
    ],
  },
  { path: "./advanced/", besideMod: [] },
];

/** Versions of npm packages by name. */
type Versions = Readonly<Record<string, string>>;

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
  const manifests = await Promise.all(PACKAGES.map(({ path }) => manifestOf(new URL(path, ROOT))));
  // other packages stay imports, so that their fixes reach users and each is loaded once
  const external = manifests.flatMap(({ name, imports }) => [name, ...Object.keys(imports)])
    .filter((name) => !INCLUDED.includes(name));
  for (const [i, one] of PACKAGES.entries()) await buildPackage(one, manifests[i]!, external, folder);
}

async function buildPackage(
  { path, besideMod }: Package,
  { exports, publish }: Manifest,
  external: string[],
  folder: URL,
): Promise<void> {
  const [source, target] = [new URL(path, ROOT), new URL(path, folder)];
  for (const name of publish.include) await cp(new URL(name, source), new URL(name, target), { recursive: true });
  const entries = Object.values(exports);
  for (const name of besideMod) {
    const mod = `./${"../".repeat(name.split("/").length - 1)}mod.ts`;
    await rewrite(new URL(name, target), (code) => `import "${mod}";\n${code}`);
  }
  const versions = await lockedVersions();
  await bundle(target, entries, external, versions);
  for (const name of besideMod) await cp(new URL(name, source), new URL(name, target));
  for await (const { name } of Deno.readDir(new URL("dist/", target))) {
    await rewrite(new URL(`dist/${name}`, target), (code) => shorten(restoreNames(delayTypes(namePackages(code)))));
  }
  for (const entry of entries) {
    await rewrite(new URL(builtFrom(entry), target), (code) => `/* @ts-self-types=".${entry}" */\n${code}`);
  }
  if (besideMod.length > 0) await Deno.writeTextFile(new URL("dist/LICENSES.txt", target), await licenses(versions));
  for (const name of ["deno.json", "jsr.json"]) await rewrite(new URL(name, target), exportBuilt);
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
  versions: Versions,
): Promise<void> {
  const imports = Object.fromEntries(INCLUDED.map((name) => [name, `npm:${name}@${versions[name]}`]));
  const map = new URL("imports.json", folder);
  await Deno.writeTextFile(map, JSON.stringify({ imports }));
  const flags = ["--quiet", "--no-lock", "--import-map=imports.json", "--code-splitting", "--outdir", "dist"];
  const packages = external.flatMap((name) => [name, `${name}/*`]);
  // --external takes all that follows it up to the next flag
  const args = ["bundle", "--external", ...packages, ...flags, ...entries];
  const { code, output } = await run(Deno.execPath(), args, {
    limitMs: 60_000,
    quiet: true,
    cwd: fileURLToPath(folder),
  });
  await Deno.remove(map);
  if (code !== 0) throw new Error(`${fileURLToPath(folder)} cannot be bundled: ${output}`);
}

/** The licenses of the included packages, which ask for being passed on with the code. */
async function licenses(versions: Versions): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  const registries = pathToFileURL(`${npmCache}/`);
  const texts = await Promise.all(INCLUDED.map(async (name) => {
    for await (const registry of Deno.readDir(registries)) {
      const folder = new URL(`${registry.name}/${name}/${versions[name]}/`, registries);
      const files = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
      const license = files.find((file) => /^licen[cs]e/i.test(file.name));
      if (license !== undefined) {
        return `${name} ${versions[name]}\n\n${await Deno.readTextFile(new URL(license.name, folder))}`;
      }
    }
    throw new Error(`the package "${name}" ${versions[name]} has no license in Deno's cache`);
  }));
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Replaces the path of a package's module, which the bundler writes above its code, by the package and its version. */
function namePackages(code: string): string {
  return code.replace(/^\/\/ \S*\/npm\/[^/\s]+\/((?:@[^/\s]+\/)?[^/\s]+)\/(\d[^/\s]*)\//gm, "// npm:$1@$2/");
}

/**
 * Delays mrmime's table of four hundred types until one is looked up, which few programs do: at every start it would
 * take as much memory as two hundred functions.
 *
 * @throws {Error} If mrmime is there, but not as expected
 */
function delayTypes(code: string): string {
  if (!code.includes("// npm:mrmime@")) return code;
  const delayed = code.replace(
    /^var mimes = (\{[^}]*\});\nfunction lookup\(extn\) \{$/m,
    "var mimes;\nfunction lookup(extn) {\n  mimes ??= $1;",
  );
  if (delayed === code) throw new Error("mrmime's table is not where it was: see node_modules or its version");
  return delayed;
}

/** Undoes `var App = class _App`, as the bundler writes classes that refer to themselves: users see their names. */
function restoreNames(code: string): string {
  const names = new Set([...code.matchAll(/^var (\w+) = class _\1\b/gm)].map(([, name]) => name));
  return code.replace(/\b_(\w+)/g, (word, name) => names.has(name) ? name : word);
}

/**
 * Removes indentation and documentation, and shortens the names of local variables and private members. Functions,
 * classes and methods keep their names, and most statements a line of their own, so that a stack trace can be read.
 */
async function shorten(code: string): Promise<string> {
  const { code: shortened } = await minify(code, {
    compress: false,
    mangle: { keep_classnames: true, keep_fnames: true },
    format: {
      // V8 stores other text with two bytes for each character, which takes half again as long to load
      ascii_only: true,
      // which module the code after it is from, and what bundlers must leave alone; licenses are in a file of their own
      comments: /^ (?:npm:|\S+\.[jt]s$|webpackIgnore|@vite-ignore)/,
      // for bundlers: calls that may be left out
      preserve_annotations: true,
      semicolons: false,
      // V8 compiles functions in parentheses at once, whether they are called or not
      wrap_func_args: false,
    },
  });
  return `${shortened}\n`;
}

async function rewrite(file: URL, change: (text: string) => string | Promise<string>): Promise<void> {
  await Deno.writeTextFile(file, await change(await Deno.readTextFile(file)));
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
