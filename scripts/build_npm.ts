/**
 * `deno task build:npm`: builds the packages for npm in `.cache/npm/`, from the same sources as for JSR: a folder for
 * each package, with the tarball to publish next to it.
 *
 * `--repository=https://…` is the repository that npm shows, and against which it checks the provenance.
 */
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.ts";
import { type Exported, writeDeclarations } from "./declarations.ts";
import { expressMajors, writeExpress } from "./express_package.ts";
import { flags } from "./flags.ts";
import {
  commandFile,
  NPM_FACTS,
  type NpmCommand,
  npmManifest,
  ON_NODE,
  PROGRAM,
  programManifest,
  REPOSITORY,
  REQUIRED,
} from "./npm_manifest.ts";
import {
  CREATE,
  entriesOf,
  knownPackages,
  licensesOf,
  type Manifest,
  manifestOf,
  PACKAGES,
  stage,
  unstage,
} from "./packages.ts";
import { run } from "./process.ts";
import { llmsSmallTxt } from "./site/llms_small.ts";
import { readSite } from "./site/stage.ts";
import { WORKERD_MODULES } from "./workerd_modules.ts";
import { exportWhole, WHOLE } from "./whole_export.ts";
import { rewrite } from "./rewrite.ts";
import { writeTemplateTexts } from "./template_texts.ts";

const ROOT = new URL("../", import.meta.url);

/** The output folder for `deno task build:npm`. */
export const NPM = new URL(".cache/npm/", ROOT);

/** A built package. */
export interface Built {
  /** Its name on npm. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** The tarball's contents. */
  readonly folder: URL;
  /** The tarball. */
  readonly tarball: URL;
}

/** The same as `mod`, but its applications listen on Node. */
const ON_NODE_MODULE = `import "./node.js";
export * from "./mod.js";
export { default } from "./mod.js";
`;

/** Its call signature. */
const MAKES_APPLICATIONS = "<L extends _Locals = _Locals>(): _FrameworkApp<L>";

/**
 * Builds the libraries for npm.
 *
 * On Node, the code is CommonJS, and its ES modules only re-export it, so that each class has one instance however a
 * program loads it: Jest, and older versions of tsx, cannot `require` ES modules. On Deno, Bun, Workers and in bundles
 * for all other targets, the code is ES modules, as on JSR, also for `require`; for Workers, the framework is bundled
 * without the parts they cannot run.
 *
 * @param to The output folder; its previous contents are removed
 * @param repository The repository's URL
 * @returns The packages
 * @throws {Error} If a package cannot be built or packed
 */
export async function buildNpm(to: URL, repository: string): Promise<Built[]> {
  await rm(to, { recursive: true, force: true });
  await Deno.mkdir(to, { recursive: true });
  const names = await knownPackages();
  const built: Built[] = [];
  for (const { path, included: always } of PACKAGES) {
    const manifest = await manifestOf(path);
    const facts = NPM_FACTS[manifest.name]!;
    const folder = new URL(`${manifest.name.replace(/^@.*\//, "")}/`, to);
    const included = [...always, ...facts.included];
    await stage(folder, { path, included });
    const all = entriesOf(manifest);
    const entries = Object.fromEntries(Object.entries(all).filter(([name]) => name !== facts.command?.entry));
    const modules = { folder, external: names.filter((name) => !included.includes(name)), sourceMaps: true };
    await bundle({ ...modules, entries: all, to: "dist/", format: "es" });
    if (facts.listensOnNode) {
      // without source maps, at four fifths the size: wrangler generates its own, and the code keeps the sources' names
      const forWorkers = { ...modules, sourceMaps: false, replaced: WORKERD_MODULES };
      await bundle({ ...forWorkers, entries, to: "workerd/", format: "es" });
      await Deno.writeTextFile(new URL(`dist/${ON_NODE}.js`, folder), ON_NODE_MODULE);
    }
    const onNode = facts.listensOnNode ? { ...entries, mod: await onNodeEntry(folder) } : entries;
    const exported = await bundle({ ...modules, entries: onNode, to: "node/", format: "cjs" });
    const declaring = {
      folder,
      entries,
      to: "types/",
      packages: [...facts.dependencies, ...facts.optionalPeers, ...Object.keys(facts.typesOf ?? {})],
    };
    const declared = await writeDeclarations(declaring);
    if (facts.listensOnNode) await includeExpressGlobals(new URL("types/", folder));
    for (const name of Object.keys(entries)) await writeForNode(folder, name, exported[name]!, declared[name]!);
    if (facts.command !== undefined) await writeCommand(folder, facts.command);
    if (included.length > 0) {
      await Deno.writeTextFile(new URL("LICENSES.txt", folder), await licensesOf(folder, included));
    }
    await unstage(folder);
    await removeSources(folder, manifest, facts.files);
    if (facts.isForModels === true) {
      await Deno.writeTextFile(new URL("llms-small.txt", folder), await llmsSmallTxt(await readSite()));
    }
    await writeJson(
      new URL("package.json", folder),
      npmManifest(manifest, facts, repository, await rangesOf(manifest)),
    );
    built.push({ name: manifest.name, version: manifest.version, folder, tarball: await pack(folder, to) });
  }
  return built;
}

