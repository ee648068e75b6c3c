/**
 * `deno task build`: both packages as they are published, in `.cache/published/`.
 *
 * A package's entry points are bundled into JavaScript that shares its modules, because Deno takes longer to load a
 * hundred modules than to run them (docs/decisions/0013). Types and documentation come from the sources, which are
 * published as well.
 */
import { cp, rm } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { calledFunctions } from "./called_functions.ts";
import { compiledEagerly } from "./eager_functions.ts";
import { lockedVersions } from "./locked_packages.ts";
import { run } from "./process.ts";
import { publishedCode } from "./published_code.ts";

const ROOT = new URL("../", import.meta.url);

/** The folder `deno task build` writes to. */
export const PUBLISHED = new URL(".cache/published/", ROOT);

/** A package, in the repository and in the result. */
interface Package {
  /** Its folder. */
  readonly path: string;
  /**
   * Modules that are loaded beside its `mod.ts`, or later by it. While being bundled they import it, so that all it
   * consists of is one module: the bundler makes one for each combination of entry points that share something.
   */
  readonly besideMod: readonly string[];
  /**
   * Entry points for programs that do not load its `mod.ts`. What they need of it is in both bundles: in a module of its
   * own, every start would have to load that one and bind its exports, and V8 would keep its text in the young generation,
   * because it is short.
   */
  readonly alone: readonly string[];
  /**
   * npm packages that become part of its bundles, at the versions of `deno.lock`: all that its `mod.ts` loads. To find
   * and load them separately takes a quarter of the time until the first response.
   */
  readonly included: readonly string[];
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
      "src/request/form_body.ts",
      "src/response/file_transfer.ts",
      "src/websocket/accept.ts",
    ],
    alone: ["limiting.ts"],
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
  { path: "./advanced/", besideMod: [], alone: [], included: [] },
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
  const names = manifests.flatMap(({ name, imports }) => [name, ...Object.keys(imports)]);
  const versions = await lockedVersions();
  for (const [i, one] of PACKAGES.entries()) await buildPackage(one, manifests[i]!, names, versions, folder);
}

async function buildPackage(
  { path, besideMod, alone, included }: Package,
  { exports, publish }: Manifest,
  names: readonly string[],
  versions: Versions,
  folder: URL,
): Promise<void> {
  const [source, target] = [new URL(path, ROOT), new URL(path, folder)];
  for (const name of publish.include) await cp(new URL(name, source), new URL(name, target), { recursive: true });
  const entries = Object.values(exports);
  for (const name of besideMod) {
    const mod = `./${"../".repeat(name.split("/").length - 1)}mod.ts`;
    await rewrite(new URL(name, target), (code) => `import "${mod}";\n${code}`);
  }
  // other packages stay imports, so that their fixes reach users and each is loaded once
  const external = names.filter((name) => !included.includes(name));
  const imports = Object.fromEntries(included.map((name) => [name, `npm:${name}@${versions[name]}`]));
  const apart = alone.map((name) => `./${name}`);
  await bundle(target, entries.filter((entry) => !apart.includes(entry)), external, imports);
  for (const entry of apart) await bundle(target, [entry], external, imports);
  for (const name of besideMod) await cp(new URL(name, source), new URL(name, target));
  for await (const { name } of Deno.readDir(new URL("dist/", target))) {
    await rewrite(new URL(`dist/${name}`, target), publishedCode);
  }
  if (included.length > 0) await compileCalled(new URL("dist/", target));
  for (const entry of entries) {
    await rewrite(new URL(builtFrom(entry), target), (code) => `/* @ts-self-types=".${entry}" */\n${code}`);
  }
  if (included.length > 0) {
    await Deno.writeTextFile(new URL("dist/LICENSES.txt", target), await licenses(included, versions));
  }
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
  imports: Readonly<Record<string, string>>,
): Promise<void> {
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

/** Makes V8 compile what every start calls together with the module. */
async function compileCalled(folder: URL): Promise<void> {
  const called = await calledFunctions(new URL("mod.js", folder));
  for (const [file, functions] of called) {
    await rewrite(new URL(file, folder), (code) => compiledEagerly(code, functions));
  }
}

/** The licenses of the included packages, which ask for being passed on with the code. */
async function licenses(included: readonly string[], versions: Versions): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { npmCache } = JSON.parse(new TextDecoder().decode(stdout));
  const registries = pathToFileURL(`${npmCache}/`);
  const texts = await Promise.all(included.map(async (name) => {
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
