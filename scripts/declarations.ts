/** Type declarations of the sources, for registries that serve JavaScript. */
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
// before the plugin, which would take the newest version, and that has no interface for programs
import ts from "typescript";
import { dts } from "rollup-plugin-dts";

/** A class, an interface or an alias. */
export interface ExportedType {
  /** Its name. */
  readonly name: string;
  /** Its type parameters as declared, `L extends Locals = Locals`, by their names. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** What an entry point exports. */
export interface Exported {
  /** What programs may use in types: classes, interfaces, aliases. */
  readonly types: readonly ExportedType[];
  /** Whether there is a default export. */
  readonly isDefault: boolean;
}

/** Declarations of single modules, before they are bundled. */
const SINGLE = "declarations/";

/**
 * Writes the declarations of entry points, with all that programs can reach through them and nothing else.
 *
 * @param folder The package, with its sources
 * @param entries Entry points by their names, relative to the folder
 * @param to Where to, relative to the folder
 * @returns What each entry point exports
 * @throws {Error} If the compiler cannot declare one of them
 */
export async function writeDeclarations(
  folder: URL,
  entries: Readonly<Record<string, string>>,
  to: string,
): Promise<Record<string, Exported>> {
  const exported = await declareEach(folder, entries);
  await declareScripts(folder);
  const single = (name: string) => fileURLToPath(new URL(`${SINGLE}${name}.d.ts`, folder));
  const bundled = await rollup({
    input: Object.fromEntries(Object.keys(entries).map((name) => [name, single(name)])),
    external: (id) => !/^(?:\.|\/|file:)/.test(id),
    plugins: [dts(), { name: "namespaces", renderChunk: withoutCircles }],
    onLog(_level, log) {
      throw new Error(log.message);
    },
  });
  await bundled.write({ dir: fileURLToPath(new URL(to, folder)), chunkFileNames: "chunk-[hash].d.ts" });
  await bundled.close();
  await rm(new URL(SINGLE, folder), { recursive: true });
  return exported;
}

async function declareEach(folder: URL, entries: Readonly<Record<string, string>>): Promise<Record<string, Exported>> {
  const written: Promise<void>[] = [];
  const paths = Object.values(entries).map((path) => fileURLToPath(new URL(path, folder)));
  const program = ts.createProgram(paths, {
    rootDir: fileURLToPath(folder),
    outDir: fileURLToPath(new URL(SINGLE, folder)),
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
  const { diagnostics } = program.emit(undefined, (path, text) => {
    written.push(
      Deno.mkdir(path.replace(/[^/]*$/, ""), { recursive: true }).then(() => {
        return Deno.writeTextFile(path, withExtensions(text));
      }),
    );
  });
  await Promise.all(written);
  if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, FORMAT));
  const checker = program.getTypeChecker();
  return Object.fromEntries(
    Object.keys(entries).map((name, i) => [name, exportedBy(program.getSourceFile(paths[i]!)!, checker)]),
  );
}

/**
 * Bundling makes `names.Request` into `Request`, which is a circle in a namespace that has a type of that name:
 * `type Request = Request`. Such types get another name outside.
 */
function withoutCircles(code: string): string {
  return code.replaceAll(/^declare namespace (\w+) \{\n.*?^\}$/gms, (whole, namespace: string) => {
    const outside: string[] = [];
    const inside = whole.replaceAll(/^ {4}type (\w+)(.*) = \1\b(.*);$/gm, (_, name, parameters, values) => {
      outside.push(`type ${namespace}_${name}${parameters} = ${name}${values};\n`);
      return `    type ${name}${parameters} = ${namespace}_${name}${values};`;
    });
    return outside.join("") + inside;
  });
}

/** Modules in JavaScript say where their types are. */
async function declareScripts(folder: URL): Promise<void> {
  for (const path of await filesBelow(new URL("src/", folder))) {
    if (!path.endsWith(".js")) continue;
    const [, types] =
      (await Deno.readTextFile(new URL(`src/${path}`, folder))).match(/^\/\/ @ts-self-types="(.+)\.ts"/) ?? [];
    if (types === undefined) throw new Error(`src/${path} does not say where its types are`);
    const declared = new URL(`${SINGLE}src/${path.slice(0, -".js".length)}.d.ts`, folder);
    await Deno.writeTextFile(declared, `export * from "${types}.js";\n`);
  }
}

async function filesBelow(folder: URL): Promise<string[]> {
  const found = await Array.fromAsync(Deno.readDir(folder), async ({ name, isDirectory }) => {
    if (!isDirectory) return [name];
    return (await filesBelow(new URL(`${name}/`, folder))).map((path) => `${name}/${path}`);
  });
  return found.flat();
}

const FORMAT: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (path) => path,
  getCurrentDirectory: () => "",
  getNewLine: () => "\n",
};

function exportedBy(source: ts.SourceFile, checker: ts.TypeChecker): Exported {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
  const meant = (symbol: ts.Symbol) => symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return {
    types: symbols.filter((symbol) => symbol.name !== "default" && meant(symbol).flags & ts.SymbolFlags.Type)
      .map((symbol) => ({ name: symbol.name, parameters: parametersOf(meant(symbol)) }))
      .sort((a, b) => a.name < b.name ? -1 : 1),
    isDefault: symbols.some(({ name }) => name === "default"),
  };
}

function parametersOf({ declarations = [] }: ts.Symbol): Map<string, string> {
  const generic = declarations.find((one) =>
    ts.isClassDeclaration(one) || ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)
  );
  return new Map(generic?.typeParameters?.map((one) => [one.name.text, one.getText()]));
}

/** Declarations name modules by what programs load: `./layer.js` instead of `./layer.ts`. */
function withExtensions(text: string): string {
  let changed = text;
  // from the end, so that positions stay what they are
  for (const { fileName, pos } of ts.preProcessFile(text, true, true).importedFiles.toReversed()) {
    if (!fileName.startsWith(".") || !fileName.endsWith(".ts")) continue;
    const end = changed.indexOf(fileName, pos) + fileName.length;
    changed = `${changed.slice(0, end - ".ts".length)}.js${changed.slice(end)}`;
  }
  return changed;
}
