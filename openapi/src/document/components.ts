import type { Direction } from "./json_schema.ts";
import type { JsonSchema } from "./openapi_document.ts";

/** A named schema, in the document once. */
interface Component {
  /** The name without what tells it from others. */
  readonly wanted: string;
  /** What it is, in text, to find it again. */
  readonly text: string;
  /** The schema, with references to other components. */
  json: JsonSchema;
}

const PREFIX = "#/components/schemas/";

/** Keywords with a map of schemas. */
const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords with data, in which nothing is a schema. */
const DATA = new Set(["const", "default", "enum", "examples", "example", "required", "dependentRequired"]);

/** The named schemas of a document: those that are used once are put where they are used in the end. */
export class Components {
  readonly #components = new Map<string, Component>();

  /**
   * Puts a schema into the document.
   *
   * @param schema A whole schema, with definitions of its own
   * @param direction Which of its types it is: both may have the same name
   * @param fallback Its name if it refers to itself and has none
   * @param given Its name, if the program says
   * @returns The schema, or a reference to it
   */
  add(schema: JsonSchema, direction: Direction, fallback: string, given?: string): JsonSchema {
    const { $schema: _, $defs, definitions, ...root } = schema;
    const source = new SchemaSource({ ...definitions as object, ...$defs as object }, root);
    const names = new Map<JsonSchema, string>();
    const reference = (name: string, part: JsonSchema): JsonSchema => {
      const known = names.get(part);
      if (known !== undefined) return { $ref: PREFIX + known };
      const text = source.textOf(part);
      const [final, isNew] = this.#nameFor(plainName(name), text, direction);
      names.set(part, final);
      if (isNew) this.#components.get(final)!.json = rewrite(part);
      return { $ref: PREFIX + final };
    };
    const rootName = given ?? nameOf(root) ?? fallback;
    const refer = (pointer: string): JsonSchema => {
      const [, , key = "", ...deeper] = pointer.split("/").map(unescaped);
      const def = /^#\/(?:\$defs|definitions)\//.test(pointer) ? source.defs[key] : undefined;
      if (def !== undefined && deeper.length === 0) return reference(key, def);
      const whole = reference(rootName, root);
      return pointer === "#" ? whole : { $ref: `${whole["$ref"]}${pointer.slice(1)}` };
    };
    const rewrite = (node: JsonSchema): JsonSchema =>
      mapSchemas(node, (child) => {
        const name = isObject(child) ? nameOf(child) : undefined;
        return name === undefined ? rewrite(child) : reference(name, child);
      }, refer);
    const named = given ?? nameOf(root);
    // a schema that is nothing but a reference has the name of what it refers to
    const added = named === undefined || typeof root["$ref"] === "string" ? rewrite(root) : reference(named, root);
    return names.has(root) ? reference(rootName, root) : added;
  }

