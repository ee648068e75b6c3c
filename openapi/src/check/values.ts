import fc, { type Arbitrary } from "fast-check";
import type { JsonSchema } from "../document/openapi_document.ts";
import type { ValueLocation } from "./draft.ts";
import type { Schemas } from "./schemas.ts";

/** A file in a form. */
export interface FileValue {
  /** Its media type. */
  readonly file: string;
  /** Its content. */
  readonly text: string;
}

/** Thrown for a schema without a known value. */
export class NoValueError extends Error {}

/** From this depth on, values are minimal, because schemas may be recursive. */
const DEEP = 4;

/** Maximum depth: a schema that requires itself has no value. */
const DEEPEST = 24;

/** Generates values that a document's schemas allow. */
export class Values {
  readonly #schemas: Schemas;

  /** @param schemas The document's schemas */
  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /**
   * Generates values for a schema.
   *
   * @param schema The schema
   * @param location Where they are written
   * @throws {NoValueError} If no value is known
   */
  of(schema: JsonSchema, location: ValueLocation): Arbitrary<unknown> {
    return this.#made(schema, location, 0).filter((value) => hasFile(value) || this.#schemas.allows(schema, value));
  }

  #made(given: unknown, location: ValueLocation, depth: number): Arbitrary<unknown> {
    if (depth > DEEPEST) throw new NoValueError("a schema requires itself");
    if (typeof given !== "object" || given === null) return given === false ? nothing() : anything(location);
    const schema = this.#schemas.resolve(given as JsonSchema);
    const { anyOf, oneOf, allOf, ...own } = schema as JsonSchema & Record<"anyOf" | "oneOf" | "allOf", JsonSchema[]>;
    if ("const" in own) return fc.constant(own["const"]);
    if (Array.isArray(own["enum"])) return fc.constantFrom(...own["enum"]);
    const some = anyOf ?? oneOf;
    if (some !== undefined) {
      return this.#oneOf(some.map((one) => merged([own, this.#schemas.resolve(one)])), location, depth);
    }
    if (allOf !== undefined) {
      return this.#made(merged([own, ...allOf.map((one) => this.#schemas.resolve(one))]), location, depth);
    }
    const { type } = own;
    if (Array.isArray(type)) return this.#oneOf(type.map((one) => ({ ...own, type: one })), location, depth);
    switch (type ?? impliedType(own)) {
      case "string":
        return this.#string(own, location);
      case "integer":
        return integers(own);
      case "number":
        return numbers(own);
      case "boolean":
        return fc.boolean();
      case "null":
        return fc.constant(null);
      case "array":
        return this.#array(own, location, depth);
      case "object":
        return this.#object(own, location, depth);
      default:
        return anything(location);
    }
  }

  #oneOf(schemas: readonly JsonSchema[], location: ValueLocation, depth: number): Arbitrary<unknown> {
    const made: Arbitrary<unknown>[] = [];
    for (const schema of schemas) {
      try {
        made.push(this.#made(schema, location, depth + 1));
      } catch (error) {
        // one alternative with a value is enough
        if (!(error instanceof NoValueError)) throw error;
      }
    }
    if (made.length === 0) throw new NoValueError("none of the alternatives has a value that can be made");
    return fc.oneof(...made);
  }

  #string(schema: JsonSchema, location: ValueLocation): Arbitrary<unknown> {
    const { format, pattern, minLength = 0, maxLength } = schema as {
      format?: string;
      pattern?: string;
      minLength?: number;
      maxLength?: number;
    };
    if (format === "binary" || schema["contentMediaType"] === "application/octet-stream") return file();
    const known = format === undefined ? undefined : FORMATS[format];
    if (known !== undefined) return known();
    if (pattern !== undefined) return matching(pattern, location, minLength, maxLength);
    const least = Math.max(minLength, location === "body" || location === "query" ? 0 : 1);
    const most = Math.max(least, Math.min(maxLength ?? Infinity, least + 12));
    return texts(location, least, most);
  }

  #array(schema: JsonSchema, location: ValueLocation, depth: number): Arbitrary<unknown> {
    const { items = true, prefixItems, minItems = 0, maxItems, uniqueItems } = schema as {
      items?: unknown;
      prefixItems?: unknown[];
      minItems?: number;
      maxItems?: number;
      uniqueItems?: boolean;
    };
    if (prefixItems !== undefined) return fc.tuple(...prefixItems.map((one) => this.#made(one, location, depth + 1)));
    // outside a body, an empty list cannot be written: it would be absent
    const least = Math.max(minItems, location === "body" ? 0 : 1);
    const most = Math.min(maxItems ?? Infinity, depth >= DEEP ? least : least + 3);
    if (most === 0) return fc.constant([]);
    const item = this.#made(items, location, depth + 1);
    const bounds = { minLength: least, maxLength: most };
    return uniqueItems === true
      ? fc.uniqueArray(item, { ...bounds, selector: (value) => JSON.stringify(value) })
      : fc.array(item, bounds);
  }

  #object(schema: JsonSchema, location: ValueLocation, depth: number): Arbitrary<unknown> {
    const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema as {
      properties?: Record<string, unknown>;
      required?: string[];
      additionalProperties?: unknown;
      minProperties?: number;
    };
    const fields: Record<string, Arbitrary<unknown>> = {};
    for (const name of new Set([...Object.keys(properties), ...required])) {
      const isRequired = required.includes(name);
      // from this depth on, optional properties are omitted
      if (!isRequired && depth >= DEEP) continue;
      try {
        fields[name] = this.#made(properties[name] ?? true, location, depth + 1);
      } catch (error) {
        if (isRequired || !(error instanceof NoValueError)) throw error;
      }
    }
    const record = fc.record(fields, { requiredKeys: required, noNullPrototype: true } as never);
    if (Object.keys(fields).length > 0 || additionalProperties === undefined || additionalProperties === false) {
      return record;
    }
    const value = this.#made(additionalProperties, location, depth + 1);
    const bounds = { minKeys: minProperties, maxKeys: depth >= DEEP ? minProperties : minProperties + 3 };
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value, { ...bounds, noNullPrototype: true });
  }
}

