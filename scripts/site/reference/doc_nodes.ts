/** The part of `deno doc --json` output used here. */
const ROOT = new URL("../../../", import.meta.url);

/** A type. */
export interface TypeNode {
  readonly kind: string;
  // deno-lint-ignore no-explicit-any -- a shape for each kind
  readonly value?: any;
}

/** A type parameter. */
export interface TypeParam {
  readonly name: string;
  readonly constraint?: TypeNode;
  readonly default?: TypeNode;
}

/** A function parameter. */
export interface Param {
  readonly kind: "identifier" | "rest" | "assign" | "object" | "array";
  readonly name?: string;
  readonly optional?: boolean;
  readonly tsType?: TypeNode;
  /** The parameter under a rest parameter. */
  readonly arg?: Param;
  /** The parameter under a default value. */
  readonly left?: Param;
  readonly props?: readonly { readonly key?: string }[];
}

/** Anything with parameters and a result. */
export interface Signature {
  readonly params: readonly Param[];
  readonly returnType?: TypeNode;
  readonly tsType?: TypeNode;
  readonly typeParams?: readonly TypeParam[];
  readonly hasBody?: boolean;
}

/** A tag in a documentation comment. */
export interface Tag {
  readonly kind: string;
  readonly name?: string;
  readonly doc?: string;
  readonly tsType?: TypeNode;
}

/** A documentation comment. */
export interface JsDoc {
  readonly doc?: string;
  readonly tags?: readonly Tag[];
}

/** A declaration's source location. */
export interface Location {
  readonly filename: string;
  readonly line: number;
}

/** A class or interface member. */
export interface MemberNode extends Partial<Signature> {
  readonly name: string;
  readonly kind?: "method" | "getter" | "setter";
  readonly jsDoc?: JsDoc;
  readonly optional?: boolean;
  readonly readonly?: boolean;
  readonly isStatic?: boolean;
  readonly accessibility?: "private" | "protected" | "public";
  /** A class method's signature; an interface method has these fields itself. */
  readonly functionDef?: Signature;
}

/** A declaration's contents, whatever its kind. */
export interface Definition extends Partial<Signature> {
  readonly properties?: readonly MemberNode[];
  readonly methods?: readonly MemberNode[];
  readonly constructors?: readonly MemberNode[];
  readonly callSignatures?: readonly MemberNode[];
  readonly indexSignatures?: readonly MemberNode[];
  /** Types it extends: a class has one, by name; an interface may have several. */
  readonly extends?: string | readonly TypeNode[];
  readonly superTypeParams?: readonly TypeNode[];
  readonly elements?: readonly SymbolNode[];
  readonly target?: Location;
}

/** A declaration. */
export interface Declaration {
  readonly kind: "class" | "function" | "variable" | "interface" | "typeAlias" | "namespace" | "reference" | "enum";
  readonly location: Location;
  readonly jsDoc?: JsDoc;
  readonly def: Definition;
}

/** A name that a module exports, with all its declarations. */
export interface SymbolNode {
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

/** A module. */
export interface ModuleNode {
  readonly module_doc?: JsDoc;
  readonly symbols: readonly SymbolNode[];
}

/**
 * Reads modules' exports.
 *
 * @param files Their paths
 * @returns Modules by path
 * @throws {Error} If they cannot be read
 */
export async function readModules(files: readonly string[]): Promise<Map<string, ModuleNode>> {
  const args = ["doc", "--quiet", "--json", ...files];
  const options = { args, cwd: ROOT, stdin: "null", stdout: "piped", stderr: "piped" } as const;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), options).output();
  if (!success) throw new Error(`deno doc failed: ${new TextDecoder().decode(stderr)}`);
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout)) as { nodes: Record<string, ModuleNode> };
  return new Map(Object.entries(nodes).map(([url, node]) => [url.slice(ROOT.href.length), node]));
}
