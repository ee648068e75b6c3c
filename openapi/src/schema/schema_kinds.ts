import type { JsonSchema } from "./json_schema.ts";

/** Follows references. */
export type Resolve = (schema: JsonSchema) => JsonSchema;

/** Maximum depth: deeper schemas are recursive. */
const DEEPEST = 8;

/** Maximum length for a chain of references. */
const MOST_STEPS = 32;

/**
 * Follows references within a standalone schema.
 *
 * @param root The whole schema, with its definitions
 */
export function localReferences(root: JsonSchema): Resolve {
  return (schema) => {
    let found = schema;
    for (let i = 0; i < MOST_STEPS && typeof found["$ref"] === "string"; i++) {
      const { $ref, ...beside } = found;
      found = { ...pointedAt(root, $ref as string), ...beside };
    }
    return found;
  };
}

function pointedAt(root: JsonSchema, $ref: string): JsonSchema {
  let at: unknown = root;
  for (const part of $ref.split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    at = Object.hasOwn(Object(at), key) ? (at as JsonSchema)[key] : undefined;
  }
  return isSchema(at) ? at : {};
}

/**
 * Returns the alternatives for a value, with references resolved and alternatives flattened. `null` is excluded: a
 * string from a client cannot be `null`.
 *
 * @param schema The schema
 * @param resolve Follows references
 */
export function alternatives(schema: JsonSchema, resolve: Resolve): JsonSchema[] {
  return alternativesOf(schema, resolve, 0);
}

function alternativesOf(schema: JsonSchema, resolve: Resolve, depth: number): JsonSchema[] {
  const own = resolve(schema);
  if (own["type"] === "null") return [];
  const list = (own["anyOf"] ?? own["oneOf"]) as unknown;
  if (!Array.isArray(list) || depth > DEEPEST) return [own];
  const { anyOf: _, oneOf: __, ...beside } = own;
  const isMore = Object.keys(beside).some((key) => key === "type" || key === "properties" || key === "allOf");
  return list.filter(isSchema).flatMap((one) =>
    alternativesOf(isMore ? { ...beside, ...one } : one, resolve, depth + 1)
  );
}

/**
 * Returns the JSON types a value may have, except `null`; includes `any` if the schema does not define them.
 *
 * @param schema The schema
 * @param resolve Follows references
 */
export function kindsOf(schema: JsonSchema, resolve: Resolve): ReadonlySet<string> {
  return new Set(alternatives(schema, resolve).flatMap((one) => typesOf(one, resolve)));
}

/** A schema's types, if it has no alternatives. */
function typesOf(schema: JsonSchema, resolve: Resolve): string[] {
  const { type, allOf, properties } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => one !== "null");
  const values = fixedValues(schema);
  if (values !== undefined) return values.map(typeOf).filter((one) => one !== "null");
  if (properties !== undefined) return ["object"];
  for (const one of Array.isArray(allOf) ? allOf.filter(isSchema) : []) {
    const found = [...kindsOf(one, resolve)];
    if (found.length > 0 && !found.includes("any")) return found;
  }
  return ["any"];
}

/**
 * Returns the values that a schema lists.
 *
 * @param schema The schema, without references
 */
export function fixedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

/**
 * Whether all values have one kind.
 *
 * @param kinds The possible kinds
 * @param kind The kind
 */
export function isOnly(kinds: ReadonlySet<string>, kind: string): boolean {
  return kinds.size === 1 && kinds.has(kind);
}

/**
 * Whether a value is a JSON Schema other than a boolean.
 *
 * @param value Any value
 */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Creates a regular expression from a schema's pattern.
 *
 * @param pattern The pattern
 */
export function expression(pattern: string): RegExp {
  // libraries pass on the program's patterns, which the flag may reject
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      continue;
    }
  }
  // of another language
  return /(?:)/;
}