/** Whether a value in a form is a file. */
export function isFile(value: unknown): value is FileValue {
  return typeof value === "object" && value !== null && "file" in value && "text" in value;
}

function hasFile(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isFile(value) || Object.values(value).some(hasFile);
}

function file(): Arbitrary<FileValue> {
  return fc.string({ minLength: 1, maxLength: 20 }).map((text) => ({ file: "application/octet-stream", text }));
}

function nothing(): never {
  throw new NoValueError("a schema allows nothing");
}

/** Values for a schema without constraints. */
function anything(location: ValueLocation): Arbitrary<unknown> {
  return location === "body" ? fc.oneof(fc.string(), fc.integer(), fc.boolean()) : texts(location, 1, 12);
}

function impliedType(schema: JsonSchema): string | undefined {
  if ("properties" in schema || "required" in schema) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
}

/** Strings that can be written there: a path segment cannot be empty, and headers have no spaces at their ends. */
function texts(location: ValueLocation, minLength: number, maxLength: number): Arbitrary<string> {
  if (location === "header" || location === "cookie") {
    const unit = fc.constantFrom(..."abcxyzABCXYZ0189-_.~");
    return fc.string({ unit, minLength, maxLength });
  }
  const plain = fc.string({ minLength, maxLength });
  const any = fc.string({ unit: "grapheme", minLength, maxLength });
  const text = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 1, arbitrary: any });
  return location === "path" ? text.filter((one) => !/^\.{0,2}$/.test(one)) : text;
}

