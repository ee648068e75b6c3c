import type { JsonSchema } from "../schema/json_schema.ts";
import { NATIVE } from "../schema/library_options.ts";
import {
  alternatives,
  expression,
  fixedValues,
  isSchema,
  localReferences,
  type Resolve,
} from "../schema/schema_kinds.ts";

/** One alternative for a value. */
interface Branch {
  /** Whether anything may be inside, so that nothing is filtered. */
  readonly isAny: boolean;
  readonly isObject: boolean;
  readonly isList: boolean;
  /** JSON types, and fixed values; `undefined` if unknown. */
  readonly types: readonly unknown[] | undefined;
  readonly values: readonly unknown[] | undefined;
  /** Further conditions for strings and numbers. */
  readonly conditions: readonly ((value: unknown) => boolean)[];
  /** Required names. */
  readonly required: readonly string[];
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly patterns: readonly (readonly [RegExp, JsonSchema])[];
  /** Other properties: a schema, `true` for anything, `false` if there are none. */
  readonly others: JsonSchema | boolean;
  /** Alternatives for their names; empty if any may be one. */
  readonly names: readonly JsonSchema[];
  readonly first: readonly unknown[];
  readonly items: unknown;
}

/** Dates in JSON. */
const DATE = "^\\d{4}-\\d\\d-\\d\\dT";

/** Called with each omitted field's JSON pointer; array items are `*`. */
export type OnLeftOut = (pointer: string) => void;

/** Maximum nesting depth for schemas that consist only of references and alternatives. */
const DEEPEST = 16;

/**
 * Strips from values what a JSON Schema does not name. An object schema without `additionalProperties` allows no
 * others: libraries emit it inconsistently. If there are several alternatives, those that the value matches apply.
 */
export class DocumentedFields {
  readonly #root: JsonSchema;
  readonly #resolve: Resolve;
  readonly #branches = new Map<unknown, readonly Branch[]>();

  /** @param json The schema, with its definitions */
  constructor(json: JsonSchema) {
    this.#root = json;
    this.#resolve = localReferences(json);
  }

  /**
   * Returns a value without the fields that the schema lacks. Sets and maps are treated as their JSON forms.
   *
   * @param value The value
   * @param onLeftOut Called for each omitted field
   * @returns The value itself if nothing is omitted
   */
  of(value: unknown, onLeftOut: OnLeftOut): unknown {
    return this.#of(value, [this.#root], "", onLeftOut);
  }

  #of(value: unknown, schemas: readonly unknown[], at: string, onLeftOut: OnLeftOut): unknown {
    if (typeof value !== "object" || value === null || value instanceof Date) return value;
    const branches = schemas.flatMap((schema) => this.#branchesOf(schema));
    if (branches.length === 0 || branches.some(({ isAny }) => isAny)) return value;
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return this.#of(toJSON.call(value, ""), schemas, at, onLeftOut);
    if (value instanceof Set) return this.#of([...value], schemas, at, onLeftOut);
    if (value instanceof Map) {
      const isList = branches.some((branch) => branch.isList);
      return this.#of(isList ? [...value] : Object.fromEntries(value), schemas, at, onLeftOut);
    }
    if (Array.isArray(value)) {
      const lists = this.#fitting(value, branches.filter(({ isList }) => isList));
      return this.#list(value, lists, at, onLeftOut);
    }
    const objects = branches.filter(({ isObject }) => isObject);
    // anything but an object is a different error
    if (objects.length === 0) return value;
    return this.#object(value as JsonSchema, this.#fitting(value, objects), at, onLeftOut);
  }

  /** The alternatives that a value matches; all if it matches none. */
  #fitting(value: object, branches: readonly Branch[]): readonly Branch[] {
    let some = branches;
    // most alternatives differ in their own fields, without a look at the fields within; conditions come last, so that
    // a string without its pattern does not hide what the value is otherwise
    for (const [depth, isExact] of [[1, false], [DEEPEST, false], [DEEPEST, true]] as const) {
      const fitting = some.length > 1 ? some.filter((branch) => this.#fits(value, branch, depth, isExact)) : [];
      if (fitting.length > 0) some = fitting;
    }
    return some;
  }

