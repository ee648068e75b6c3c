import { describe } from "@sluice/shared";
import type { AnySchema } from "../metadata/standard_schema.ts";
import type { JsonSchema } from "../schema/json_schema.ts";

/**
 * Rejects anything but a Standard Schema 1 schema.
 *
 * @param option The option's name
 * @param schema The schema
 * @throws {TypeError} If it is not such a schema
 */
export function checkSchema(option: string, schema: unknown): void {
  if (isSchema(schema)) return;
  throw new TypeError(
    `validate: ${option} must be a schema of Standard Schema 1, as those of zod, valibot and arktype are, not ${
      describe(schema)
    }`,
  );
}

/**
 * Whether a value is a Standard Schema 1 schema.
 *
 * @param schema Any value
 */
export function isSchema(schema: unknown): schema is AnySchema {
  const standard = (schema as { "~standard"?: Partial<AnySchema["~standard"]> } | null | undefined)?.["~standard"];
  return standard?.version === 1 && typeof standard.validate === "function";
}

/**
 * Whether `validate` got something other than its options: a schema (from an older library or a JSON Schema too), a list
 * of checks, a part's name before its schema, or nothing.
 *
 * @param options Any value
 */
export function isNoOptions(options: unknown): boolean {
  return ["~standard", "parse", "type", "length"].some((name) => name in Object(options ?? ""));
}

/**
 * Returns the property names that an object schema expects, as far as they are known: from its JSON Schema, or from
 * valibot's own fields.
 *
 * @param schema The schema
 * @param json Its JSON Schema
 * @returns The names; empty if unknown
 */
export function expectedNames(schema: AnySchema, { properties }: JsonSchema): readonly string[] {
  const names = properties ?? (schema as { entries?: unknown }).entries;
  return typeof names === "object" && names !== null ? Object.keys(names) : [];
}
