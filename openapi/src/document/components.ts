import { discriminatorOf } from "./discriminator.ts";
import type { Direction, JsonSchema } from "../schema/json_schema.ts";
import { NATIVE, WIDE } from "../schema/library_options.ts";

/** A named schema where it was found; identical schemas appear once in the document. */
interface Found {
  /** Its preferred name, without disambiguation. */
  readonly wanted: string;
  /** The side it was found on: input or output. */
  readonly direction: Direction;
  /** The schema, with numbered references to others. */
  json: JsonSchema;
  /** Whether it stays a component even if used only once. */
  isKept: boolean;
}

/** A group of identical schemas. */
interface Component {
  readonly wanted: string;
  /** Its content as a string, to decide which of two schemas gets the name, regardless of registration order. */
  readonly text: string;
  readonly json: JsonSchema;
  readonly isInput: boolean;
  readonly isKept: boolean;
}

const PREFIX = "#/components/schemas/";

/** Keywords whose value is a map of schemas. */
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords whose value is data without schemas. */
const DATA = new Set(["const", "default", "enum", "examples", "example", "required", "dependentRequired"]);

/**
 * A document's named schemas. Names do not depend on route order. A schema that is identical in requests and responses
 * is one component; a differing output is `NoteOutput` beside `Note`. If different schemas have the same name, their
 * content decides which becomes `Note2`. Schemas used once are inlined.
 */
export class Components {
  readonly #found: Found[] = [];

  /**
   * Adds a schema to the document.
   *
   * @param schema A complete schema, with its own definitions
   * @param direction Which of its types it is: both may have the same name
   * @param fallback Its name if it refers to itself and has none
   * @param given Its name, if the program sets one
   * @returns The schema, or a reference to it
   */
  add(schema: JsonSchema, direction: Direction, fallback: string, given?: string): JsonSchema {
    const { $schema: _, $defs, definitions, ...root } = schema;
    const defs = { ...definitions as object, ...$defs as object } as Record<string, JsonSchema>;
    const references = new Map<JsonSchema, string>();
    const reference = (name: string, part: JsonSchema): JsonSchema => {
      const known = references.get(part);
      if (known !== undefined) return { $ref: known };
      const wanted = UNNAMED.test(name) ? `${plainName(rootName)}Part` : plainName(name);
      const [$ref, found] = this.#put(wanted, direction);
      references.set(part, $ref);
      found.json = this.#discriminated(rewrite(part), wanted, direction);
      return { $ref };
    };
    const rootName = given ?? nameOf(root) ?? fallback;
    const refer = (pointer: string): JsonSchema => {
      const [, , key = "", ...deeper] = pointer.split("/").map(unescaped);
      const def = /^#\/(?:\$defs|definitions)\//.test(pointer) ? defs[key] : undefined;
      // what is only a reference has its target's name
      if (def !== undefined && typeof def["$ref"] === "string" && Object.keys(def).length === 1) {
        return refer(def["$ref"]);
      }
      if (def !== undefined && deeper.length === 0) return reference(key, def);
      const whole = reference(rootName, root);
      return pointer === "#" ? whole : { $ref: `${whole["$ref"]}${pointer.slice(1)}` };
    };
    const rewrite = (node: JsonSchema): JsonSchema =>
      mapSchemas(node, (child) => {
        const name = isObject(child) ? nameOf(child) : undefined;
        return name === undefined ? this.#discriminated(rewrite(child), undefined, direction) : reference(name, child);
      }, refer);
    const named = given ?? nameOf(root);
    // a schema that is only a reference has its target's name
    const isReference = typeof root["$ref"] === "string";
    const added = named === undefined || isReference
      ? this.#discriminated(rewrite(root), undefined, direction)
      : reference(named, root);
    return references.has(root) ? reference(rootName, root) : added;
  }