  /** Whether a value has an alternative's types and fixed values, and meets its conditions if these count. */
  #fits(value: unknown, branch: Branch, depth: number, isExact: boolean): boolean {
    const { isAny, isObject, isList, types, values, conditions, required, first, items } = branch;
    if (isAny) return true;
    if (typeof value !== "object" || value === null) {
      const isOfType = values?.includes(value) ?? types?.includes(value === null ? "null" : typeof value) ?? true;
      return isOfType && !(isExact && conditions.some((isMet) => !isMet(value)));
    }
    const isInside = (one: unknown, schema: unknown): boolean =>
      depth === 0 || one === undefined ||
      this.#branchesOf(schema).some((own) => this.#fits(one, own, depth - 1, isExact));
    if (Array.isArray(value)) {
      return isList && value.every((one, i) => isInside(one, i < first.length ? first[i] : items));
    }
    const inJson = value instanceof Date ? value.toJSON() : value instanceof Set ? [...value] : value;
    if (inJson !== value) return this.#fits(inJson, branch, depth, isExact);
    // these become JSON in a way of their own
    if ("toJSON" in value || value instanceof Map) return true;
    const own = value as JsonSchema;
    return isObject && required.every((name) => own[name] !== undefined) &&
      Object.keys(own).every((name) => schemasOf(name, branch).every((schema) => isInside(own[name], schema)));
  }

  #list(list: readonly unknown[], branches: readonly Branch[], at: string, onLeftOut: OnLeftOut): unknown {
    let isSame = true;
    const kept = list.map((one, i) => {
      const schemas = branches.map(({ first, items }) => i < first.length ? first[i] : items);
      const own = this.#of(one, schemas, `${at}/*`, onLeftOut);
      isSame &&= own === one;
      return own;
    });
    return isSame ? list : kept;
  }

  #object(value: JsonSchema, branches: readonly Branch[], at: string, onLeftOut: OnLeftOut): unknown {
    let isSame = true;
    const kept: [string, unknown][] = [];
    for (const name of Object.keys(value)) {
      const schemas = branches.flatMap((branch) => schemasOf(name, branch));
      if (schemas.length === 0) {
        isSame = false;
        // undefined values are not sent anyway
        if (value[name] !== undefined) onLeftOut(`${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
        continue;
      }
      const own = this.#of(value[name], schemas, `${at}/${name}`, onLeftOut);
      isSame &&= own === value[name];
      kept.push([name, own]);
    }
    return isSame ? value : Object.fromEntries(kept);
  }

  #branchesOf(schema: unknown): readonly Branch[] {
    let branches = this.#branches.get(schema);
    if (branches === undefined) this.#branches.set(schema, branches = this.#made(schema, 0));
    return branches;
  }

  #made(schema: unknown, depth: number): readonly Branch[] {
    if (schema === false) return [];
    if (!isSchema(schema) || depth > DEEPEST) return [ANYTHING];
    const { anyOf, oneOf, allOf, ...own } = this.#resolve(schema);
    let branches: readonly Branch[] = [branchOf(own, this.#resolve)];
    const lists = [anyOf, oneOf, ...Array.isArray(allOf) ? allOf.map((one) => [one]) : []].filter(Array.isArray);
    // a bare type adds nothing to the alternatives
    if (lists.length > 0 && !TELLING.some((keyword) => keyword in own)) branches = [ANYTHING];
    for (const list of lists) {
      const some = list.flatMap((one) => this.#made(one, depth + 1));
      branches = branches.flatMap((base) => some.map((one) => both(base, one)));
    }
    return branches;
  }
}

const ANYTHING: Branch = {
  isAny: true,
  isObject: true,
  isList: true,
  types: undefined,
  values: undefined,
  conditions: [],
  required: [],
  properties: new Map(),
  patterns: [],
  others: true,
  names: [],
  first: [],
  items: true,
};

/** Keywords that define a value's contents. */
const TELLING = ["properties", "additionalProperties", "patternProperties", "items", "prefixItems", "const", "enum"];

function branchOf(schema: JsonSchema, resolve: Resolve): Branch {
  if (!("type" in schema || TELLING.some((keyword) => keyword in schema))) return ANYTHING;
  const { type, properties, additionalProperties, patternProperties, prefixItems, items = true } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const own = Object.entries(isSchema(properties) ? properties : {}) as [string, JsonSchema][];
  const patterns = Object.entries(isSchema(patternProperties) ? patternProperties : {}) as [string, JsonSchema][];
  const isNamed = properties !== undefined || patterns.length > 0;
  return {
    isAny: false,
    isObject: types.includes("object") || properties !== undefined,
    isList: types.includes("array"),
    types: type === undefined ? undefined : types.map((one) => one === "integer" ? "number" : one),
    values: fixedValues(schema),
    conditions: conditionsOf(schema),
    required: Array.isArray(schema["required"]) ? schema["required"] as string[] : [],
    properties: new Map(own),
    patterns: patterns.map(([pattern, one]) => [expression(pattern), one] as const),
    others: othersOf(additionalProperties, isNamed),
    names: isSchema(schema["propertyNames"]) ? alternatives(schema["propertyNames"], resolve) : [],
    first: Array.isArray(prefixItems) ? prefixItems : [],
    items,
  };
}

/** Whether a number or a string's length is within a limit, by keyword. */
const LIMITS: Readonly<Record<string, (size: number, limit: number) => boolean>> = {
  minimum: (size, limit) => size >= limit,
  maximum: (size, limit) => size <= limit,
  exclusiveMinimum: (size, limit) => size > limit,
  exclusiveMaximum: (size, limit) => size < limit,
  minLength: (size, limit) => size >= limit,
  maxLength: (size, limit) => size <= limit,
};

/** What tells alternatives of one type apart. */
function conditionsOf(schema: JsonSchema): Branch["conditions"] {
  const conditions = Object.entries(LIMITS).flatMap(([keyword, isWithin]) => {
    const limit = schema[keyword];
    if (typeof limit !== "number") return [];
    const isLength = keyword.endsWith("Length");
    return [(value: unknown) => {
      if (isLength) return typeof value !== "string" || isWithin(value.length, limit);
      return typeof value !== "number" || isWithin(value, limit);
    }];
  });
  if (schema["type"] === "integer") conditions.push(Number.isInteger);
  const pattern = schema[NATIVE] === "Date" ? DATE : schema["pattern"];
  if (typeof pattern === "string") {
    conditions.push((value) => typeof value !== "string" || expression(pattern).test(value));
  }
  return conditions;
}

function othersOf(additional: unknown, isNamed: boolean): JsonSchema | boolean {
  if (typeof additional === "boolean") return additional;
  if (!isSchema(additional)) return !isNamed;
  return Object.keys(additional).length === 0 ? true : additional;
}

/** A value that satisfies two schemas has fields from both. */
function both(a: Branch, b: Branch): Branch {
  if (a.isAny) return b;
  if (b.isAny) return a;
  return {
    isAny: false,
    isObject: a.isObject && b.isObject,
    isList: a.isList && b.isList,
    types: a.types ?? b.types,
    values: a.values ?? b.values,
    conditions: [...a.conditions, ...b.conditions],
    required: [...a.required, ...b.required],
    properties: new Map([
      ...a.properties,
      ...[...b.properties].map(([name, one]) => {
        const other = a.properties.get(name);
        const isSame = other === undefined || JSON.stringify(other) === JSON.stringify(one);
        return [name, isSame ? one : { allOf: [other, one] }] as const;
      }),
    ]),
    patterns: [...a.patterns, ...b.patterns],
    others: a.others === false ? b.others : a.others,
    names: [...a.names, ...b.names],
    first: a.first.length > 0 ? a.first : b.first,
    items: a.items === true ? b.items : a.items,
  };
}

function schemasOf(name: string, { properties, patterns, others, names }: Branch): unknown[] {
  const own = properties.get(name);
  if (own !== undefined) return [own];
  if (names.length > 0 && !names.some((one) => isNamedBy(one, name))) return [];
  const matching = patterns.filter(([pattern]) => pattern.test(name)).map(([, schema]) => schema);
  return matching.length > 0 ? matching : others === false ? [] : [others];
}

function isNamedBy(schema: JsonSchema, name: string): boolean {
  const { const: only = name, enum: some, pattern } = schema;
  if (only !== name || Array.isArray(some) && !some.includes(name)) return false;
  return typeof pattern !== "string" || expression(pattern).test(name);
}
