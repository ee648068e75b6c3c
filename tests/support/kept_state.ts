/** Finds the state that a program keeps between calls: module variables, fields and closure variables. */
import ts from "typescript";

/** Classes with instances that retain their contents. */
const COLLECTIONS = new Set(["Map", "Set", "WeakMap", "WeakSet", "GenerationalCache", "KeyMap", "LinkedList"]);

/**
 * A source file's state: assignable module variables, collections that start empty, lazily made fields, and variables a
 * function shares with functions that outlive it. Constants, such as a `Set` with its elements or a `ReadonlyMap`, are
 * not state.
 *
 * @param path Path of the file
 * @param text Its contents
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

// `new Map()`, also with `??`; with elements, or a read-only type, it is a constant
function isCollection({ initializer, type }: ts.VariableDeclaration | ts.PropertyDeclaration): boolean {
  if (initializer === undefined || /^Readonly/.test(type?.getText() ?? "")) return false;
  if (!ts.isNewExpression(initializer) || !ts.isIdentifier(initializer.expression)) return false;
  const name = initializer.expression.text;
  const [first] = initializer.arguments ?? [];
  if (name === "Array") return ts.isPropertyDeclaration(initializer.parent);
  return COLLECTIONS.has(name) && (first === undefined || name === "GenerationalCache");
}

// `this.#made ??= make()`, also on any other object
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

/** Whether a function's variable is used in an inner function that may be called later. */
function isSharedWithin(owner: ts.Node, { name }: ts.VariableDeclaration): boolean {
  let isShared = false;
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name.getText() && node !== name && isLater(node, owner)) isShared = true;
    ts.forEachChild(node, visit);
  };
  visit(owner);
  return isShared;
}

// a function passed to a call, such as a comparison for `sort`, is usually done when the call returns
function isLater(use: ts.Node, owner: ts.Node): boolean {
  for (let one = functionAround(use); one !== null && one !== owner; one = functionAround(one)) {
    if (!ts.isCallExpression(one.parent) && !ts.isNewExpression(one.parent)) return true;
  }
  return false;
}
