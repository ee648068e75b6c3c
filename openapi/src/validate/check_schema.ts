import { describe } from "@sluice/shared";
import type { AnySchema } from "../metadata/standard_schema.ts";
import type { JsonSchema } from "../schema/json_schema.ts";

/**
 * Refuses what is not a schema of Standard Schema 1.
 *
 * @param option Name of the option
 * @param schema The schema
 * @throws {TypeError} If it is none
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
 * Whether something is a schema of Standard Schema 1.
 *
 * @param schema What may be one
 */
export function isSchema(schema: unknown): schema is AnySchema {
  const isObject = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  const standard = isObject ? (schema as { "~standard"?: Partial<AnySchema["~standard"]> })["~standard"] : undefined;
  return standard?.version === 1 && typeof standard.validate === "function";
}

/**
 * Names of the properties that a schema of an object expects, as far as it tells: by its JSON Schema, or as valibot keeps
 * them.
 *
 * @param schema The schema
 * @param json Its JSON Schema
 * @returns The names, none if it does not tell
 */
export function expectedNames(schema: AnySchema, { properties }: JsonSchema): readonly string[] {
  const names = properties ?? (schema as { entries?: unknown }).entries;
  return typeof names === "object" && names !== null ? Object.keys(names) : [];
}
