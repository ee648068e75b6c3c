import { alternatives, isOnly, isSchema, kindsOf, type Resolve } from "../schema/schema_kinds.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import { NATIVE } from "../schema/library_options.ts";
import { objectShape } from "../schema/object_shape.ts";

/** Converts a value to one that its schema accepts. */
export type ReadValue = (value: unknown) => unknown;

/** How values are written: as JSON, as strings, or as parts of a form, some of which are JSON. */
export type Writing = "json" | "text" | "part";

/** Maximum nesting depth of schemas: deeper ones are recursive, or not parameters. */
const DEEPEST = 16;

/** Dates and numbers in JSON's notation. */
const DATE = /^\d{4}-\d\d-\d\d/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Creates functions that convert values to what a schema accepts, once per schema: `"1"` to a number where only numbers
 * are allowed, one value to an array where only arrays are allowed, a string to a date. A value that may be several
 * things, or matches none, stays unchanged: the schema decides.
 */
export class ValueReaders {
  readonly #resolve: Resolve;
  readonly #writing: Writing;
  /** Reads the inside of a JSON part. */
  readonly #inJson: ValueReaders;
  readonly #made = new Map<JsonSchema, { read?: ReadValue | undefined }>();
  #depth = 0;

  /**
   * @param resolve Follows references
   * @param writing How values are written
   */
  constructor(resolve: Resolve, writing: Writing) {
    this.#resolve = resolve;
    this.#writing = writing;
    this.#inJson = writing === "part" ? new ValueReaders(resolve, "json") : this;
  }

  /**
   * Returns the reader for a schema's values.
   *
   * @param schema The schema
   * @returns `undefined` if they stay unchanged
   */
  reader(schema: unknown): ReadValue | undefined {
    if (!isSchema(schema) || this.#depth === DEEPEST) return undefined;
    const made = this.#made.get(schema);
    // a recursive one is not finished yet
    if (made !== undefined) return "read" in made ? made.read : (value) => made.read?.(value) ?? value;
    const entry: { read?: ReadValue | undefined } = {};
    this.#made.set(schema, entry);
    this.#depth++;
    entry.read = this.#make(schema);
    this.#depth--;
    return entry.read;
  }

  #make(schema: JsonSchema): ReadValue | undefined {
    const some = alternatives(schema, this.#resolve);
    const kinds = kindsOf(schema, this.#resolve);
    const natives = new Set(some.map((one) => one[NATIVE]));
    const native = natives.size === 1 ? some[0]?.[NATIVE] : undefined;
    if (native === "Date") return toDate;
    if (isOnly(kinds, "array")) return this.#list(some, native);
    if (isOnly(kinds, "object")) return this.#object(schema, some, native);
    const isMore = ["any", "string", "array", "object"].some((kind) => kinds.has(kind));
    if (this.#writing === "json" || isMore) return undefined;
    return (value) => typeof value === "string" ? toScalar(value, kinds) : value;
  }

  #list(some: readonly JsonSchema[], native: unknown): ReadValue | undefined {
    // the schema decides between several kinds of arrays
    const { prefixItems, items } = some.length === 1 ? some[0]! : {} as JsonSchema;
    const first = Array.isArray(prefixItems) ? prefixItems.map((one) => this.reader(one)) : [];
    const others = this.reader(items);
    const isRead = others !== undefined || first.some((one) => one !== undefined);
    const isWrapped = this.#writing !== "json";
    if (!isRead && !isWrapped && native === undefined) return undefined;
    return (value) => {
      const list = isWrapped && value !== undefined && !Array.isArray(value) ? [value] : value;
      if (!Array.isArray(list)) return list;
      const read = isRead ? list.map((one, i) => readBy(i < first.length ? first[i] : others, one)) : list;
      if (native === "Set") return new Set(read);
      return native === "Map" && read.every(isPair) ? new Map(read) : read;
    };
  }

  #object(schema: JsonSchema, some: readonly JsonSchema[], native: unknown): ReadValue | undefined {
    const inside = this.#inJson;
    const { properties } = objectShape(schema, this.#resolve);
    const readers = new Map([...properties].map(([name, one]) => [name, inside.reader(one)] as const));
    const others = some.length === 1 ? inside.reader(some[0]!["additionalProperties"]) : undefined;
    const isRead = others !== undefined || [...readers.values()].some((one) => one !== undefined);
    const isPart = this.#writing === "part";
    if (!isRead && !isPart && native === undefined) return undefined;
    return (value) => {
      const found = isPart && typeof value === "string" ? fromJson(value) : value;
      if (typeof found !== "object" || found === null || Array.isArray(found)) return found;
      const read = isRead
        ? mapped(found, (name, one) => readBy(readers.has(name) ? readers.get(name) : others, one))
        : found;
      return native === "Map" ? new Map(Object.entries(read)) : read;
    };
  }
}

function readBy(read: ReadValue | undefined, value: unknown): unknown {
  return read === undefined ? value : read(value);
}

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

/** Copies an object with other values, keeping its prototype. */
export function mapped(object: object, read: (name: string, value: unknown) => unknown): object {
  const copy = Object.create(Object.getPrototypeOf(object));
  for (const [name, value] of Object.entries(object)) {
    // assigning would set a prototype
    Object.defineProperty(copy, name, {
      value: read(name, value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // the schema reports the error
    return text;
  }
}

function toDate(value: unknown): unknown {
  if (typeof value !== "string" || !DATE.test(value)) return value;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : date;
}

function toScalar(text: string, kinds: ReadonlySet<string>): unknown {
  if (kinds.has("boolean") && (text === "true" || text === "false")) return text === "true";
  return (kinds.has("number") || kinds.has("integer")) && NUMBER.test(text) ? Number(text) : text;
}
