/** Finds what a program keeps from one call to the next: module variables, fields and variables of closures. */
import ts from "typescript";

/** Classes whose instances remember what was put into them. */
const COLLECTIONS = new Set(["Map", "Set", "WeakMap", "WeakSet", "GenerationalCache", "KeyMap", "LinkedList"]);

/**
 * What a source file keeps: variables of the module that can be assigned, collections that begin empty, fields that are
 * made on first use, and variables that a function shares with functions that outlive it. Constants, such as a `Set` with
 * its elements or a `ReadonlyMap`, remember nothing.
 *
 * @param path Path of the file
 * @param text The file
 * @returns Names of variables and fields
 */
export function keptIn(path: string, text: string): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const names = new Set<string>();
  visit(file);
  return [...names];

  function visit(node: ts.Node): void {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && isKept(node)) names.add(node.name.text);
    if (ts.isPropertyDeclaration(node) && isCollection(node)) names.add(node.name.getText());
    if (isMemo(node)) names.add(memoName(node.left));
    ts.forEachChild(node, visit);
  }
}

function isKept(declaration: ts.VariableDeclaration): boolean {
  const list = declaration.parent;
  if (!ts.isVariableDeclarationList(list)) return false;
  const isConstant = (list.flags & ts.NodeFlags.Const) !== 0;
  if (isConstant && !isCollection(declaration)) return false;
  const owner = functionAround(declaration);
  return owner === null || isSharedWithin(owner, declaration);
}

// `new Map()`, also beside `??`; with elements, or typed as one that is only read, it is a constant
function isCollection({ initializer, type }: ts.VariableDeclaration | ts.PropertyDeclaration): boolean {
  if (initializer === undefined || /^Readonly/.test(type?.getText() ?? "")) return false;
  if (!ts.isNewExpression(initializer) || !ts.isIdentifier(initializer.expression)) return false;
  const name = initializer.expression.text;
  const [first] = initializer.arguments ?? [];
  if (name === "Array") return ts.isPropertyDeclaration(initializer.parent);
  return COLLECTIONS.has(name) && (first === undefined || name === "GenerationalCache");
}

// `this.#made ??= make()`, and the same of any other object
function isMemo(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionEqualsToken &&
    (ts.isPropertyAccessExpression(node.left) || ts.isElementAccessExpression(node.left));
}

function memoName(left: ts.Expression): string {
  if (ts.isPropertyAccessExpression(left)) return left.name.text;
  return (left as ts.ElementAccessExpression).argumentExpression.getText().replaceAll(/["\s]/g, "");
}

function functionAround(node: ts.Node): ts.Node | null {
  for (let one = node.parent; one !== undefined; one = one.parent) if (ts.isFunctionLike(one)) return one;
  return null;
}

/** Whether a variable of a function is used in another one inside it that may be called later. */
function isSharedWithin(owner: ts.Node, { name }: ts.VariableDeclaration): boolean {
  let isShared = false;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name.getText() && node !== name && isLater(node, owner)) isShared = true;
    ts.forEachChild(node, visit);
  };
  visit(owner);
  return isShared;
}

// what is passed to a call, such as a comparison to `sort`, is mostly over when that returns
function isLater(use: ts.Node, owner: ts.Node): boolean {
  for (let one = functionAround(use); one !== null && one !== owner; one = functionAround(one)) {
    if (!ts.isCallExpression(one.parent) && !ts.isNewExpression(one.parent)) return true;
  }
  return false;
}
