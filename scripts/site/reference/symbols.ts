/** The packages' public exports, without internal ones. */
import { type Manifest, manifestOf, PACKAGES } from "../../packages.ts";
import type { Declaration, JsDoc, MemberNode, ModuleNode, Signature, SymbolNode, Tag } from "./doc_nodes.ts";
import { readModules } from "./doc_nodes.ts";

/** A public name. */
export interface PublicSymbol {
  readonly name: string;
  /** Its kind: `class`, `function` … */
  readonly kind: Declaration["kind"];
  /** File in which it is declared. */
  readonly file: string;
  /** The symbol's unique key, even if it is exported several times. */
  readonly key: string;
  readonly doc: JsDoc;
  /** Its declarations: a class may also be an interface. */
  readonly declarations: readonly Declaration[];
}

/** A package entry point. */
export interface PackageEntry {
  /** Its import specifier: `@sluice/sluice/node`. */
  readonly specifier: string;
  /** Its name in URLs: `sluice/node`. */
  readonly path: string;
  readonly doc: JsDoc;
  readonly symbols: readonly PublicSymbol[];
}

/** A package. */
export interface PackageReference {
  readonly name: string;
  readonly entries: readonly PackageEntry[];
}

/** A class or interface's public members. */
export interface PublicMembers {
  readonly constructors: readonly MemberNode[];
  readonly calls: readonly MemberNode[];
  readonly indexes: readonly MemberNode[];
  readonly properties: readonly MemberNode[];
  /** Methods by name; several methods with one name are overloads. */
  readonly methods: ReadonlyMap<string, readonly MemberNode[]>;
}

/** Which of several declarations for a name determines its kind. */
const FIRST: readonly Declaration["kind"][] = ["class", "function", "variable", "interface", "typeAlias", "namespace"];

/** Reads all packages. */
export async function readPackages(): Promise<PackageReference[]> {
  const manifests = await Promise.all(PACKAGES.map(async ({ path }) => ({ path, manifest: await manifestOf(path) })));
  const files = manifests.flatMap(({ path, manifest }) => entryFiles(path, manifest));
  const modules = await readModules(files.map(({ file }) => file));
  const byPlace = declaredIn([...modules.values()]);
  return manifests.map(({ path, manifest }) => ({
    name: manifest.name,
    entries: entryFiles(path, manifest).map(({ specifier, file }) => entryOf(specifier, modules.get(file)!, byPlace)),
  }));
}

function entryFiles(path: string, { name, exports }: Manifest): { specifier: string; file: string }[] {
  const all = typeof exports === "string" ? { ".": exports } : exports;
  return Object.entries(all).map(([entry, file]) => ({
    specifier: name + entry.slice(1),
    file: (path + file.slice("./".length)).slice("./".length),
  }));
}

/** All symbols that are not aliases or re-exports, by location. */
function declaredIn(modules: readonly ModuleNode[]): Map<string, SymbolNode> {
  const declared = modules.flatMap(({ symbols }) => symbols).flatMap((symbol) =>
    symbol.declarations.filter(({ kind }) => kind !== "reference").map((one) =>
      [placeOf(one.location), symbol] as const
    )
  );
  return new Map(declared);
}

function entryOf(
  specifier: string,
  { module_doc: doc = {}, symbols }: ModuleNode,
  byPlace: ReadonlyMap<string, SymbolNode>,
): PackageEntry {
  return {
    specifier,
    path: specifier.slice("@sluice/".length),
    doc,
    symbols: symbols.map((symbol) => publicSymbol(symbol, byPlace)).filter(({ doc }) => !isInternal(doc)),
  };
}

function publicSymbol(symbol: SymbolNode, byPlace: ReadonlyMap<string, SymbolNode>): PublicSymbol {
  const [{ kind, def }] = symbol.declarations as [Declaration];
  // an alias, or also an export from another entry point
  const original = kind === "reference" ? byPlace.get(placeOf(def.target!)) : undefined;
  const declarations = (original ?? symbol).declarations.toSorted((a, b) =>
    FIRST.indexOf(a.kind) - FIRST.indexOf(b.kind)
  );
  const [main] = declarations as [Declaration];
  return {
    name: symbol.name,
    kind: main.kind,
    file: main.location.filename.slice(new URL("../../../", import.meta.url).href.length),
    key: `${placeOf(main.location)} ${symbol.name}`,
    // each overload may have its own comment; the first one describes the whole function
    doc: declarations.find(({ jsDoc }) => jsDoc?.doc !== undefined)?.jsDoc ?? main.jsDoc ?? {},
    declarations,
  };
}

function placeOf({ filename, line }: Declaration["location"]): string {
  return `${filename}:${line}`;
}

/** Whether it is marked as internal. */
export function isInternal(doc: JsDoc | undefined): boolean {
  return tagsOf(doc, "internal").length > 0;
}

/** Tags of one kind. */
export function tagsOf(doc: JsDoc | undefined, kind: string): Tag[] {
  return (doc?.tags ?? []).filter((tag) => tag.kind === kind);
}

/** Returns a member's signature. */
export function signatureOf(member: MemberNode): Signature {
  return member.functionDef ?? member as Signature;
}

/** Public members of all classes and interfaces with one name. */
export function membersOf({ declarations }: Pick<PublicSymbol, "declarations">): PublicMembers {
  const all = (kind: "constructors" | "callSignatures" | "indexSignatures" | "properties" | "methods") =>
    declarations.flatMap(({ def }) => def[kind] ?? []).filter(isPublic);
  const methods = all("methods");
  // a getter is documented as a property
  const accessors = [...Map.groupBy(methods.filter(({ kind }) => kind !== "method"), ({ name }) => name).values()];
  const fields = accessors.map((both): MemberNode => {
    const getter = both.find(({ kind }) => kind === "getter");
    const setter = both.find(({ kind }) => kind === "setter");
    const { name, jsDoc } = getter ?? setter!;
    const tsType = getter === undefined ? setter!.functionDef!.params[0]!.tsType : getter.functionDef!.returnType;
    return {
      name,
      jsDoc: jsDoc ?? setter?.jsDoc ?? {},
      readonly: setter === undefined,
      ...tsType === undefined ? {} : { tsType },
    };
  });
  return {
    constructors: all("constructors"),
    calls: all("callSignatures"),
    indexes: all("indexSignatures"),
    properties: [...new Map([...all("properties"), ...fields].map((one) => [one.name, one])).values()],
    methods: Map.groupBy(methods.filter(({ kind }) => kind === "method"), ({ name }) => name),
  };
}

/** Members named by the framework's own symbols are as internal as private members. */
function isPublic({ name, accessibility, jsDoc }: MemberNode): boolean {
  const isKeyed = name?.startsWith("[") && !name.startsWith("[Symbol.");
  return !isKeyed && (accessibility ?? "public") === "public" && !isInternal(jsDoc);
}
