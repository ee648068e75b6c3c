import { isPlainObject } from "@sluice/shared";
import {
  alternatives,
  expression,
  fixedValues,
  isOnly,
  isSchema,
  kindsOf,
  type Resolve,
} from "../schema/schema_kinds.ts";
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
    if (isOnly(kinds, "array")) return this.#list(some, nativeOf(some), this.#writing !== "json");
    if (isOnly(kinds, "object")) return this.#object(some);
    if (kinds.has("any")) return undefined;
    const of = (kind: string): JsonSchema[] => some.filter((one) => kindsOf(one, this.#resolve).has(kind));
    const [lists, objects] = [of("array"), of("object")];
    const list = this.#list(lists, nativeOf(lists), false);
    const object = objects.length > 0 ? this.#inJson.#object(objects) : undefined;
    const one = lists.length > 0 ? this.#list(lists, nativeOf(lists), true) : undefined;
    const text = this.#text(of("string"), kinds, one);
    if (list === undefined && object === undefined && text === undefined) return undefined;
    return (value) => {
      if (typeof value === "string") return readBy(text, value);
      return Array.isArray(value) ? readBy(list, value) : isPlainObject(value) ? readBy(object, value) : value;
    };
  }

  /** Reads a string that its schema does not allow as such; `undefined` if any string may be one. */
  #text(
    strings: readonly JsonSchema[],
    kinds: ReadonlySet<string>,
    toList: ReadValue | undefined,
  ): ReadValue | undefined {
    const texts = strings.filter((one) => one[NATIVE] !== "Date");
    if (texts.some((one) => fixedValues(one) === undefined && typeof one["pattern"] !== "string")) return undefined;
    const fixed = new Set(texts.flatMap((one) => fixedValues(one) ?? []));
    const patterns = texts.flatMap((one) =>
      fixedValues(one) === undefined ? [expression(one["pattern"] as string)] : []
    );
    const hasDates = texts.length < strings.length;
    if (this.#writing === "json" && !hasDates) return undefined;
    return (value) => {
      if (fixed.has(value) || patterns.some((one) => one.test(value as string))) return value;
      const date = hasDates ? toDate(value) : value;
      if (this.#writing === "json" || date !== value) return date;
      const read = toScalar(value as string, kinds);
      return read === value ? readBy(toList, value) : read;
    };
  }

  #list(some: readonly JsonSchema[], native: unknown, isWrapped: boolean): ReadValue | undefined {
    // the schema decides between several kinds of arrays
    const { prefixItems, items } = some.length === 1 ? some[0]! : {} as JsonSchema;
    const first = Array.isArray(prefixItems) ? prefixItems.map((one) => this.reader(one)) : [];
    const others = this.reader(items);
    const isRead = others !== undefined || first.some((one) => one !== undefined);
    if (!isRead && !isWrapped && native === undefined) return undefined;
    return (value) => {
      const list = isWrapped && value !== undefined && !Array.isArray(value) ? [value] : value;
      if (!Array.isArray(list)) return list;
      const read = isRead ? list.map((one, i) => readBy(i < first.length ? first[i] : others, one)) : list;
      if (native === "Set") return new Set(read);
      return native === "Map" && read.every(isPair) ? new Map(read) : read;
    };
  }

  /** The readers for an intersection's parts with alternatives. */
  #choices({ allOf }: JsonSchema): ReadValue[] {
    const parts = Array.isArray(allOf) ? allOf.filter(isSchema) : [];
    return parts.flatMap((one) => {
      const read = alternatives(one, this.#resolve).length > 1 ? this.reader(one) : undefined;
      return read === undefined ? [] : [read];
    });
  }

  #object(some: readonly JsonSchema[]): ReadValue | undefined {
    const inside = this.#inJson;
    const native = nativeOf(some);
    const { properties } = objectShape({ anyOf: some }, this.#resolve);
    const readers = new Map([...properties].map(([name, one]) => [name, inside.reader(one)] as const));
    const others = some.length === 1 ? inside.reader(some[0]!["additionalProperties"]) : undefined;
    const isRead = others !== undefined || [...readers.values()].some((one) => one !== undefined);
    const isPart = this.#writing === "part";
    const choose = choiceOf(some, this.#resolve, (one) => inside.reader(one));
    const choices = some.length === 1 ? inside.#choices(some[0]!) : [];
    const isSame = !isRead && native === undefined && choose === undefined && choices.length === 0;
    if (isSame && !isPart) return undefined;
    return (value) => {
      const found = isPart && typeof value === "string" ? fromJson(value) : value;
      if (typeof found !== "object" || found === null || Array.isArray(found)) return found;
      const chosen = choose?.(found);
      if (chosen !== undefined) return readBy(chosen.read, found);
      const own = isRead
        ? mapped(found, (name, one) => readBy(readers.has(name) ? readers.get(name) : others, one))
        : found;
      const read = choices.reduce((value, choice) => choice(value) as object, own);
      return native === "Map" ? new Map(Object.entries(read)) : read;
    };
  }
}

/** How values become native, if all alternatives agree. */
function nativeOf(some: readonly JsonSchema[]): unknown {
  return some.every((one) => one[NATIVE] === some[0]![NATIVE]) ? some[0]?.[NATIVE] : undefined;
}

/**
 * Creates a function that returns the reader for an object, if only one alternative has its fixed values.
 *
 * @param some The alternatives
 * @param resolve Follows references
 * @param make Makes an alternative's reader
 * @returns `undefined` if none reads anything
 */
export function choiceOf<Read>(
  some: readonly JsonSchema[],
  resolve: Resolve,
  make: (one: JsonSchema) => Read | undefined,
): ((value: object) => { read: Read | undefined } | undefined) | undefined {
  if (some.length < 2) return undefined;
  const all = some.map((one) => {
    const required: unknown = one["required"];
    const fixed = Object.entries(one["properties"] ?? {}).flatMap(([name, property]) => {
      const values = fixedValues(resolve(property));
      if (values === undefined) return [];
      const isRequired = Array.isArray(required) && required.includes(name);
      return [[name, new Set([...values, ...values.map(String), ...isRequired ? [] : [undefined]])] as const];
    });
    return { fixed, read: make(one) };
  });
  if (all.every(({ read }) => read === undefined)) return undefined;
  return (value) => {
    const fitting = all.filter(({ fixed }) => fixed.every(([name, values]) => values.has((value as JsonSchema)[name])));
    return fitting.length === 1 ? fitting[0] : undefined;
  };
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