  /**
   * Follows references to components.
   *
   * @param schema A schema that was put here
   */
  resolve(schema: JsonSchema): JsonSchema {
    let found = schema;
    for (let i = 0; i < 32 && typeof found["$ref"] === "string"; i++) {
      const { $ref, ...beside } = found;
      found = { ...this.#components.get(String($ref).slice(PREFIX.length))?.json, ...beside };
    }
    return found;
  }

  /**
   * Finishes a document.
   *
   * @param paths Everything in it that uses schemas
   * @returns The same, with those that are used once, and the other ones
   */
  finish<T>(paths: T): { paths: T; schemas: Record<string, JsonSchema> } {
    const uses = new Map<string, number>();
    const count = (value: unknown): void =>
      eachReference(value, (name) => {
        const times = uses.get(name) ?? 0;
        uses.set(name, times + 1);
        if (times === 0) count(this.#components.get(name)?.json);
      });
    count(paths);
    const sums = new Map<string, number>();
    for (const [name, { wanted }] of this.#components) {
      sums.set(wanted, (sums.get(wanted) ?? 0) + (uses.get(name) ?? 0));
    }
    const isKept = (name: string): boolean =>
      sums.get(this.#components.get(name)!.wanted)! > 1 || this.#reachesItself(name);
    const inlined = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(inlined);
      if (typeof value !== "object" || value === null) return value;
      const { $ref, ...rest } = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inlined(one)]));
      const name = componentName($ref);
      if (name === undefined || isKept(name)) return $ref === undefined ? rest : { $ref, ...rest };
      return { ...inlined(this.#components.get(name)!.json) as object, ...rest };
    };
    const kept = [...this.#components.keys()].filter((name) => uses.has(name) && isKept(name));
    const schemas = kept.map((name) => [name, inlined(this.#components.get(name)!.json) as JsonSchema] as const);
    return { paths: inlined(paths) as T, schemas: Object.fromEntries(schemas) };
  }

  #nameFor(wanted: string, text: string, direction: Direction): [name: string, isNew: boolean] {
    for (let i = 1;; i++) {
      const name = i === 1 ? wanted : i === 2 && direction === "output" ? `${wanted}Output` : `${wanted}${i}`;
      const known = this.#components.get(name);
      if (known?.text === text) return [name, false];
      if (known !== undefined) continue;
      this.#components.set(name, { wanted, text, json: {} });
      return [name, true];
    }
  }

  #reachesItself(name: string): boolean {
    const seen = new Set<string>();
    const visit = (from: string): void =>
      eachReference(this.#components.get(from)?.json, (to) => {
        if (seen.has(to)) return;
        seen.add(to);
        visit(to);
      });
    visit(name);
    return seen.has(name);
  }
}

/** A schema and its own definitions. */
class SchemaSource {
  readonly defs: Readonly<Record<string, JsonSchema>>;
  readonly #root: JsonSchema;

  constructor(defs: Record<string, unknown>, root: JsonSchema) {
    this.defs = defs as Record<string, JsonSchema>;
    this.#root = root;
  }

  /** A part and all that it refers to, in text: the same for the same part of another schema. */
  textOf(part: JsonSchema): string {
    const parts = new Set([part]);
    for (const one of parts) {
      JSON.stringify(one, (key, value) => {
        if (key !== "$ref" || typeof value !== "string") return value;
        const [, , name = ""] = value.split("/").map(unescaped);
        parts.add(/^#\/(?:\$defs|definitions)\//.test(value) ? this.defs[name] ?? this.#root : this.#root);
        return value;
      });
    }
    return JSON.stringify([...parts]);
  }
}

/** Calls `each` for the schemas right inside of one, and `refer` for a reference. */
function mapSchemas(
  node: JsonSchema,
  each: (child: JsonSchema) => JsonSchema,
  refer: (pointer: string) => JsonSchema,
): JsonSchema {
  const one = (value: unknown): unknown => isObject(value) ? each(value) : value;
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === "$id" || key === "id" || key === "$schema") return [];
    if (DATA.has(key)) return [[key, value]];
    if (key === "$ref" && typeof value === "string" && value.startsWith("#")) return Object.entries(refer(value));
    if (MAPS.has(key) && isObject(value)) {
      return [[key, Object.fromEntries(Object.entries(value).map(([name, child]) => [name, one(child)]))]];
    }
    return [[key, Array.isArray(value) ? value.map(one) : one(value)]];
  });
  return Object.fromEntries(entries);
}

/** The name that a schema has: `id` is zod's, and a title counts for objects, since that of a text is its label. */
function nameOf(schema: JsonSchema): string | undefined {
  const { $id, id, title, type } = schema;
  const found = [$id, id, type === "object" ? title : undefined].find((name) => typeof name === "string") as
    | string
    | undefined;
  return found === undefined || plainName(found) === "" ? undefined : found;
}

/** What the name of a component may have; of a URL, its last part. */
function plainName(name: string): string {
  return (/[^/#]*$/.exec(name)?.[0] ?? "").replace(/[^\w.-]/g, "");
}

function unescaped(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}

function componentName($ref: unknown): string | undefined {
  // one that points into a component keeps it
  return typeof $ref === "string" && $ref.startsWith(PREFIX) && !$ref.slice(PREFIX.length).includes("/")
    ? $ref.slice(PREFIX.length)
    : undefined;
}

function eachReference(value: unknown, each: (name: string) => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    if (key === "$ref" && typeof one === "string" && one.startsWith(PREFIX)) {
      each(one.slice(PREFIX.length).split("/")[0]!);
    } else eachReference(one, each);
  }
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
