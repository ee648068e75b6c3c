import { type OutputUnit, Validator } from "@cfworker/json-schema";
import type { JsonSchema, OpenApiDocument } from "../document/openapi_document.ts";

/** A document's schemas, for validation. */
export class Schemas {
  readonly #components: Readonly<Record<string, JsonSchema>>;
  readonly #validators = new Map<unknown, Validator>();

  /** @param document The document */
  constructor(document: OpenApiDocument) {
    this.#components = document.components?.schemas ?? {};
  }

  /**
   * Validates a value.
   *
   * @param schema Its schema
   * @param value The value
   * @returns Where it is invalid, and why; `undefined` if it is valid
   */
  fault(schema: JsonSchema, value: unknown): { readonly pointer: string; readonly reason: string } | undefined {
    const { valid, errors } = this.#validator(schema).validate(value);
    if (valid) return undefined;
    // the deepest error is the most specific
    const depth = ({ instanceLocation }: OutputUnit): number => instanceLocation.split("/").length;
    const last = [...errors].sort((a, b) => depth(b) - depth(a))[0]!;
    return { pointer: last.instanceLocation.slice(1), reason: last.error };
  }

  /** Whether a schema allows a value. */
  allows(schema: JsonSchema, value: unknown): boolean {
    return this.#validator(schema).validate(value).valid;
  }

  /** Follows a reference to a component. */
  resolve(schema: JsonSchema): JsonSchema {
    const { $ref } = schema;
    if (typeof $ref !== "string") return schema;
    const keys = $ref.split("/").slice(3).map((key) =>
      decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")
    );
    const found = keys.reduce<unknown>((value, key) => (value as JsonSchema | undefined)?.[key], this.#components);
    return { ...found as JsonSchema, ...Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "$ref")) };
  }

  #validator(schema: JsonSchema): Validator {
    let known = this.#validators.get(schema);
    if (known === undefined) {
      known = new Validator({ ...schema, components: { schemas: this.#components } }, "2020-12", false);
      this.#validators.set(schema, known);
    }
    return known;
  }
}
