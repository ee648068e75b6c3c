import fc, { type Arbitrary } from "fast-check";
import type { JsonSchema } from "../document/openapi_document.ts";
import { fixedValues } from "../schema/schema_kinds.ts";
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
    return filtered(
      this.#made(schema, location, 0),
      (value) => hasFile(value) || this.#schemas.allows(schema, value),
      `no value was found for ${JSON.stringify(schema)}`,
    );
  }

  #made(given: unknown, location: ValueLocation, depth: number): Arbitrary<unknown> {
    if (depth > DEEPEST) throw new NoValueError("a schema requires itself");
    if (typeof given !== "object" || given === null) return given === false ? nothing() : anything(location);
    const schema = this.#schemas.resolve(given as JsonSchema);
    const { anyOf, oneOf, allOf, ...own } = schema as JsonSchema & Record<"anyOf" | "oneOf" | "allOf", JsonSchema[]>;
    const fixed = fixedValues(own);
    if (fixed !== undefined) {
      const writable = fixed.filter((value) => value !== null || location === "body");
      return writable.length > 0 ? fc.constantFrom(...writable) : nothing();
    }
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
        return location === "body" ? fc.constant(null) : nothing();
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
    // from this depth on, one without depth is enough
    const isDeep = depth >= DEEP;
    for (const schema of isDeep ? schemas.toSorted((a, b) => Number(isNested(a)) - Number(isNested(b))) : schemas) {
      if (isDeep && made.length > 0) break;
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
    if (known !== undefined && isAllowed(known(), pattern)) return known();
    if (pattern !== undefined) return matching(pattern, location, minLength, maxLength);
    const least = Math.max(minLength, location === "body" || location === "query" ? 0 : 1);
    const most = Math.max(least, Math.min(maxLength ?? Infinity, least + 12));
    const all = texts(location, least, most);
    // JSON Schema counts characters, and most libraries count UTF-16's units
    return maxLength === undefined ? all : all.filter((text) => text.length <= most);
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
    const { properties = {}, required = [], additionalProperties, propertyNames, minProperties = 0 } = schema as {
      properties?: Record<string, unknown>;
      required?: string[];
      additionalProperties?: unknown;
      propertyNames?: unknown;
      minProperties?: number;
    };
    // outside a body, an empty object cannot be written, either
    const least = Math.max(minProperties, location === "body" ? 0 : 1);
    const fields: Record<string, Arbitrary<unknown>> = {};
    for (const name of new Set([...Object.keys(properties), ...required])) {
      const isRequired = required.includes(name);
      // from this depth on, optional properties are omitted
      if (!isRequired && depth >= DEEP) continue;
      try {
        fields[name] = this.#made(properties[name] ?? additionalProperties ?? true, location, depth + 1);
      } catch (error) {
        if (isRequired || !(error instanceof NoValueError)) throw error;
      }
    }
    const record = fc.record(fields, { requiredKeys: required, noNullPrototype: true } as never);
    if (Object.keys(fields).length > 0 || additionalProperties === undefined || additionalProperties === false) {
      return filtered(
        record,
        (value) => Object.keys(value as object).length >= least,
        "no object with a field was found",
      );
    }
    const value = this.#made(additionalProperties, location, depth + 1);
    const bounds = { minKeys: least, maxKeys: depth >= DEEP ? least : least + 3 };
    const { type, ...names } = this.#schemas.resolve(Object(propertyNames) as JsonSchema);
    const name = Object.keys(names).length > 0 ? this.#made({ type, ...names }, "header", depth + 1) : WORD();
    return fc.dictionary(name as Arbitrary<string>, value, { ...bounds, noNullPrototype: true });
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

/** Number of values in a row that may be rejected: otherwise a schema with no known value would never be done. */
const MOST_REJECTED = 10_000;

/** Rejects values; throws if none is found. */
function filtered<Value>(
  values: Arbitrary<Value>,
  allows: (value: Value) => boolean,
  problem: string,
): Arbitrary<Value> {
  let rejected = 0;
  const allowed = values.filter((value) => {
    const isAllowed = allows(value);
    rejected = isAllowed ? 0 : rejected + 1;
    if (rejected > MOST_REJECTED) throw new NoValueError(problem);
    return isAllowed;
  });
  fc.sample(allowed, { seed: 1, numRuns: 1 });
  return allowed;
}

/** Whether a format's values have a pattern, which may be narrower. */
function isAllowed(values: Arbitrary<string>, pattern: string | undefined): boolean {
  if (pattern === undefined) return true;
  const expression = new RegExp(pattern, "u");
  return fc.sample(values, { seed: 1, numRuns: 10 }).every((value) => expression.test(value));
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

function isNested(schema: JsonSchema): boolean {
  return ["array", "object"].includes(schema["type"] as string);
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
  return filtered(
    made,
    (text) => text.length >= minLength && text.length <= maxLength && isWritable(text),
    `no string of the right length was found for the pattern ${pattern}`,
  );
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
  return fc.integer(usual(min, max)).map((value) => value * step);
}

/** Integers that programs use: those with 32 bits, if there are any. */
function usual(min: number, max: number): { min: number; max: number } {
  const [least, most] = [Math.max(min, -0x80000000), Math.min(max, 0x7fffffff)];
  return least <= most ? { min: least, max: most } : { min, max };
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
  const [least, most] = [Math.ceil(min), Math.floor(max)];
  const some = least <= most ? fc.oneof(fc.integer(usual(least, most)), double) : double;
  return some.map((value) => value === 0 ? 0 : value);
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
  "jwt": () => WORD().map((signature) => `eyJhbGciOiJIUzI1NiJ9.e30.${signature}`),
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
