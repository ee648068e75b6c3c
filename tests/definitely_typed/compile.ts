/** Compiles a program written for Express, and returns the compiler's diagnostics. */
import ts from "typescript";
import { unlikeTypes } from "./shown_types.ts";

/** A diagnostic. */
export interface Finding {
  /** Line, from 1. */
  readonly line: number;
  /** The compiler's error number, or `type` where a type is shown differently than a comment expects. */
  readonly code: string;
  readonly message: string;
}

/** Declarations from packages and the compiler, parsed once for all programs. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** How a program loads `express`: with `require`, which gets CommonJS types, or with `import`. */
export type Loading = "require" | "import";

/**
 * Compiles one file, and also checks the declarations it reaches.
 *
 * @param path The file's path for the compiler, from which its imports are resolved
 * @param text Its contents
 * @param sluice Path of the `express` types; the `express-serve-static-core` types are the entry `types` next to it
 * @param loading How the program loads them
 * @throws {Error} If a package's own declaration is wrong
 */
export function findings(path: string, text: string, sluice: string, loading: Loading): Finding[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    // the first compiles like a CommonJS program on Node, the second like a bundled program
    ...(loading === "require"
      ? { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 }
      : { module: ts.ModuleKind.Preserve, moduleResolution: ts.ModuleResolutionKind.Bundler }),
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [`${path.slice(0, path.lastIndexOf("/"))}/node_modules/@types`],
    paths: { "express-serve-static-core": [sluice.replace(/\/\w+(\.d\.c?ts)$/, "/types$1")] },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  const own = loading === "require"
    ? text
    : text.replace(/^import (\w+) = require\((["']express["'])\)/m, "import $1 from $2");
  host.fileExists = (name) => name === path || fileExists.call(host, name);
  host.getSourceFile = (name, version, ...rest) => {
    if (name === path) return ts.createSourceFile(name, own, version, true);
    if (!parsed.has(name)) parsed.set(name, getSourceFile.call(host, name, version, ...rest));
    return parsed.get(name);
  };
  const program = ts.createProgram([path], options, host);
  const source = program.getSourceFile(path)!;
  const diagnostics = ts.getPreEmitDiagnostics(program);
  const elsewhere = diagnostics.filter(({ file }) => file !== source);
  if (elsewhere.length > 0) throw new Error(ts.formatDiagnostics(elsewhere, host));
  const refused = diagnostics.map(({ code, start, messageText }) => ({
    line: source.getLineAndCharacterOfPosition(start!).line + 1,
    code: `TS${code}`,
    message: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
  const unlike = unlikeTypes(source, program.getTypeChecker()).map(({ line, wanted, shown }) => ({
    line,
    code: "type",
    message: `expected ${wanted}, not ${shown}`,
  }));
  return [...refused, ...unlike].sort((one, other) => one.line - other.line);
}