  /**
   * Follows references to components.
   *
   * @param schema A schema added here
   */
  resolve(schema: JsonSchema): JsonSchema {
    let found = schema;
    for (let i = 0; i < 32 && typeof found["$ref"] === "string"; i++) {
      const { $ref, ...beside } = found;
      found = { ...this.#found[Number(String($ref).slice(PREFIX.length))]?.json, ...beside };
    }
    return found;
  }

  /**
   * Finishes a document.
   *
   * @param paths All its parts that use schemas
   * @returns The parts, with schemas used once inlined, and the remaining schemas
   */
  finish<T>(paths: T): { paths: T; schemas: Record<string, JsonSchema> } {
    const { components, of } = this.#components();
    const names = namesOf(components);
    const uses = new Map<number, number>();
    const count = (value: unknown): void =>
      eachReference(value, (found) => {
        const own = of[found]!;
        const times = uses.get(own) ?? 0;
        uses.set(own, times + 1);
        if (times === 0) count(components[own]!.json);
      });
    count(paths);
    const sums = new Map<string, number>();
    for (const [i, { wanted }] of components.entries()) sums.set(wanted, (sums.get(wanted) ?? 0) + (uses.get(i) ?? 0));
    const kept = components.map(({ wanted, isKept }, i) =>
      isKept || sums.get(wanted)! > 1 || reachesItself(i, (one) => components[one]!.json, of)
    );
    const inlined = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(inlined);
      if (typeof value !== "object" || value === null) return value;
      const { $ref, ...rest } = Object.fromEntries(
        Object.entries(value).map((
          [key, one],
        ) => [key, key === "discriminator" ? pointing(inlined(one)) : inlined(one)]),
      );
      if (typeof $ref !== "string" || !$ref.startsWith(PREFIX)) return $ref === undefined ? rest : { $ref, ...rest };
      const [found = "", ...deeper] = $ref.slice(PREFIX.length).split("/");
      const own = of[Number(found)]!;
      // a reference into a component keeps that component
      if (kept[own] || deeper.length > 0) return { $ref: [PREFIX + names[own], ...deeper].join("/"), ...rest };
      return { ...inlined(components[own]!.json) as object, ...rest };
    };
    const schemas = components.flatMap(({ json }, i) =>
      uses.has(i) && kept[i] ? [[names[i]!, inlined(json) as JsonSchema] as const] : []
    );
    return { paths: inlined(paths) as T, schemas: Object.fromEntries(schemas) };
  }

  #put(wanted: string, direction: Direction): [$ref: string, found: Found] {
    const found = { wanted, direction, json: {}, isKept: false };
    return [`${PREFIX}${this.#found.push(found) - 1}`, found];
  }

  /** Adds a discriminator where one exists; if the schema is named, its alternatives also get names. */
  #discriminated(json: JsonSchema, name: string | undefined, direction: Direction): JsonSchema {
    const found = discriminatorOf(json, (one) => this.resolve(one));
    if (found === undefined) return json;
    const { keyword, propertyName, values } = found;
    const some = json[keyword] as JsonSchema[];
    if (name === undefined && !some.every(({ $ref }) => typeof $ref === "string")) return json;
    const mapping: Record<string, JsonSchema> = {};
    const own = some.map((one, i) => {
      let { $ref } = one as { $ref?: string };
      if ($ref === undefined) {
        const [first, put] = this.#put(
          `${name}${plainName(values[i]![0]!.replace(/^./, (char) => char.toUpperCase()))}`,
          direction,
        );
        put.json = one;
        $ref = first;
      }
      this.#found[Number($ref.slice(PREFIX.length))]!.isKept = true;
      for (const value of values[i]!) mapping[value] = { $ref };
      return { $ref };
    });
    return { ...json, [keyword]: own, discriminator: { propertyName, mapping } };
  }

  /** Groups identical schemas: those with the same text, and references to identical schemas. */
  #components(): { components: Component[]; of: number[] } {
    let of: number[] = this.#found.map(() => 0);
    for (let count = 0;;) {
      const texts = new Map<string, number>();
      const next = this.#found.map(({ wanted, json }) => {
        const text = textOf([wanted, json], (found) => String(of[found]));
        if (!texts.has(text)) texts.set(text, texts.size);
        return texts.get(text)!;
      });
      of = next;
      if (texts.size === count) break;
      count = texts.size;
    }
    const components: Component[] = [];
    for (const [i, own] of of.entries()) {
      const { wanted, direction, json, isKept } = this.#found[i]!;
      const known = components[own];
      const isInput = direction === "input" || known?.isInput === true;
      const text = known?.text ?? textOf(json, (found) => this.#found[found]!.wanted);
      components[own] = { wanted, text, json: known?.json ?? json, isInput, isKept: isKept || known?.isKept === true };
    }
    return { components, of };
  }
}

