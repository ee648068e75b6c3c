/**
 * The package `@sluice/express`, once for each Express major: versions of one package, from one folder. It imports the
 * framework instead of copying it.
 */
import { cp } from "node:fs/promises";
import { bundle } from "./bundle.ts";
import { hookedFiles, loadingHooked } from "./express_hooks.ts";
import { commonFields } from "./npm_manifest.ts";
import { manifestOf } from "./packages.ts";
import { rewrite } from "./rewrite.ts";
import { exportWhole } from "./whole_export.ts";

const PACKAGE = "./express/";
const SOURCES = new URL(`../${PACKAGE}`, import.meta.url);

/** An Express major. */
export interface Major {
  /** The major. */
  readonly major: number;
  /** The package's version: major and minor match the Express version whose tests pass. */
  readonly version: string;
}

/** The majors, the newest last, which becomes `latest` on npm. */
export async function expressMajors(): Promise<Major[]> {
  const versions: Record<string, string> = JSON.parse(await Deno.readTextFile(new URL("versions.json", SOURCES)));
  return Object.entries(versions).map(([major, version]) => ({ major: Number(major), version }))
    .sort((one, other) => one.major - other.major);
}

/** Express's files that programs import, by path below `lib/`. */
export const EXPRESS_FILES: readonly string[] = [
  "application",
  "express",
  "middleware/init",
  "middleware/query",
  "request",
  "response",
  "router/index",
  "router/layer",
  "router/route",
  "utils",
  "view",
];

/**
 * Writes the package for one major.
 *
 * @param folder The output folder
 * @param major The major
 * @param repository The repository's URL
 * @throws {Error} If it cannot be bundled
 */
export async function writeExpress(folder: URL, { major, version }: Major, repository: string): Promise<void> {
  const entry = major === 4 ? "four" : "five";
  const sources = new URL("sources/", folder);
  for (const name of ["src", "lib", `${entry}.ts`]) {
    await cp(new URL(name, SOURCES), new URL(name, sources), { recursive: true });
  }
  const onNode = `import "@sluice/sluice/node";
export * from "./${entry}.ts";
export { default } from "./${entry}.ts";
`;
  await Deno.writeTextFile(new URL("mod_on_node.ts", sources), onNode);
  const manifest = await manifestOf(PACKAGE);
  const modules = { folder: sources, external: [manifest.name, "@sluice/sluice"], sourceMaps: true };
  await bundle({ ...modules, entries: { mod: `./${entry}.ts` }, to: "../dist/", format: "es" });
  await Deno.writeTextFile(new URL("dist/mod_on_node.js", folder), ON_NODE_MODULE);
  const files = Object.fromEntries(EXPRESS_FILES.map((path) => [fileName(path), `./lib/${path}.ts`]));
  const onlyNode = { mod: "./mod_on_node.ts", layer_calls: "./src/shared/layer_calls.ts", ...files };
  await bundle({ ...modules, entries: onlyNode, to: "../node/", format: "cjs" });
  for (const name of ["mod", ...Object.keys(files)]) await exportWhole(new URL(`node/${name}.cjs`, folder));
  await writeFiles(folder, major);
  await cp(new URL("types/", SOURCES), new URL("types/", folder), { recursive: true });
  for (const name of ["README.md", "LICENSE"]) await cp(new URL(name, SOURCES), new URL(name, folder));
  await Deno.remove(sources, { recursive: true });
  await Deno.writeTextFile(new URL("node/mod.js", folder), esModule(major));
  const sluice = await manifestOf("./");
  const text = JSON.stringify(
    {
      name: manifest.name,
      ...commonFields({ ...manifest, version }, { description: describing(major), keywords: KEYWORDS }, repository),
      homepage: "https://jsr.io/@sluice/sluice",
      main: "./node/mod.cjs",
      // no types of its own: compilers resolve @types/express under the alias's name, as for Express
      exports: {
        // Express's package has no exports map, so its file can also be imported
        ...Object.fromEntries([".", "./index", "./index.js"].map((name) => [name, EXPRESS])),
        "./sluice": { types: "./types/sluice.d.ts" },
        ...Object.fromEntries(EXPRESS_FILES.flatMap(fileEntries)),
        "./package.json": "./package.json",
      },
      // importing it makes applications listen
      sideEffects: ["./node/mod.js", "./node/mod.cjs", "./dist/mod_on_node.js"],
      files: ["dist/", "lib/", "node/", "types/"],
      dependencies: { [sluice.name]: `^${sluice.version}`, "@types/express": major === 4 ? "^4.17.0" : "^5.0.0" },
    },
    null,
    2,
  );
  await Deno.writeTextFile(new URL("package.json", folder), `${text}\n`);
}