/**
 * Builds the scaffolding program: a module that runs, and is not imported.
 *
 * @param to The output folder, beside the libraries
 * @param repository The repository's URL
 * @returns The program, as a package
 * @throws {Error} If it cannot be built or packed
 */
export async function buildProgram(to: URL, repository: string): Promise<Built> {
  const manifest = await manifestOf(CREATE.path);
  const folder = new URL(`${PROGRAM.name}/`, to);
  await stage(folder, CREATE);
  await writeTemplateTexts(folder);
  const external = Object.keys(manifest.imports);
  await bundle({ folder, entries: { create: "./mod.ts" }, external, to: "dist/", format: "es", sourceMaps: false });
  await unstage(folder);
  await removeSources(folder, manifest);
  await writeJson(new URL("package.json", folder), programManifest(manifest, repository, await rangesOf(manifest)));
  return { name: PROGRAM.name, version: manifest.version, folder, tarball: await pack(folder, to) };
}

/**
 * An entry point that is `mod.ts`, with applications that listen: on Node, a program need not name the adapter. It
 * calls the setup itself: a bundler that keeps this module for its side effects drops modules imported only for theirs.
 */
async function onNodeEntry(folder: URL): Promise<string> {
  const text = `
    import { setUpNode } from "./src/node/set_up_node.ts";
    setUpNode();
    export * from "./mod.ts";
  `;
  await Deno.writeTextFile(new URL("mod_on_node.ts", folder), text);
  return "./mod_on_node.ts";
}

/** Writes a command: its entry module runs nothing when loaded, so this calls its export. */
async function writeCommand(folder: URL, { name, entry, run }: NpmCommand): Promise<void> {
  const file = new URL(commandFile(name), folder);
  await Deno.mkdir(new URL("./", file), { recursive: true });
  const text = `#!/usr/bin/env node
import { ${run} } from "../dist/${entry}.js";
await ${run}(process.argv.slice(2));
`;
  await Deno.writeTextFile(file, text, { mode: 0o755 });
}

/** Writes the files only Node loads: the ES module around a CommonJS module, and the types for the latter. */
async function writeForNode(
  folder: URL,
  name: string,
  names: readonly string[],
  types: readonly Exported[],
): Promise<void> {
  const isWhole = names.includes(WHOLE);
  const own = names.filter((one) => one !== WHOLE && one !== "default").sort();
  const lines = [
    `// the same instances as for require(), which is why this only passes them on`,
    `import required from "./${name}.cjs";`,
    ...(isWhole ? [`export default required;`] : []),
    `const { ${own.map((one) => `${one}: _${one}`).join(", ")} } = required;`,
    `export { ${own.map((one) => `_${one} as ${one}`).join(", ")} };`,
  ];
  await Deno.writeTextFile(new URL(`node/${name}.js`, folder), `${lines.join("\n")}\n`);
  if (!isWhole) return;
  await exportWhole(new URL(`node/${name}.cjs`, folder));
  await Deno.writeTextFile(new URL(`types/${REQUIRED}.d.cts`, folder), typesOfWhole(name, types, MAKES_APPLICATIONS));
}

/** Types for a function with properties, which `require` returns if there is a default export. */
function typesOfWhole(name: string, exported: readonly Exported[], call: string): string {
  const own = exported.filter(({ name }) => name !== "default");
  const kind = ({ isType }: Exported) => isType ? "type " : "";
  return [
    `import { ${own.map((one) => `${kind(one)}${one.name} as _${one.name}`).join(", ")} } from "./${name}.cjs";`,
    `declare function required${call};`,
    `declare namespace required {`,
    `  export { ${own.map((one) => `${kind(one)}_${one.name} as ${one.name}`).join(", ")}, required as default };`,
    `}`,
    `export = required;`,
    ``,
  ].join("\n");
}

