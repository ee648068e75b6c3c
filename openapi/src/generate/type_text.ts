import type { JsonSchema } from "../document/openapi_document.ts";

/** Resolves names for types. */
export interface TypeContext {
  /** A component's type name; `undefined` if there is no such component. */
  nameOf(component: string): string | undefined;
  /** Follows a reference into a component. */
  resolve(pointer: string): JsonSchema | undefined;
}

const COMPONENT = "#/components/schemas/";

/** JSON's types, by their JSON Schema names. */
const SIMPLE: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  null: "null",
};

/** Names that properties may have without quotes. */
const PLAIN_NAME = /^[$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*$/u;

/**
 * Generates the type for a JSON Schema's values, as far as TypeScript can express it. Bounds, patterns and `not` are
 * dropped.
 *
 * @param schema The schema
 * @param context Component names
 * @param indent Indentation for the lines after the first
 */
export function typeText(schema: unknown, context: TypeContext, indent = ""): string {
  if (typeof schema !== "object" || schema === null) return schema === false ? "never" : "unknown";
  return union(alternatives(schema as JsonSchema, context, indent));
}

/**
 * Generates an object type's members.
 *
 * @param schema The schema
 * @param context Component names
 * @param indent Indentation for the closing brace
 */
export function objectText(schema: JsonSchema, context: TypeContext, indent: string): string {
  const { properties = {}, required = [], additionalProperties, propertyNames, patternProperties } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
    additionalProperties?: unknown;
    propertyNames?: JsonSchema;
    patternProperties?: Record<string, JsonSchema>;
  };
  const names = additionalProperties === undefined ? undefined : listedNames(propertyNames, context);
  const rest = names === undefined ? additionalProperties : false;
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, one]) => {
    const mark = required.includes(name) ? "" : "?";
    return `${comment(one, inner)}${inner}${propertyName(name)}${mark}: ${typeText(one, context, inner)};`;
  });
  // described by the schema for others, or not at all
  for (const name of new Set([...required, ...names ?? []])) {
    if (Object.hasOwn(properties, name)) continue;
    const mark = required.includes(name) ? "" : "?";
    lines.push(`${inner}${propertyName(name)}${mark}: ${typeText(additionalProperties ?? true, context, inner)};`);
  }
  const others = [...rest === undefined || rest === false ? [] : [rest], ...Object.values(patternProperties ?? {})];
  if (others.length > 0) {
    // an index signature must be compatible with all properties
    const type = lines.length > 0 ? "unknown" : union(others.map((one) => typeText(one, context, inner)));
    lines.push(`${inner}[name: string]: ${type};`);
  }
  if (lines.length > 0) return `{\n${lines.join("\n")}\n${indent}}`;
  return rest === false ? "Record<string, never>" : "Record<string, unknown>";
}

/** The names that a schema for names lists. */
function listedNames(schema: JsonSchema | undefined, context: TypeContext): readonly string[] | undefined {
  const { $ref, anyOf, enum: values, ...own } = schema ?? {};
  if (typeof $ref === "string") return listedNames(context.resolve($ref), context);
  if (Array.isArray(anyOf)) {
    const all = anyOf.map((one) => listedNames(one, context));
    return all.every((one) => one !== undefined) ? all.flat() : undefined;
  }
  return Array.isArray(values) ? values : "const" in own ? [own["const"] as string] : undefined;
}

/**
 * Formats a property name.
 *
 * @param name The name
 */