function matching(
  pattern: string,
  location: ValueLocation,
  minLength: number,
  maxLength = Infinity,
): Arbitrary<string> {
  let made: Arbitrary<string>;
  try {
    made = fc.stringMatching(new RegExp(pattern, "u"));
  } catch {
    try {
      made = fc.stringMatching(new RegExp(pattern));
    } catch (error) {
      throw new NoValueError(`no string is known to match the pattern ${pattern}: ${(error as Error).message}`);
    }
  }
  const isWritable = (text: string): boolean =>
    location === "body" || location === "query" || (text !== "" && /^[\x21-\x7e]*$/.test(text));
  return made.filter((text) => text.length >= minLength && text.length <= maxLength && isWritable(text));
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

function integers(schema: JsonSchema): Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf = 1 } = schema as Bounds;
  const step = Math.max(1, multipleOf);
  const least = Math.max(minimum ?? -Infinity, exclusiveMinimum === undefined ? -Infinity : exclusiveMinimum + 1);
  const most = Math.min(maximum ?? Infinity, exclusiveMaximum === undefined ? Infinity : exclusiveMaximum - 1);
  const min = Math.ceil(Math.max(least, Number.MIN_SAFE_INTEGER) / step);
  const max = Math.floor(Math.min(most, Number.MAX_SAFE_INTEGER) / step);
  if (min > max) throw new NoValueError(`no integer is between ${least} and ${most}`);
  return fc.integer({ min: clamp(min), max: clamp(max) }).map((value) => value * step);
}

/** fast-check's integers have 32 bits. */
function clamp(value: number): number {
  return Math.min(Math.max(value, -0x80000000), 0x7fffffff);
}

function numbers(schema: JsonSchema): Arbitrary<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Bounds;
  if (multipleOf !== undefined) {
    const scaled = (bound: number | undefined) => bound === undefined ? {} : { bound: bound / multipleOf };
    const min = Math.ceil(scaled(minimum ?? exclusiveMinimum).bound ?? -1000);
    const max = Math.floor(scaled(maximum ?? exclusiveMaximum).bound ?? 1000);
    return fc.integer({ min, max: Math.max(min, max) }).map((value) => value * multipleOf);
  }
  const min = Math.max(minimum ?? -1e9, exclusiveMinimum ?? -1e9);
  const max = Math.min(maximum ?? 1e9, exclusiveMaximum ?? 1e9);
  const double = fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
  // JSON has no negative zero, and real clients mostly send short numbers
  return fc.oneof(
    fc.integer({ min: Math.ceil(clamp(min)), max: Math.max(Math.ceil(clamp(min)), Math.floor(clamp(max))) }),
    double,
  )
    .map((value) => value === 0 ? 0 : value);
}

const WORD = () => fc.stringMatching(/^[a-z]{1,8}$/);

function days(): Arbitrary<Date> {
  return fc.date({ min: new Date("1970-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });
}

/** Values for formats, which every library accepts. */
const FORMATS: Readonly<Record<string, () => Arbitrary<string>>> = {
  "date": () => days().map((day) => day.toISOString().slice(0, 10)),
  "date-time": () => days().map((day) => day.toISOString()),
  "time": () => days().map((day) => day.toISOString().slice(11, 19)),
  "duration": () => fc.integer({ min: 1, max: 99 }).map((count) => `P${count}D`),
  "email": () => fc.tuple(WORD(), WORD()).map(([name, host]) => `${name}@${host}.example`),
  "hostname": () => WORD().map((host) => `${host}.example`),
  "ipv4": () => fc.ipV4(),
  "ipv6": () => fc.ipV6(),
  "uri": () => fc.tuple(WORD(), WORD()).map(([host, path]) => `https://${host}.example/${path}`),
  "url": () => FORMATS["uri"]!(),
  "uri-reference": () => WORD().map((path) => `/${path}`),
  "uuid": () => fc.uuid({ version: 4 }),
  "byte": () => fc.base64String(),
  "base64": () => fc.base64String(),
};

/** Merges schemas that all apply, as far as value generation requires. */
function merged(schemas: readonly JsonSchema[]): JsonSchema {
  const result: Record<string, unknown> = {};
  for (const schema of schemas) {
    for (const [key, value] of Object.entries(schema)) {
      const before = result[key];
      if (key === "properties") result[key] = { ...before as object, ...value as object };
      else if (key === "required") result[key] = [...new Set([...before as string[] ?? [], ...value as string[]])];
      else if (key === "allOf") result[key] = [...before as unknown[] ?? [], ...value as unknown[]];
      else if (before === undefined || key !== "type") result[key] = value;
    }
  }
  return result;
}
