import type { Direction, JsonSchema } from "./json_schema.ts";

/**
 * Keyword for schemas whose values are not JSON: in requests they are made from JSON, in responses they become JSON.
 */
export const NATIVE = "x-native";

/** Keyword for inputs that are wider than their JSON Schema: the output may differ, although its JSON Schema does not. */
export const WIDE = "x-wide";

/** JavaScript types with a JSON representation, by their zod and valibot names. */
const NATIVE_TYPES: Readonly<Record<string, JsonSchema>> = {
  date: { type: "string", format: "date-time", [NATIVE]: "Date" },
  set: { type: "array", uniqueItems: true, [NATIVE]: "Set" },
  map: { type: "array", items: { type: "array", minItems: 2, maxItems: 2 }, [NATIVE]: "Map" },
};

const FILE = { type: "string", format: "binary" };

/** Options for a library. */
export interface LibraryOptions {
  readonly [option: string]: unknown;
  /** JSON Schema within zod's sets and maps, which the result refers to. */
  readonly within?: Readonly<Record<string, JsonSchema>>;
  /** Valibot's schemas within its sets and maps, which a further conversion includes. */
  readonly definitions?: Readonly<Record<string, unknown>> | undefined;
}

/** The first name for these schemas; libraries count their own from 0. */
const FIRST_NAME = 1000;

/** Zod types without a JSON representation, for versions that do not report them if given a function. */
const WITHOUT_JSON = /^(?:bigint|custom|function|nan|symbol|transform|undefined|void)$/;

/**
 * Options that make a library throw for anything it cannot convert.
 *
 * @param vendor The library, as named in Standard Schema
 * @param direction Which of a schema's types to convert
 */
export function strictOptions(vendor: unknown, direction: Direction): LibraryOptions | undefined {
  return optionsOf(vendor, direction, true);
}

/**
 * Options that make a library omit what it cannot convert.
 *
 * @param vendor The library, as named in Standard Schema
 * @param direction Which of a schema's types to convert
 */
export function lenientOptions(vendor: unknown, direction: Direction): LibraryOptions | undefined {
  return optionsOf(vendor, direction, false);
}

function optionsOf(vendor: unknown, direction: Direction, isStrict: boolean): LibraryOptions | undefined {
  switch (vendor) {
    case "zod":
      return zodOptions(direction, isStrict);
    case "valibot":
      return valibotOptions(direction, isStrict);
    case "arktype":
      // it never throws
      return { fallback: { date: () => NATIVE_TYPES["date"], proto: fallbackOfArktype } };
    default:
      return undefined;
  }
}

/** The part of a zod check used here. */
interface ZodCheck {
  readonly _zod: { readonly def: { readonly pattern?: RegExp } };
}

/** The part of a zod schema used here. */
interface ZodSchema {
  readonly _zod: {
    readonly def: {
      type: string;
      pattern?: RegExp;
      catchall?: unknown;
      coerce?: boolean;
      checks?: readonly ZodCheck[];
      keyType?: ZodSchema;
      valueType?: ZodSchema;
      in?: ZodSchema;
      out?: ZodSchema;
    };
  };
  readonly "~standard": {
    readonly jsonSchema: Record<Direction, (options: { target: string; libraryOptions: unknown }) => JsonSchema>;
    validate(value: unknown): { issues?: readonly { expected?: unknown; values?: unknown }[] };
  };
}

function zodOptions(direction: Direction, isStrict: boolean): LibraryOptions {
  const definitions: Record<string, JsonSchema> = {};
  const names = new Map<ZodSchema, string>();
  let next = FIRST_NAME;
  const options = {
    within: definitions,
    unrepresentable: ({ zodSchema }: { zodSchema: ZodSchema }) =>
      zodSchema._zod.def.type in NATIVE_TYPES ? {} : isStrict ? "throw" : "any",
    override({ zodSchema, jsonSchema }: { zodSchema: ZodSchema; jsonSchema: JsonSchema }) {
      const { type, catchall, coerce, checks = [], keyType, valueType, in: before, out } = zodSchema._zod.def;
      // zod only adds this to outputs, where it strips other properties: without it, inputs and outputs are the same
      // component
      if (type === "object" && catchall === undefined) delete jsonSchema["additionalProperties"];
      if (direction === "input" && type === "pipe" && out?._zod.def.type === "boolean") {
        Object.assign(jsonSchema, wordsOf(zodSchema));
      }
      const isWide = coerce === true || type === "catch" || before?._zod.def.type === "transform";
      if (direction === "input" && isWide) jsonSchema[WIDE] = true;
      const flagged = [zodSchema as ZodCheck, ...checks].find((one) => /[ims]/.test(one._zod.def.pattern?.flags ?? ""));
      if (flagged !== undefined) {
        if (isStrict) throw new Error(`JSON Schema has no flags, as in ${flagged._zod.def.pattern}`);
        delete jsonSchema["pattern"];
        delete jsonSchema["allOf"];
      }
      if (Object.keys(jsonSchema).length > 0 && !onlyDescribes(jsonSchema)) return;
      if (Object.hasOwn(NATIVE_TYPES, type)) {
        Object.assign(jsonSchema, NATIVE_TYPES[type]);
        const sizes: Partial<Record<string, unknown>> = Object.assign({}, ...checks.map(({ _zod }) => _zod.def));
        const [min, max] = [sizes["minimum"] ?? sizes["size"], sizes["maximum"] ?? sizes["size"]];
        if (type === "set") Object.assign(jsonSchema, { items: within(valueType), minItems: min, maxItems: max });
        if (type === "map") Object.assign(jsonSchema, mapSchema(within(keyType), within(valueType), min, max));
      } else if (isStrict && WITHOUT_JSON.test(type)) {
        throw new Error(`${type} cannot be represented in JSON Schema`);
      }
    },
  };
  function within(schema: ZodSchema | undefined): JsonSchema {
    if (schema === undefined) return {};
    const known = names.get(schema);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const name = String(next++);
    names.set(schema, name);
    const converted = schema["~standard"].jsonSchema[direction]({ target: "draft-2020-12", libraryOptions: options });
    // its references lead to its own definitions, whose names are unique only if the program chose them
    const { $schema: _, $defs, ...json } = JSON.parse(JSON.stringify(converted), (key, value) => {
      if (key !== "$ref" || typeof value !== "string") return value;
      return value === "#" ? `#/$defs/${name}` : value.replace("/__schema", `/${name}`);
    }) as JsonSchema;
    if (!refers(json)) {
      names.delete(schema);
      return json;
    }
    for (const [key, one] of Object.entries($defs ?? {})) definitions[key.replace("__schema", name)] = one;
    definitions[name] = json;
    return { $ref: `#/$defs/${name}` };
  }
  return options;
}

