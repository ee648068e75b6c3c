/**
 * `deno task build`: builds the packages for JSR, in `.cache/published/`; `--source-maps` adds maps, for registries
 * that serve them.
 *
 * A library's entry points are bundled into JavaScript that shares its modules, because loading a hundred modules takes
 * longer than running them (docs/decisions/0013-start.md). Types and documentation come from the sources, which are
 * published as well. The program in `create/` consists of its sources and its templates' contents.
 */
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";
import { flags } from "./flags.ts";
import { NPM_FACTS } from "./npm_manifest.ts";
import {
  CREATE,
  entriesOf,
  FOLDERS,
  knownPackages,
  licensesOf,
  manifestOf,
  PACKAGES,
  stage,
  unstage,
} from "./packages.ts";
import { rewrite } from "./rewrite.ts";
import { writeTemplateTexts } from "./template_texts.ts";

const ROOT = new URL("../", import.meta.url);

/** The output folder for `deno task build`. */
export const PUBLISHED = new URL(".cache/published/", ROOT);

/** Folders of packages other than the root. */
const MEMBERS = FOLDERS.filter((path) => path !== "./");

/** Build options. */
export interface BuildOptions {
  /** Whether to generate source maps. */
  readonly sourceMaps: boolean;
}

/**
 * Builds the packages as a workspace from which `deno publish` publishes them.
 *
 * @param folder The output folder; its previous contents are removed
 * @param options Build options
 * @throws {Error} If a package cannot be bundled
 */
export async function buildPackages(folder: URL, options: BuildOptions = { sourceMaps: false }): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const names = await knownPackages();
  for (const one of PACKAGES) {
    const { path, included } = one;
    const target = new URL(path, folder);
    const entries = entriesOf(await manifestOf(path));
    await stage(target, one);
    const external = names.filter((name) => !included.includes(name));
    await bundle({ folder: target, entries, to: "dist/", external, format: "es", ...options });
    if (included.length > 0) {
      await Deno.writeTextFile(new URL("dist/LICENSES.txt", target), await licensesOf(target, included));
    }
    await unstage(target);
    for (const entry of Object.values(entries)) {
      // on the first import's line, so that a source map keeps its lines
      await rewrite(new URL(builtFrom(entry), target), (code) => `/* @ts-self-types=".${entry}" */ ${code}`);
    }
    for (const name of ["deno.json", "jsr.json"]) await rewrite(new URL(name, target), exportBuilt);
    await rewrite(new URL("deno.json", target), importTypes);
  }
  const program = new URL(CREATE.path, folder);
  await stage(program, CREATE);
  await writeTemplateTexts(program);
  await unstage(program);
}

function builtFrom(entry: string): string {
  return entry.replace("./", "./dist/").replace(/\.ts$/, ".js");
}

/** Replaces a manifest's entry points with their bundles. */
function exportBuilt(text: string): string {
  const manifest = JSON.parse(text);
  for (const [name, entry] of Object.entries<string>(manifest.exports)) manifest.exports[name] = builtFrom(entry);
  manifest.publish?.include.push("dist/");
  // unpublished members are missing there
  if (manifest.workspace !== undefined) manifest.workspace = MEMBERS;
  return JSON.stringify(manifest, null, 2);
}

/** Adds imports for the packages whose types the sources use: JSR writes their versions into the imports. */
function importTypes(text: string): string {
  const manifest = JSON.parse(text);
  for (const [name, range] of Object.entries(NPM_FACTS[manifest.name]?.typesOf ?? {})) {
    manifest.imports[name] = `npm:${name}@${range}`;
  }
  return JSON.stringify(manifest, null, 2);
}

if (import.meta.main) {
  const { "source-maps": sourceMaps } = flags({ "source-maps": false });
  await buildPackages(PUBLISHED, { sourceMaps });
  console.log(`Built in ${fileURLToPath(PUBLISHED)}`);
}
