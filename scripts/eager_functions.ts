import {
  type ClassBody,
  type Function as FunctionNode,
  type MethodDefinition,
  type Node,
  parse,
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
 * Constructors, private methods and methods with `super` stay as they are.
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
    for (const body of classBodies(statement)) moveMethods(body, code, called, changed);
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

function moveMethods(body: ClassBody, code: string, called: Called, changed: MagicString): void {
  const assignments: string[] = [];
  for (const member of body.body) {
    if (member.type !== "MethodDefinition" || !called.has(`${member.start}-${member.end}`)) continue;
    const assignment = assignmentOf(member, code);
    if (assignment === null) continue;
    assignments.push(assignment);
    const { kind, value } = member;
    changed.overwrite(value.start, value.end, kind === "set" ? "(_){}" : "(){}");
  }
  // first, because static fields may already call them
  if (assignments.length > 0) changed.appendLeft(body.start + 1, `static{${assignments.join("\n")}}\n`);
}

function assignmentOf({ key, kind, value, computed, static: isStatic }: MethodDefinition, code: string): string | null {
  if (kind === "constructor" || key.type !== "Identifier" || value.async || value.generator) return null;
  if (mentions(value, "Super")) return null;
  const on = isStatic ? "this" : "this.prototype";
  const place = computed ? `[${key.name}]` : `.${key.name}`;
  if (kind !== "method") {
    const name = computed ? key.name : `"${key.name}"`;
    return `Object.defineProperty(${on},${name},{${kind}:(function${code.slice(value.start, value.end)})});`;
  }
  // the function has its name in its own scope, too, where it must hide nothing that is used
  const own = computed ? "" : key.name;
  if (own !== "" && (mentions(value, "Identifier", own) || isReserved(own))) return null;
  return `${on}${place}=(function ${own}${code.slice(value.start, value.end)});`;
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