/** Writes Express's files, at their paths. */
async function writeFiles(folder: URL, major: number): Promise<void> {
  const hooked = hookedFiles(major);
  const known = new Set(hooked.map(({ path }) => path));
  const others = EXPRESS_FILES.filter((path) => !known.has(filePath(path))).map((path) => {
    const up = "../".repeat(path.split("/").length);
    return { path: filePath(path), text: `module.exports = require("${up}node/${fileName(path)}.cjs");\n` };
  });
  const manifest = { path: "lib/package.json", text: `{ "type": "commonjs" }\n` };
  for (const { path, text } of [...hooked, ...others, manifest]) {
    const file = new URL(path, folder);
    await Deno.mkdir(new URL("./", file), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  const loading = loadingHooked(major);
  await rewrite(
    new URL("node/mod.cjs", folder),
    (code) => `${code.replace(MAP, "")}\n${loading}${MAP.exec(code)?.[0] ?? ""}`,
  );
}

/** The source map comment, which must come last. */
const MAP = /\/\/# sourceMappingURL=.*\s*$/;

/** The same where `node:http` exists, which is loaded first, because requests inherit from Node's. */
const ON_NODE_MODULE = `import "@sluice/sluice/node";
export * from "./mod.js";
export { default } from "./mod.js";
`;

const ON_NODE = { require: "./node/mod.cjs", default: "./node/mod.js" };

/** Location of the package itself, by runtime: see `conditionsOf` for the other packages. */
const EXPRESS = {
  deno: "./dist/mod_on_node.js",
  // not ES modules: for `require`, `bun build` returns their namespace instead of the function
  bun: ON_NODE,
  workerd: "./dist/mod.js",
  node: { "node-addons": ON_NODE, "module-sync": "./dist/mod_on_node.js", ...ON_NODE },
  default: "./dist/mod.js",
};

const KEYWORDS = ["express", "express4", "express5", "sluice", "web", "framework", "router", "alias"];

function describing(major: number): string {
  return `Express ${major} on Sluice, for programs that are not changed: npm install express@npm:@sluice/express@${major}`;
}

/** The package's named exports, besides the default. */
const NAMES = ["Route", "Router", "application", "json", "raw", "request", "response", "static", "text", "urlencoded"];

// the same instances as with require()
function esModule(major: number): string {
  const names = major === 4 ? [...NAMES, "query"] : NAMES;
  return [
    `import required from "./mod.cjs";`,
    `export default required;`,
    `const { ${names.map((one) => `${one}: _${one}`).join(", ")} } = required;`,
    `export { ${names.map((one) => `_${one} as ${one}`).join(", ")} };`,
    ``,
  ].join("\n");
}

function fileName(path: string): string {
  return `lib_${path.replaceAll("/", "_")}`;
}

function filePath(path: string): string {
  return `lib/${path}.js`;
}

// with and without the extension, and a folder by name: all paths that Node resolves in Express's package
function fileEntries(path: string): [string, unknown][] {
  const file = { types: "./types/file.d.cts", default: `./${filePath(path)}` };
  const conditions = { deno: file, bun: file, workerd: file, node: file, default: file };
  const names = path.endsWith("/index") ? [path.slice(0, -"/index".length), path, `${path}.js`] : [path, `${path}.js`];
  return names.map((name) => [`./lib/${name}`, conditions]);
}