/** Returns names, in component order; content resolves conflicts. */
function namesOf(components: readonly Component[]): string[] {
  const names: string[] = [];
  const taken = new Set(components.map(({ wanted }) => wanted));
  const ordered = [...components.keys()].sort((a, b) => {
    const [first, second] = [components[a]!, components[b]!];
    if (first.isInput !== second.isInput) return first.isInput ? -1 : 1;
    return first.text === second.text ? a - b : first.text < second.text ? -1 : 1;
  });
  const first = new Map<string, boolean>();
  for (const i of ordered) {
    const { wanted, isInput } = components[i]!;
    const earlier = first.get(wanted);
    if (earlier === undefined) first.set(wanted, isInput);
    names[i] = earlier === undefined ? wanted : free(earlier === isInput ? wanted : `${wanted}Output`, taken);
  }
  return names;
}

function free(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let i = 2; taken.has(name); i++) name = `${wanted}${i}`;
  taken.add(name);
  return name;
}

/** Keeps only the references in a mapping. */
function pointing(discriminator: unknown): unknown {
  const { propertyName, mapping } = Object(discriminator) as {
    propertyName?: unknown;
    mapping?: Record<string, unknown>;
  };
  // a property may also have this name
  if (typeof propertyName !== "string" || !isObject(mapping)) return discriminator;
  const names = Object.entries(mapping).map(([value, one]) => [value, Object(one)["$ref"] ?? one] as const);
  return { propertyName, mapping: Object.fromEntries(names) };
}

function textOf(value: unknown, nameOf: (found: number) => string): string {
  return JSON.stringify(value, (key, one) => {
    if (key !== "$ref" || typeof one !== "string" || !one.startsWith(PREFIX)) return one;
    const [found, ...deeper] = one.slice(PREFIX.length).split("/");
    return [nameOf(Number(found)), ...deeper].join("/");
  });
}

function reachesItself(from: number, jsonOf: (one: number) => JsonSchema, of: readonly number[]): boolean {
  const seen = new Set<number>();
  const visit = (one: number): void =>
    eachReference(jsonOf(one), (found) => {
      const to = of[found]!;
      if (seen.has(to)) return;
      seen.add(to);
      visit(to);
    });
  visit(from);
  return seen.has(from);
}

/** Calls `each` for direct subschemas, and `refer` for references. */
function mapSchemas(
  node: JsonSchema,
  each: (child: JsonSchema) => JsonSchema,
  refer: (pointer: string) => JsonSchema,
): JsonSchema {
  const one = (value: unknown): unknown => isObject(value) ? each(value) : value;
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === "$id" || key === "id" || key === "$schema" || key === NATIVE || key === WIDE) return [];
    if (DATA.has(key)) return [[key, value]];
    // equivalent, for tools that require arrays to have `items`
    if (key === "items" && value === false) return [[key, {}], ["maxItems", (node["prefixItems"] as unknown[]).length]];
    if (key === "$ref" && typeof value === "string" && value.startsWith("#")) return Object.entries(refer(value));
    if (MAPS.has(key) && isObject(value)) {
      return [[key, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, one(child)]))]];
    }
    return [[key, Array.isArray(value) ? value.map(one) : one(value)]];
  });
  return Object.fromEntries(entries);
}

/** Placeholder names for unnamed definitions in zod and valibot. */
const UNNAMED = /^(?:__schema)?\d+$/;

/** Returns a schema's own name: `id` is zod's; a title only counts for objects, because on a string it is a label. */
function nameOf(schema: JsonSchema): string | undefined {
  const { $id, id, title, type } = schema;
  const found = [$id, id, type === "object" ? title : undefined].find((name) => typeof name === "string") as
    | string
    | undefined;
  return found === undefined || plainName(found) === "" ? undefined : found;
}

/** Reduces a name to the characters allowed for a component; a URL, to its last part. */
function plainName(name: string): string {
  return (/[^/#]*$/.exec(name)?.[0] ?? "").replace(/[^\w.-]/g, "");
}

function unescaped(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function eachReference(value: unknown, each: (found: number) => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    if (key === "$ref" && typeof one === "string" && one.startsWith(PREFIX)) {
      each(Number(one.slice(PREFIX.length).split("/")[0]));
    } else eachReference(one, each);
  }
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
