import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import type { Direction, JsonSchema, ToJsonSchema } from "./json_schema.ts";
import { lenientOptions, type LibraryOptions, strictOptions } from "./library_options.ts";

/** A schema converted to JSON Schema, as far as possible. */
export interface Converted {
  /** The schema; an empty one, which allows everything, if it cannot be expressed. */
  readonly json: JsonSchema;
  /** The parts missing from it, and why. */
  readonly problem?: string;
}

const TARGET = "draft-2020-12";

/** Converters passed to `validate`, so that a document need not repeat them. */
const converters = new WeakMap<object, ToJsonSchema>();

/**
 * Registers a converter for a schema whose library has none.
 *
 * @param schema The schema
 * @param toJsonSchema Converts it
 */
export function noteConverter(schema: object, toJsonSchema: ToJsonSchema): void {
  converters.set(schema, toJsonSchema);
}

/**
 * Converts a schema: by the JSON Schema part of Standard Schema 1.1, otherwise by the program's converter.
 *
 * @param schema The schema
 * @param direction Which of its types
 * @param toJsonSchema Converts schemas without that part
 */
export function convertSchema(schema: unknown, direction: Direction, toJsonSchema?: ToJsonSchema): Converted {
  const { vendor, jsonSchema } = (schema as Partial<StandardJSONSchemaV1>)["~standard"] ?? {};
  const convert = jsonSchema?.[direction];
  try {
    const json = convert === undefined
      ? (toJsonSchema ?? converters.get(schema as object))?.(schema, direction)
      : whole(convert, strictOptions(vendor, direction));
    if (json !== undefined) return { json };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (convert === undefined) return { json: {}, problem };
    try {
      return { json: whole(convert, lenientOptions(vendor, direction)), problem };
    } catch {
      // the first error is the one reported
      return { json: {}, problem };
    }
  }
  return {
    json: {},
    problem: `its schema, of ${vendor ?? "no known library"}, has no JSON Schema; option toJsonSchema can convert it`,
  };
}

/** Converts a schema, and those within its sets and maps. */
function whole(convert: StandardJSONSchemaV1.Converter["input"], libraryOptions?: LibraryOptions): JsonSchema {
  const known = (): number => Object.keys(libraryOptions?.definitions ?? {}).length;
  for (;;) {
    const before = known();
    const json = convert({ target: TARGET, libraryOptions });
    if (known() > before) continue;
    const { within = {} } = libraryOptions ?? {};
    return Object.keys(within).length === 0 ? json : { ...json, $defs: { ...json["$defs"] as object, ...within } };
  }
}
