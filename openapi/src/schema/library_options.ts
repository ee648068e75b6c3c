import type { Direction, JsonSchema } from "./json_schema.ts";

/**
 * Keyword for schemas whose values are not JSON: in requests they are made from JSON, in responses they become JSON.
 */
export const NATIVE = "x-native";

/** JavaScript types with a JSON representation, by their zod and valibot names. */
const NATIVE_TYPES: Readonly<Record<string, JsonSchema>> = {
  date: { type: "string", format: "date-time", [NATIVE]: "Date" },
  set: { type: "array", uniqueItems: true, [NATIVE]: "Set" },
  map: { type: "array", items: { type: "array", minItems: 2, maxItems: 2 }, [NATIVE]: "Map" },
};

const FILE = { type: "string", format: "binary" };

/** Zod types without a JSON representation, for versions that do not report them if given a function. */
const WITHOUT_JSON = /^(?:bigint|custom|function|nan|symbol|transform|undefined|void)$/;

/**
 * Options that make a library throw for anything it cannot convert.
 *
 * @param vendor The library, as named in Standard Schema
 * @param direction Which of a schema's types to convert
 */
export function strictOptions(vendor: unknown, direction: Direction): Record<string, unknown> | undefined {
  return optionsOf(vendor, direction, true);
}

/**
 * Options that make a library omit what it cannot convert.
 *
 * @param vendor The library, as named in Standard Schema
 * @param direction Which of a schema's types to convert
 */
export function lenientOptions(vendor: unknown, direction: Direction): Record<string, unknown> | undefined {
  return optionsOf(vendor, direction, false);
}

function optionsOf(vendor: unknown, direction: Direction, isStrict: boolean): Record<string, unknown> | undefined {
  switch (vendor) {
    case "zod":
      return zodOptions(direction, isStrict);
    case "valibot":
      return { overrideSchema: overrideOfValibot, ...isStrict ? {} : { errorMode: "ignore" } };
    case "arktype":
      // it never throws
      return { fallback: { date: () => NATIVE_TYPES["date"], proto: fallbackOfArktype } };
    default:
      return undefined;
  }
}

/** The part of a zod schema used here. */
interface ZodSchema {
  readonly _zod: {
    readonly def: { type: string; catchall?: unknown; keyType?: ZodSchema; valueType?: ZodSchema; out?: ZodSchema };
  };
  readonly "~standard": {
    readonly jsonSchema: Record<Direction, (options: { target: string; libraryOptions: unknown }) => JsonSchema>;
    validate(value: unknown): { issues?: readonly { expected?: unknown; values?: unknown }[] };
  };
}

function zodOptions(direction: Direction, isStrict: boolean): Record<string, unknown> {
  const options = {
    unrepresentable: ({ zodSchema }: { zodSchema: ZodSchema }) =>
      zodSchema._zod.def.type in NATIVE_TYPES ? {} : isStrict ? "throw" : "any",
    override({ zodSchema, jsonSchema }: { zodSchema: ZodSchema; jsonSchema: JsonSchema }) {
      const { type, catchall, keyType, valueType, out } = zodSchema._zod.def;
      // zod only adds this to outputs, where it strips other properties: without it, inputs and outputs are the same
      // component
      if (type === "object" && catchall === undefined) delete jsonSchema["additionalProperties"];
      if (direction === "input" && type === "pipe" && out?._zod.def.type === "boolean") {
        Object.assign(jsonSchema, wordsOf(zodSchema));
      }
      if (Object.keys(jsonSchema).length > 0 && !onlyDescribes(jsonSchema)) return;
      if (Object.hasOwn(NATIVE_TYPES, type)) {
        Object.assign(jsonSchema, NATIVE_TYPES[type]);
        if (type === "set") jsonSchema["items"] = within(valueType);
        if (type === "map") Object.assign(jsonSchema, mapSchema(within(keyType), within(valueType)));
      } else if (isStrict && WITHOUT_JSON.test(type)) {
        throw new Error(`${type} cannot be represented in JSON Schema`);
      }
    },
  };
  function within(schema: ZodSchema | undefined): JsonSchema {
    if (schema === undefined) return {};
    const { $schema: _, ...json } = schema["~standard"].jsonSchema[direction]({
      target: "draft-2020-12",
      libraryOptions: options,
    });
    // its references would not resolve here
    return JSON.stringify(json).includes('"$ref"') ? {} : json;
  }
  return options;
}

/** The words that `z.stringbool()` accepts, which are missing from its JSON Schema but listed in its error. */
function wordsOf(schema: ZodSchema): JsonSchema {
  const { expected, values } = schema["~standard"].validate("\0").issues?.[0] ?? {};
  return expected === "stringbool" && Array.isArray(values) ? { enum: values } : {};
}

/** Whether it has only annotations, and constrains no value. */
function onlyDescribes(json: JsonSchema): boolean {
  return Object.keys(json).every((key) => /^(?:id|title|description|deprecated|examples|default)$/.test(key));
}

/** A map is an object if its keys are strings; otherwise it is a list of pairs. */
function mapSchema(key: JsonSchema, value: JsonSchema): JsonSchema {
  if (key["type"] === "string") return { type: "object", items: undefined, additionalProperties: value };
  return { items: { type: "array", prefixItems: [key, value], minItems: 2, maxItems: 2 } };
}

function overrideOfValibot(
  { valibotSchema, jsonSchema }: { valibotSchema: { type: string; pipe?: unknown }; jsonSchema: JsonSchema },
): JsonSchema | undefined {
  const { type } = valibotSchema;
  if (Object.hasOwn(NATIVE_TYPES, type)) return { ...jsonSchema, ...NATIVE_TYPES[type] };
  if (type === "file" || type === "blob") return { ...jsonSchema, ...FILE };
  if (type === "loose_object") return { ...jsonSchema, additionalProperties: {} };
  return undefined;
}

function fallbackOfArktype({ proto, base }: { proto: unknown; base: JsonSchema }): JsonSchema {
  if (proto === Set) return { ...base, ...NATIVE_TYPES["set"] };
  if (proto === Map) return { ...base, ...NATIVE_TYPES["map"] };
  const name = (proto as { name?: unknown }).name;
  return name === "File" || name === "Blob" ? { ...base, ...FILE } : base;
}