/** The words that `z.stringbool()` accepts, which are missing from its JSON Schema but listed in its error. */
function wordsOf(schema: ZodSchema): JsonSchema {
  const { expected, values } = schema["~standard"].validate("\0").issues?.[0] ?? {};
  return expected === "stringbool" && Array.isArray(values) ? { enum: values } : {};
}

function refers(json: JsonSchema): boolean {
  return JSON.stringify(json).includes('"$ref"');
}

/** Whether it has only annotations, and constrains no value. */
function onlyDescribes(json: JsonSchema): boolean {
  return Object.keys(json).every((key) => /^(?:id|title|description|deprecated|examples|default|x-wide)$/.test(key));
}

/** A map is an object if its keys are strings; otherwise it is a list of pairs. */
function mapSchema(key: JsonSchema, value: JsonSchema, min: unknown, max: unknown): JsonSchema {
  // a date is a string only in JSON
  if (key["type"] !== "string" || NATIVE in key) return { ...pairs(key, value), minItems: min, maxItems: max };
  return {
    type: "object",
    items: undefined,
    ...Object.keys(key).length > 1 ? { propertyNames: key } : {},
    additionalProperties: value,
    minProperties: min,
    maxProperties: max,
  };
}

function pairs(key: JsonSchema, value: JsonSchema): JsonSchema {
  return { items: { type: "array", prefixItems: [key, value], minItems: 2, maxItems: 2 } };
}

/** Valibot's actions that refuse no value, so that nothing is missing without them. */
const WITHOUT_EFFECT = [
  "brand",
  "flavor",
  "readonly",
  "trim",
  "trim_start",
  "trim_end",
  "to_lower_case",
  "to_upper_case",
];

/** The part of valibot's conversion used here. */
interface ValibotContext {
  readonly valibotSchema: {
    readonly type: string;
    readonly key?: unknown;
    readonly value?: unknown;
    readonly fallback?: unknown;
    readonly default?: unknown;
    readonly entries?: Readonly<Record<string, { readonly default?: unknown }>>;
  };
  readonly jsonSchema: JsonSchema;
  /** Converted before the schema itself. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

function valibotOptions(direction: Direction, isStrict: boolean): LibraryOptions {
  const found: Record<string, unknown> = {};
  const names = new Map<unknown, string>();
  const overrideSchema = ({ valibotSchema, jsonSchema, definitions }: ValibotContext): JsonSchema | undefined => {
    const { type, key, value, fallback, default: instead, entries } = valibotSchema;
    if (direction === "input" && (fallback ?? instead) !== undefined) jsonSchema[WIDE] = true;
    // a field with a default is never missing from an output
    if (direction === "output" && entries !== undefined) {
      const required = new Set(jsonSchema["required"] as string[]);
      jsonSchema["required"] = Object.keys(entries).filter((name) =>
        required.has(name) || entries[name]!.default !== undefined
      );
    }
    const within = (schema: unknown): JsonSchema => {
      const name = names.get(schema) ?? String(FIRST_NAME + names.size);
      names.set(schema, name);
      found[name] = schema;
      const json = definitions[name];
      return json === undefined || refers(json) ? { $ref: `#/$defs/${name}` } : json;
    };
    if (type === "set") return { ...jsonSchema, ...NATIVE_TYPES[type], items: within(value) };
    if (type === "map") return { ...jsonSchema, ...NATIVE_TYPES[type], ...pairs(within(key), within(value)) };
    if (type === "date") return { ...jsonSchema, ...NATIVE_TYPES[type] };
    if (type === "file" || type === "blob") return { ...jsonSchema, ...FILE };
    if (type === "loose_object") return { ...jsonSchema, additionalProperties: {} };
    return undefined;
  };
  return {
    // without any, those that the program has registered globally
    get definitions() {
      return names.size > 0 ? found : undefined;
    },
    overrideSchema,
    ignoreActions: WITHOUT_EFFECT,
    ...isStrict ? {} : { errorMode: "ignore" },
  };
}

function fallbackOfArktype({ proto, base }: { proto: unknown; base: JsonSchema }): JsonSchema {
  if (proto === Set) return { ...base, ...NATIVE_TYPES["set"] };
  if (proto === Map) return { ...base, ...NATIVE_TYPES["map"] };
  const name = (proto as { name?: unknown }).name;
  return name === "File" || name === "Blob" ? { ...base, ...FILE } : base;
}
