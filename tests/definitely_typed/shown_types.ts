/** `$ExpectType` in the DefinitelyTyped tests: how the compiler shows an expression's type. */
import ts from "typescript";

/** A type that is not shown as expected. */
export interface Unlike {
  /** The expression's line, from 1. */
  readonly line: number;
  /** The expected type. */
  readonly wanted: string;
  /** The type the compiler shows. */
  readonly shown: string;
}

/**
 * Compares the types expected in a file's comments with the types that the compiler shows. A trailing comment applies
 * to its own line, and a comment on its own line to the next line.
 *
 * @param source The file
 * @param checker The compiler
 * @throws {Error} If a comment applies to nothing that has a type
 */
export function unlikeTypes(source: ts.SourceFile, checker: ts.TypeChecker): Unlike[] {
  const found: Unlike[] = [];
  source.text.split("\n").forEach((text, at) => {
    const [, before, wanted] = text.match(/^(.*?)\/\/ \$ExpectType (.+?)\s*$/) ?? [];
    if (wanted === undefined) return;
    const line = before!.trim() === "" ? at + 1 : at;
    const node = nodeOn(line, source);
    if (node === undefined) throw new Error(`${source.fileName}:${line + 1} has nothing whose type could be shown`);
    const shown = checker.typeToString(
      typeOf(node, checker),
      undefined,
      ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope,
    );
    if (shown !== wanted) found.push({ line: line + 1, wanted, shown });
  });
  return found;
}

/** The outermost statement or property that begins on a line. */
function nodeOn(line: number, source: ts.SourceFile): ts.Node | undefined {
  let found: ts.Node | undefined = undefined;
  const visit = (node: ts.Node): void => {
    if (found !== undefined) return;
    const begins = source.getLineAndCharacterOfPosition(node.getStart(source)).line === line;
    if (begins && node.kind !== ts.SyntaxKind.SourceFile) found = node;
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function typeOf(node: ts.Node, checker: ts.TypeChecker): ts.Type {
  return checker.getTypeAtLocation(ts.isExpressionStatement(node) ? node.expression : node);
}
