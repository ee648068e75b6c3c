import { trimBlanks } from "@sluice/shared";
import type { Request } from "@sluice/sluice";
import type { RequestPart } from "../metadata/route_schemas.ts";
import { type Serialization, serializationOf } from "../metadata/serialization.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import { objectShape } from "../schema/object_shape.ts";
import {
  alternatives,
  fixedValues,
  isOnly,
  isSchema,
  kindsOf,
  localReferences,
  type Resolve,
} from "../schema/schema_kinds.ts";
import { rawValue } from "./raw_values.ts";
import { choiceOf, mapped, type ReadValue, ValueReaders } from "./value_readers.ts";

/** Parsed values, by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Converts a request part to a value that its schema accepts. */
export type ReadPart = (value: unknown, req: Request) => unknown;

/** Reads one parameter. */
interface ParameterReader {
  readonly name: string;
  /** Its value. */
  read(values: Values, req: Request): unknown;
  /** Whether a name belongs to it, besides its own. */
  has?(name: string): boolean;
}

/** Kinds of values that are written without commas. */
const WITHOUT_COMMAS: ReadonlySet<string> = new Set(["number", "integer", "boolean"]);

/** Maximum number of bracketed names in one parameter. */
const MOST_BRACKETS = 8;

/**
 * Creates a function that reads a part's parameters as the document defines (OpenAPI 3.1, style values; RFC 6570).
 *
 * @param part The part
 * @param json The part's JSON Schema
 * @param given The program's serialization for parameters
 * @param resolve Follows references
 * @returns `undefined` if all parameters stay unchanged
 */
export function partReader(
  part: RequestPart,
  json: JsonSchema,
  given: Readonly<Record<string, Serialization>> = {},
  resolve: Resolve = localReferences(json),
): ReadPart | undefined {
  const values = new ValueReaders(resolve, "text");
  const readers: ParameterReader[] = [];
  const { properties } = objectShape(json, resolve);
  for (const [name, schema] of properties) {
    const reader = parameterReader(part, name, schema, given[name], values, resolve);
    if (reader !== undefined) readers.push(reader);
  }
  // for names that the schema does not define
  const others = values.reader(resolve(json)["additionalProperties"]);
  const choose = choiceOf(alternatives(json, resolve), resolve, (one) => partReader(part, one, given, resolve));
  if (readers.length === 0 && others === undefined && choose === undefined) return undefined;
  return (found, req) => {
    if (typeof found !== "object" || found === null) return found;
    const chosen = choose?.(found);
    if (chosen !== undefined) return chosen.read === undefined ? found : chosen.read(found, req);
    const read = readAll(readers, found as Values, req);
    return others === undefined ? read : mapped(read, (name, value) => properties.has(name) ? value : others(value));
  };
}

function readAll(readers: readonly ParameterReader[], found: Values, req: Request): Values {
  const read: Record<string, unknown> = Object.create(Object.getPrototypeOf(found));
  for (const [name, value] of Object.entries(found)) {
    // no parser keeps a name that sets a prototype
    if (name !== "__proto__" && !readers.some((reader) => reader.has?.(name))) read[name] = value;
  }
  for (const reader of readers) {
    const value = reader.read(found, req);
    if (value !== undefined) read[reader.name] = value;
  }
  return read;
}

function parameterReader(
  part: RequestPart,
  name: string,
  schema: JsonSchema,
  given: Serialization | undefined,
  values: ValueReaders,
  resolve: Resolve,
): ParameterReader | undefined {
  const kinds = kindsOf(schema, resolve);
  const { style, explode } = serializationOf(part, kinds, given);
  const read = values.reader(schema);
  const isObject = isOnly(kinds, "object");
  if (!isObject && !isOnly(kinds, "array")) {
    const isPrefixed = style === "label" || style === "matrix";
    if (read === undefined && !isPrefixed) return undefined;
    const value = read ?? taken;
    return { name, read: (found) => value(isPrefixed ? withoutPrefix(String(found[name]), name) : found[name]) };
  }
  const value = read ?? taken;
  if (isObject && style === "deepObject") return deepObject(name, value);
  if (style === "form" && explode) {
    if (!isObject) return { name, read: (found) => value(found[name]) };
    return spreadObject(name, [...objectShape(schema, resolve).properties.keys()], value);
  }
  // many clients encode a list together with its commas, which is clear only where no value has a comma
  const isAnyComma = !isObject && areWithoutCommas(schema, resolve);
  return {
    name,
    read(found, req) {
      const text = found[name];
      // a path with a wildcard has an array of segments, and a repeated name an array of values
      if (typeof text !== "string") return value(text);
      const pieces = piecesOf(part, name, text, { style, explode }, req);
      if (isObject) return value(pairsOf(pieces, explode));
      return value(isAnyComma ? pieces.flatMap((piece) => piece.split(",")) : pieces);
    },
  };
}

