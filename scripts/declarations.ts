/** Type declarations for the sources, for registries that serve JavaScript. */
import { rm } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** How to generate a package's declarations. */
export interface Declaring {
  /** The package, with its sources. */
  readonly folder: URL;
  /** Entry points by name, relative to the folder. */
  readonly entries: Readonly<Record<string, string>>;
  /** Output folder, relative to the folder. */
  readonly to: string;
  /** Packages whose types are available to programs, besides Node's. */
  readonly packages: readonly string[];
}

/** A name that an entry point exports. */
export interface Exported {
  readonly name: string;
  /** Whether it is only a type. */
  readonly isType: boolean;
  /** Path of the original declaration, below the declarations folder, without extension. */
  readonly path: string;
  /** Its name there. */
  readonly original: string;
}

/**
 * Writes declarations for entry points, and for the modules that programs reach through them.
 *
 * They are CommonJS declarations, `mod.d.cts`, and for ES modules `mod.d.ts` re-exports all names, so that a class has
 * one type in a program however its modules load it. They are not bundled: the bundlers we tried confuse equal names in
 * different namespaces, and there are dozens here.
 *
 * @param declaring Inputs and output
 * @returns Each entry point's exports
 * @throws {Error} If the compiler cannot declare one of them, or a program would need types from a different package
 */
export async function writeDeclarations(
  { folder, entries, to, packages }: Declaring,
): Promise<Record<string, readonly Exported[]>> {
  const root = fileURLToPath(folder);
  const declarations = fileURLToPath(new URL(to, folder));
  const paths = Object.values(entries).map((path) => fileURLToPath(new URL(path, folder)));
  const program = ts.createProgram(paths, {
    rootDir: root,
    outDir: declarations,
    declaration: true,
    emitDeclarationOnly: true,
    // the gate has checked the sources
    noCheck: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: [],
  });
  const emitted = new Map<string, string>();
  const { diagnostics } = program.emit(undefined, (path, text) => void emitted.set(moduleOf(resolve(path)), text));
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, FORMAT));
  await declareScripts(root, program, (path, text) => emitted.set(resolve(declarations, path), text));
  const reached = reachable(Object.keys(entries).map((name) => resolve(declarations, name)), emitted, packages);
  await rm(declarations, { recursive: true, force: true });
  for (const path of reached) await writeText(`${path}.d.cts`, asCommonJs(emitted.get(path)!));
  const checker = program.getTypeChecker();
  const exported = Object.fromEntries(
    Object.keys(entries).map((name, i) => {
      return [name, exportedBy(program.getSourceFile(paths[i]!)!, checker, root)];
    }),
  );
  for (const [name, names] of Object.entries(exported)) {
    await writeText(resolve(declarations, `${name}.d.ts`), passedOn(name, names));
  }
  return exported;
}

const FORMAT: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (path) => path,
  getCurrentDirectory: () => "",
  getNewLine: () => "\n",
};

/** A module's path without its source extension. */
function moduleOf(path: string): string {
  return path.replace(/(?:\.d)?\.[cm]?[jt]s$/, "");
}

/** JavaScript modules point to their types. */
async function declareScripts(
  root: string,
  program: ts.Program,
  declare: (path: string, text: string) => void,
): Promise<void> {
  for (const { fileName, text } of program.getSourceFiles()) {
    // packages included in a bundle have their own declarations
    if (!fileName.startsWith(root) || fileName.includes("/node_modules/")) continue;
    for (const { fileName: imported } of ts.preProcessFile(text, true, true).importedFiles) {
      if (!/^\..*\.js$/.test(imported)) continue;
      const script = resolve(dirname(fileName), imported);
      const [, types] = (await Deno.readTextFile(script)).match(/^\/\/ @ts-self-types="(.+)"/) ?? [];
      if (types === undefined) throw new Error(`${script} does not say where its types are`);
      declare(moduleOf(relative(root, script)), `export * from "${types}";\n`);
    }
  }
}

function reachable(
  doors: readonly string[],
  emitted: ReadonlyMap<string, string>,
  packages: readonly string[],
): Set<string> {
  const reached = new Set<string>();
  const open = [...doors];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const text = emitted.get(path);
    if (text === undefined) throw new Error(`${path} has no declarations`);
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      if (fileName.startsWith(".")) open.push(moduleOf(resolve(dirname(path), fileName)));
      else if (!fileName.startsWith("node:") && !packages.some((name) => `${fileName}/`.startsWith(`${name}/`))) {
        throw new Error(`Through ${path}, programs would need the types of ${fileName}`);
      }
    }
  }
  return reached;
}

/** Renames imports to what programs load: `./layer.cjs` instead of `./layer.ts`. */
function asCommonJs(text: string): string {
  let changed = text;
  // from the end, so that positions stay valid
  for (const { fileName, pos } of ts.preProcessFile(text, true, true).importedFiles.toReversed()) {
    if (!fileName.startsWith(".")) continue;
    const start = changed.indexOf(fileName, pos);
    changed = `${changed.slice(0, start)}${moduleOf(fileName)}.cjs${changed.slice(start + fileName.length)}`;
  }
  return changed;
}

function exportedBy(source: ts.SourceFile, checker: ts.TypeChecker, root: string): Exported[] {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(source)!).map((symbol) => {
    const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return {
      name: symbol.name,
      isType: !(meant.flags & ts.SymbolFlags.Value),
      path: moduleOf(relative(root, meant.declarations![0]!.getSourceFile().fileName)),
      original: meant.name,
    };
  }).sort((one, other) => one.name < other.name ? -1 : 1);
}

/**
 * Generates an ES module with the CommonJS module's exports, whose default export it would otherwise see as Node does.
 *
 * It re-exports without a list of names: where modules of both kinds extend an interface, as the types of cookie-parser
 * and a program do, TypeScript 7 keeps one extension of a listed name, and both extensions of an unlisted name.
 */
function passedOn(name: string, exported: readonly Exported[]): string {
  const standard = exported.find(({ name }) => name === "default");
  const lines = [`export * from "./${name}.cjs";`];
  if (standard !== undefined) lines.push(`export { ${standard.original} as default } from "./${standard.path}.cjs";`);
  return `${lines.join("\n")}\n`;
}

async function writeText(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}
