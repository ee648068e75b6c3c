/** What a document allows of a value: JSON Schema read word by word, to compare with. */
import type { JsonSchema, OpenApiDocument } from "../../../openapi/src/document/openapi_document.ts";

/** Schemas that all apply, none with alternatives inside. */
type Alternative = readonly JsonSchema[];

/** Keywords that define a value's contents. */
const TELLING = ["properties", "additionalProperties", "patternProperties", "items", "prefixItems"];

/** Removes what a document does not allow. */
export class Documented {
  readonly #components: Readonly<Record<string, JsonSchema>>;

  /** @param document The document */
  constructor(document: OpenApiDocument) {
    this.#components = document.components?.schemas ?? {};
  }

  /**
   * Whether a schema allows a JSON value, if objects may have other fields.
   *
   * @param schema The schema
   * @param value The value
   */
  allows(schema: unknown, value: unknown): boolean {
    return this.#alternatives(schema).some((one) => one.every((own) => this.#fits(own, value)));
  }

  /**
   * Returns a JSON value with the fields that alternatives allow which fit it.
   *
   * @param value The value
   * @param schemas Schemas, one of which must fit
   */
  of(value: unknown, schemas: readonly unknown[]): unknown {
    if (typeof value !== "object" || value === null) return value;
    const fitting = schemas.flatMap((schema) => this.#alternatives(schema))
      .filter((one) => one.every((own) => this.#fits(own, value)))
      .map((one) => one.filter((own) => TELLING.some((keyword) => keyword in own)));
    // nothing is said about what is inside
    if (fitting.some((one) => one.length === 0)) return value;
    const within = (find: (own: JsonSchema) => unknown[]) =>
      fitting.map((one) => one.flatMap(find)).filter((all) => all.length > 0).map((allOf) => ({ allOf }));
    if (Array.isArray(value)) return value.map((one, i) => this.of(one, within((own) => [itemOf(own, i)])));
    const fields = Object.entries(value).flatMap(([name, one]) => {
      const some = within((own) => this.#named(own, name));
      return some.length === 0 ? [] : [[name, this.of(one, some)]];
    });
    return Object.fromEntries(fields);
  }

  #alternatives(schema: unknown): Alternative[] {
    if (schema === false) return [];
    if (typeof schema !== "object" || schema === null) return [[]];
    const { $ref, anyOf, oneOf, allOf, ...own } = schema as JsonSchema & Partial<Record<string, unknown[]>>;
    const target = typeof $ref === "string" ? [[this.#followed($ref)]] : [];
    const all = [...target, anyOf, oneOf, ...(allOf ?? []).map((one) => [one])].filter((list) => list !== undefined);
    return all.reduce<Alternative[]>((before, list) => {
      const some = list.flatMap((one) => this.#alternatives(one));
      return before.flatMap((base) => some.map((one) => [...base, ...one]));
    }, [[own]]);
  }

  #followed($ref: string): unknown {
    const keys = $ref.split("/").slice(3).map((key) =>
      decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")
    );
    return keys.reduce<unknown>((value, key) => (value as JsonSchema)[key], this.#components);
  }

  /** The schemas for a field; none if it is not allowed. */
  #named(schema: JsonSchema, name: string): unknown[] {
    const { properties, patternProperties, additionalProperties, propertyNames } = schema as {
      properties?: Record<string, unknown>;
      patternProperties?: Record<string, unknown>;
      additionalProperties?: unknown;
      propertyNames?: unknown;
    };
    if (properties !== undefined && Object.hasOwn(properties, name)) return [properties[name]];
    if (propertyNames !== undefined && !this.allows(propertyNames, name)) return [];
    const patterns = Object.entries(patternProperties ?? {}).filter(([pattern]) => new RegExp(pattern).test(name));
    if (patterns.length > 0) return patterns.map(([, one]) => one);
    // libraries do not say that objects with named fields have no others
    const isOpen = properties === undefined && patternProperties === undefined;
    const others = additionalProperties ?? isOpen;
    return others === false ? [] : [others];
  }

  #fits(schema: JsonSchema, value: unknown): boolean {
    const { type, const: only = value, enum: listed } = schema;
    if (only !== value || Array.isArray(listed) && !listed.includes(value)) return false;
    if (type !== undefined && ![type].flat().some((one) => isOfType(value, one))) return false;
    if (typeof value === "string") return isText(schema, value);
    if (typeof value === "number") return isNumber(schema, value);
    if (typeof value !== "object" || value === null) return true;
    if (Array.isArray(value)) {
      const { minItems = 0, maxItems = Infinity } = schema as { minItems?: number; maxItems?: number };
      if (value.length < minItems || value.length > maxItems) return false;
      return value.every((one, i) => this.allows(itemOf(schema, i), one));
    }
    const required = (schema["required"] ?? []) as string[];
    return required.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(([name, one]) => this.#named(schema, name).every((own) => this.allows(own, one)));
  }
}

function itemOf({ prefixItems, items = true }: JsonSchema, index: number): unknown {
  return Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items;
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  return typeof value === type && value !== null && !Array.isArray(value);
}

function isText({ pattern, format }: JsonSchema, text: string): boolean {
  if (format === "date-time" && !/^\d{4}-\d\d-\d\dT.*Z$/.test(text)) return false;
  return typeof pattern !== "string" || new RegExp(pattern, "u").test(text);
}

function isNumber({ minimum = -Infinity, maximum = Infinity }: JsonSchema, number: number): boolean {
  return number >= (minimum as number) && number <= (maximum as number);
}