function taken(value: unknown): unknown {
  return value;
}

/** Whether no value in a list can have a comma. */
function areWithoutCommas(list: JsonSchema, resolve: Resolve): boolean {
  return alternatives(list, resolve).every(({ items }) =>
    isSchema(items) && alternatives(items, resolve).every((one) => {
      const values = fixedValues(one);
      if (values !== undefined) return !values.some((value) => String(value).includes(","));
      return [...kindsOf(one, resolve)].every((kind) => WITHOUT_COMMAS.has(kind));
    })
  );
}

/** Splits a string into its values; commas within values are encoded. */
function piecesOf(
  part: RequestPart,
  name: string,
  text: string,
  { style, explode }: Required<Serialization>,
  req: Request,
): string[] {
  if (style === "spaceDelimited") return text.split(" ");
  if (style === "pipeDelimited") return text.split("|");
  const { raw, decode } = rawValue(part, name, text, req) ?? { raw: text, decode: (piece: string) => piece };
  if (style !== "label" && style !== "matrix") {
    return raw.split(",").map((piece) => decode(part === "headers" ? trimBlanks(piece) : piece));
  }
  const bare = withoutPrefix(raw, name);
  const separator = style === "matrix" ? (explode ? ";" : ",") : explode || !bare.includes(",") ? "." : ",";
  const prefix = `${name}=`;
  return bare.split(separator).map((piece) => decode(piece.startsWith(prefix) ? piece.slice(prefix.length) : piece));
}

/** Returns the part after the `.` in a label, or after the `;ids=` in a matrix. */
function withoutPrefix(text: string, name: string): string {
  if (text.startsWith(`;${name}=`)) return text.slice(name.length + 2);
  return /^[.;]/.test(text) ? text.slice(1) : text;
}

/** Builds an object from `name,value,…`, or `name=value,…`. */
function pairsOf(pieces: readonly string[], explode: boolean): object {
  const entries = explode
    ? pieces.map((piece) => {
      const at = piece.indexOf("=");
      return [piece.slice(0, at < 0 ? piece.length : at), at < 0 ? "" : piece.slice(at + 1)] as const;
    })
    : Array.from(
      { length: Math.ceil(pieces.length / 2) },
      (_, i) => [pieces[2 * i]!, pieces[2 * i + 1] ?? ""] as const,
    );
  return Object.fromEntries(entries);
}

/** `?filter[min]=1&filter[max]=2`, as any query parser returns it. */
function deepObject(name: string, read: ReadValue): ParameterReader {
  const prefix = `${name}[`;
  return {
    name,
    has: (one) => one.startsWith(prefix) && one.endsWith("]"),
    read(found) {
      const own = found[name];
      if (typeof own === "object" && own !== null) return read(own);
      let nested: Record<string, unknown> | undefined;
      for (const [key, value] of Object.entries(found)) {
        if (this.has!(key)) put(nested ??= {}, key.slice(prefix.length, -1).split("]["), value);
      }
      return nested === undefined ? own : read(nested);
    },
  };
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  if (path.length > MOST_BRACKETS || path.includes("__proto__")) return;
  // `tags[]` is an array, as `tags` is
  const names = path.at(-1) === "" ? path.slice(0, -1) : path;
  let at = into;
  for (const name of names.slice(0, -1)) {
    const next = Object.hasOwn(at, name) ? at[name] : at[name] = {};
    if (typeof next !== "object" || next === null) return;
    at = next as Record<string, unknown>;
  }
  const last = names.at(-1);
  if (last !== undefined) at[last] = value;
}

/** An object with each property in a separate parameter. */
function spreadObject(name: string, properties: readonly string[], read: ReadValue): ParameterReader {
  return {
    name,
    has: (one) => properties.includes(one),
    read(found) {
      const own = properties.filter((one) => Object.hasOwn(found, one)).map((one) => [one, found[one]] as const);
      return own.length === 0 ? undefined : read(Object.fromEntries(own));
    },
  };
}
