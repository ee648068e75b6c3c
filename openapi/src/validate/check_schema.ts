import { describe } from "@sluice/shared";
import type { AnySchema } from "../metadata/standard_schema.ts";

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
 * Names of the properties that a schema of an object expects, as far as it tells: by Standard Schema's JSON Schema, or
 * as valibot keeps them.
 *
 * @param schema The schema
 * @returns The names, none if it does not tell
 */
export function parameterNames(schema: AnySchema): readonly string[] {
  const { "~standard": { jsonSchema }, entries } = schema as unknown as {
    "~standard": { jsonSchema?: { input?: (options: { target: string }) => { properties?: unknown } } };
    entries?: unknown;
  };
  try {
    return keysOf(jsonSchema?.input?.({ target: "draft-2020-12" }).properties ?? entries);
  } catch {
    // the specification lets it throw for what JSON Schema cannot say, such as dates; requests are checked as well
    return keysOf(entries);
  }
}

function keysOf(value: unknown): readonly string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