export function propertyName(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

/**
 * Formats a doc comment.
 *
 * @param said The description, and whether it is deprecated
 * @param indent Its indentation
 */
export function comment(
  said: { readonly summary?: unknown; readonly description?: unknown; readonly deprecated?: unknown },
  indent: string,
): string {
  const texts = [said.summary, said.description].filter((one) => typeof one === "string" && one.trim() !== "");
  const all = [...texts, ...said.deprecated === true ? ["@deprecated"] : []] as string[];
  if (all.length === 0) return "";
  const lines = all.join("\n\n").replaceAll("*/", "*\u200b/").trim().split(/\r\n|\r|\n/);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/**
 * Formats a union type.
 *
 * @param types The types
 */
export function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  if (all.includes("unknown")) return "unknown";
  const some = all.filter((type) => type !== "never");
  if (some.length < 2) return some[0] ?? "never";
  return some.map((type) => inParentheses(type, " & ")).join(" | ");
}

function intersection(types: readonly string[]): string {
  const all = [...new Set(types)].filter((type) => type !== "unknown");
  if (all.length < 2) return all[0] ?? "unknown";
  return all.map((type) => inParentheses(type, " | ")).join(" & ");
}

function inParentheses(type: string, operator: string): string {
  return splits(type, operator) ? `(${type})` : type;
}

/** Whether an operator occurs outside all braces. */
function splits(type: string, operator: string): boolean {
  let depth = 0;
  for (let i = 0; i < type.length; i++) {
    const char = type[i]!;
    if (char === '"') i = endOfString(type, i);
    else if ("{[(<".includes(char)) depth++;
    else if ("}])>".includes(char)) depth--;
    else if (depth === 0 && type.startsWith(operator, i)) return true;
  }
  return false;
}

function endOfString(type: string, from: number): number {
  for (let i = from + 1; i < type.length; i++) {
    if (type[i] === "\\") i++;
    else if (type[i] === '"') return i;
  }
  return type.length;
}

function alternatives(schema: JsonSchema, context: TypeContext, indent: string): string[] {
  const { $ref, allOf, anyOf, oneOf, ...own } = schema as JsonSchema & {
    allOf?: readonly unknown[];
    anyOf?: readonly unknown[];
    oneOf?: readonly unknown[];
  };
  const parts: string[] = [];
  if (typeof $ref === "string") parts.push(referenceText($ref, context, indent));
  if (allOf !== undefined) parts.push(intersection(allOf.map((one) => typeText(one, context, indent))));
  for (const some of [anyOf, oneOf]) {
    if (some !== undefined) parts.push(union(some.map((one) => typeText(one, context, indent))));
  }
  const ownTypes = typesOf(own, context, indent);
  if (parts.length === 0) return ownTypes;
  // next to alternatives, `type: "object"` adds nothing
  const isPlain = ownTypes.length === 1 && ownTypes[0] === "Record<string, unknown>";
  return [intersection([...isPlain ? [] : [union(ownTypes)], ...parts])];
}

function typesOf(schema: JsonSchema, context: TypeContext, indent: string): string[] {
  if ("const" in schema) return [literalText(schema["const"])];
  if (Array.isArray(schema["enum"])) return schema["enum"].map(literalText);
  const { type } = schema;
  const types = Array.isArray(type) ? type as string[] : [type ?? impliedType(schema)];
  return types.map((one) => {
    if (one === "array") return arrayText(schema, context, indent);
    if (one === "object") return objectText(schema, context, indent);
    if (one === "string" && isBinary(schema)) return "Blob";
    return SIMPLE[String(one)] ?? "unknown";
  });
}

function impliedType(schema: JsonSchema): string | undefined {
  if ("properties" in schema || "required" in schema || "additionalProperties" in schema) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
}

function isBinary({ format, contentMediaType, contentEncoding }: JsonSchema): boolean {
  return format === "binary" || (contentMediaType === "application/octet-stream" && contentEncoding === undefined);
}

function arrayText(schema: JsonSchema, context: TypeContext, indent: string): string {
  const { items, prefixItems, minItems, maxItems = Infinity } = schema as {
    items?: unknown;
    prefixItems?: readonly unknown[];
    minItems?: number;
    maxItems?: number;
  };
  const rest = typeText(items ?? true, context, indent);
  if (prefixItems === undefined) return `${inParentheses(inParentheses(rest, " | "), " & ")}[]`;
  const first = prefixItems.map((one, i) =>
    inParentheses(inParentheses(typeText(one, context, indent), " | "), " & ") +
    (i < (minItems ?? prefixItems.length) ? "" : "?")
  );
  const more = items === false || items === undefined || maxItems <= prefixItems.length
    ? []
    : [`...${inParentheses(inParentheses(rest, " | "), " & ")}[]`];
  return `[${[...first, ...more].join(", ")}]`;
}

function referenceText(pointer: string, context: TypeContext, indent: string): string {
  const name = pointer.startsWith(COMPONENT) ? context.nameOf(pointer.slice(COMPONENT.length)) : undefined;
  if (name !== undefined) return name;
  const found = context.resolve(pointer);
  return found === undefined ? "unknown" : typeText(found, context, indent);
}

function literalText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "unknown";
  if (Array.isArray(value)) return `[${value.map(literalText).join(", ")}]`;
  return `{ ${Object.entries(value).map(([name, one]) => `${propertyName(name)}: ${literalText(one)}`).join("; ")} }`;
}
