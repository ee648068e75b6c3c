import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import type { JsonSchema } from "./openapi_document.ts";

/** Which of its types a schema is asked for: what requests have, or what responses have. */
export type Direction = "input" | "output";

/** Makes JSON Schema 2020-12 of a schema that cannot itself; `undefined` if it cannot, either. */
export type ToJsonSchema = (schema: unknown, direction: "input" | "output") => JsonSchema | undefined;

/** A schema as JSON Schema, as far as there is one. */
export interface Converted {
  /** The schema; an empty one, which allows everything, if it cannot be expressed. */
  readonly json: JsonSchema;
  /** What is missing in it, and why. */
  readonly problem?: string;
}

const TARGET = "draft-2020-12";

/**
 * Converts a schema: by the JSON Schema part of Standard Schema 1.1, or else by what the program has for it.
 *
 * @param schema The schema
 * @param direction Which of its types
 * @param toJsonSchema Converts schemas without that part
 */
export function convertSchema(
  schema: unknown,
  direction: Direction,
  toJsonSchema: ToJsonSchema | undefined,
): Converted {
  const converter = converterOf(schema);
  try {
    const json = converter === undefined ? toJsonSchema?.(schema, direction) : converter[direction]({ target: TARGET });
    if (json !== undefined) return { json };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { json: converter === undefined ? {} : partOf(converter, direction), problem };
  }
  const vendor = (schema as { "~standard"?: { vendor?: unknown } })["~standard"]?.vendor;
  return {
    json: {},
    problem: `its schema, of ${vendor ?? "no known library"}, has no JSON Schema; option toJsonSchema can convert it`,
  };
}

function converterOf(schema: unknown): StandardJSONSchemaV1.Converter | undefined {
  return (schema as Partial<StandardJSONSchemaV1>)["~standard"]?.jsonSchema;
}

/** The schema without what it cannot express: zod calls it `any` then, arktype does so by itself. */
function partOf(converter: StandardJSONSchemaV1.Converter, direction: Direction): JsonSchema {
  try {
    return converter[direction]({ target: TARGET, libraryOptions: { unrepresentable: "any" } });
  } catch {
    // the first error is the one that is told
    return {};
  }
}