/** Global interfaces that type packages extend, and Sluice's interfaces that include them. */
const EXPRESS_GLOBALS: readonly (readonly [file: string, own: string, theirs: string])[] = [
  ["src/request/request_extras", "export interface RequestExtras {", "Express.Request"],
  ["src/response/framework_response", "export interface ResponseExtras {", "Express.Response"],
  ["src/response/framework_response", "export interface Locals {", "Express.Locals"],
  ["src/app/framework_app", "export interface ApplicationExtras {", "Express.Application"],
];

/**
 * Adds properties that packages such as passport declare for Express's requests to Sluice's. The sources do not do so,
 * because JSR rejects packages with global declarations.
 */
async function includeExpressGlobals(types: URL): Promise<void> {
  for (const [file, own, theirs] of EXPRESS_GLOBALS) {
    await rewrite(new URL(`${file}.d.cts`, types), (text) => {
      if (!text.includes(own)) throw new Error(`${file} no longer has "${own}"`);
      return text.replace(own, own.replace(" {", ` extends ${theirs} {`));
    });
  }
  const names = EXPRESS_GLOBALS.map(([, , theirs]) => `interface ${theirs.replace("Express.", "")} {}`);
  const globals = `declare global {\n  namespace Express {\n    ${names.join("\n    ")}\n  }\n}\n`;
  await rewrite(new URL(`${EXPRESS_GLOBALS[0]![0]}.d.cts`, types), (text) => `${text}${globals}`);
}

async function removeSources(
  folder: URL,
  { exports, publish }: Manifest,
  kept: readonly string[] = [],
): Promise<void> {
  const sources = [
    "src/",
    "limiting/",
    "internal/",
    "mod_on_node.ts",
    "deno.json",
    "jsr.json",
    ...Object.values(exports),
  ];
  for (const name of sources) await rm(new URL(name, folder), { recursive: true, force: true });
  const left = publish.include.filter((name) => !sources.includes(name) && !sources.includes(`./${name}`));
  const others = left.filter((name) => !kept.includes(name) && !/^[A-Z]+(?:\.md)?$/.test(name));
  if (others.length > 0) throw new Error(`${others.join(", ")}: nobody has decided whether npm gets it`);
}

/** Version ranges for external packages, from `deno.json`; this repository's packages share one version. */
async function rangesOf({ version, imports }: Manifest): Promise<Record<string, string>> {
  const { imports: shared } = await manifestOf("./");
  const ranges: Record<string, string> = {};
  for (const [name, specifier] of Object.entries({ ...shared, ...imports })) {
    const range = specifier.match(/^npm:(?:@[^/]+\/)?[^@]+@(.+)$/)?.[1];
    if (range !== undefined) ranges[name] = range;
  }
  for (const { path } of PACKAGES) ranges[(await manifestOf(path)).name] = `^${version}`;
  return ranges;
}

async function writeJson(file: URL, value: unknown): Promise<void> {
  await Deno.writeTextFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

async function pack(folder: URL, to: URL): Promise<URL> {
  const args = ["pack", "--json", "--pack-destination", fileURLToPath(to)];
  const { code, output } = await run("npm", args, { limitMs: 60_000, quiet: true, cwd: fileURLToPath(folder) });
  if (code !== 0) throw new Error(`${fileURLToPath(folder)} cannot be packed: ${output}`);
  const [{ filename }] = JSON.parse(output.slice(output.indexOf("[")));
  return new URL(filename, to);
}

/**
 * Builds `@sluice/express`, once for each Express major.
 *
 * @param to The output folder, beside the libraries
 * @param repository The repository's URL
 * @returns The packages, the newest major last
 * @throws {Error} If a package cannot be built or packed
 */
export async function buildExpress(to: URL, repository: string): Promise<Built[]> {
  const built: Built[] = [];
  for (const major of await expressMajors()) {
    const folder = new URL(`express-${major.major}/`, to);
    await writeExpress(folder, major, repository);
    built.push({ name: "@sluice/express", version: major.version, folder, tarball: await pack(folder, to) });
  }
  return built;
}

if (import.meta.main) {
  const { repository } = flags({ repository: REPOSITORY });
  const built = [
    ...await buildNpm(NPM, repository),
    ...await buildExpress(NPM, repository),
    await buildProgram(NPM, repository),
  ];
  for (const { name, tarball } of built) console.log(`${name}: ${fileURLToPath(tarball)}`);
}
