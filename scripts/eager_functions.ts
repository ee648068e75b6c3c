import {
  type ClassBody,
  type Function as FunctionNode,
  type MemberExpression,
  type MethodDefinition,
  type Node,
  parse,
  type PrivateIdentifier,
  type Program,
} from "acorn";
import { full } from "acorn-walk";
import MagicString from "magic-string";
import type { Called } from "./called_functions.ts";

/**
 * Makes V8 compile functions together with the module instead of when they are first called. What it compiles with the
 * module is in Deno's code cache, so that the next start does not compile it at all.
 *
 * V8 does so with function expressions in parentheses, but never with declarations and methods. So declarations become
 * constants at the beginning of the module, and methods are assigned by static blocks, where they may still use what is
 * private. In their places empty ones remain: V8 would copy the list of all others for each method that is added.
 * Private methods, which cannot be assigned, get symbols for names. Constructors and methods with `super` stay as they
 * are.
 *
 * @param code A module
 * @param called Functions of the module, which are called at every start
 * @returns A module that does the same
 */
export function compiledEagerly(code: string, called: Called): string {
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  const changed = new MagicString(code);
  const assigned = assignedNames(program);
  const constants: string[] = [];
  for (const statement of program.body) {
    if (statement.type === "FunctionDeclaration") {
      if (!called.has(`${statement.start}-${statement.end}`) || assigned.has(statement.id.name)) continue;
      constants.push(`const ${statement.id.name}=(${code.slice(statement.start, statement.end)});`);
      changed.remove(statement.start, statement.end);
    }
    for (const body of classBodies(statement)) moveMethods(body, code, called, changed, constants);
  }
  const first = program.body.find(({ type }) => type !== "ImportDeclaration");
  if (first !== undefined) changed.appendLeft(first.start, `${constants.join("\n")}\n`);
  return changed.toString();
}

function assignedNames(program: Program): Set<string> {
  const names = new Set<string>();
  full(program, (node) => {
    if (node.type !== "AssignmentExpression") return;
    const { left } = node as Node & { left: Node & { name?: string } };
    if (left.name !== undefined) names.add(left.name);
  });
  return names;
}

// classes of a module's own, as bundlers write them: `class A {}` or `var A = class {}`
function classBodies(statement: Program["body"][number]): ClassBody[] {
  if (statement.type === "ClassDeclaration") return [statement.body];
  if (statement.type !== "VariableDeclaration") return [];
  return statement.declarations.flatMap(({ init }) => init?.type === "ClassExpression" ? [init.body] : []);
}

function moveMethods(
  body: ClassBody,
  code: string,
  called: Called,
  changed: MagicString,
  constants: string[],
): void {
  const moved = new Map<MethodDefinition, Moved>();
  for (const member of body.body) {
    if (member.type !== "MethodDefinition" || !called.has(`${member.start}-${member.end}`)) continue;
    const own = ownNameOf(member);
    if (own !== null) moved.set(member, { own, place: placeOf(member, code, constants) });
  }
  nameBySymbols(body, moved, changed);
  const assignments: string[] = [];
  for (const [member, { own, place }] of moved) {
    const { key, kind, value } = member;
    assignments.push(assignmentOf(member, own, place, changed.slice(value.start, value.end)));
    if (key.type === "PrivateIdentifier") changed.overwrite(key.start, key.end, `[${place}]`);
    changed.overwrite(value.start, value.end, kind === "set" ? "(_){}" : "(){}");
  }
  // first, because static fields may already call them
  if (assignments.length > 0) changed.appendLeft(body.start + 1, `static{${assignments.join("\n")}}\n`);
}

/** How a method is assigned: the name of its function, and an expression for that of the property. */
interface Moved {
  readonly own: string;
  readonly place: string;
}

// the function has its name in its own scope, too, where it must hide nothing that is used; `null` if it must stay a
// method
function ownNameOf({ key, kind, value, computed, static: isStatic }: MethodDefinition): string | null {
  if (kind === "constructor" || value.async || value.generator || mentions(value, "Super")) return null;
  if (key.type === "PrivateIdentifier") return kind === "method" && !isStatic ? "" : null;
  if (key.type !== "Identifier") return null;
  if (computed || kind !== "method") return "";
  return mentions(value, "Identifier", key.name) || isReserved(key.name) ? null : key.name;
}

function placeOf({ key, computed }: MethodDefinition, code: string, constants: string[]): string {
  if (key.type === "Identifier") return computed ? key.name : `"${key.name}"`;
  const { name } = key as PrivateIdentifier;
  let constant = `$${name}`;
  while (code.includes(constant) || constants.some((one) => one.startsWith(`const ${constant}=`))) constant += "$";
  constants.push(`const ${constant}=Symbol();`);
  return constant;
}

// `.#name` in a class, where that is a method that gets a symbol for its name
function nameBySymbols(body: ClassBody, moved: ReadonlyMap<MethodDefinition, Moved>, changed: MagicString): void {
  const symbols = new Map<string, string>();
  for (const [{ key }, { place }] of moved) if (key.type === "PrivateIdentifier") symbols.set(key.name, place);
  full(body, (node) => {
    if (node.type !== "MemberExpression") return;
    const { object, property, optional } = node as MemberExpression;
    const place = property.type === "PrivateIdentifier" ? symbols.get(property.name) : undefined;
    if (place !== undefined) changed.overwrite(object.end, property.end, `${optional ? "?." : ""}[${place}]`);
  });
}

function assignmentOf({ kind, static: isStatic }: MethodDefinition, own: string, place: string, fn: string): string {
  const on = isStatic ? "this" : "this.prototype";
  if (kind !== "method") return `Object.defineProperty(${on},${place},{${kind}:(function${fn})});`;
  return `${on}${own === "" ? `[${place}]` : `.${own}`}=(function ${own}${fn});`;
}

function mentions(fn: FunctionNode, type: string, name?: string): boolean {
  let found = false;
  full(fn, (node) => {
    if (node.type === type && (name === undefined || (node as Node & { name?: string }).name === name)) found = true;
  });
  return found;
}

/** Names that methods may have, and functions may not. */
function isReserved(name: string): boolean {
  try {
    parse(`(function ${name}() {})`, { ecmaVersion: "latest", sourceType: "module" });
    return false;
  } catch {
    return true;
  }
}
