import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema, OpenApiDocument } from "@sluice/openapi";
import { oneOf, type Pick } from "../../../tests/support/random.ts";

/** Values that the schemas of a document allow and forbid, as Ajv decides. */
export class SchemaValues {
  readonly #pick: Pick;
  readonly #document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false });
  readonly #compiled = new Map<JsonSchema, ValidateFunction>();

  constructor(document: OpenApiDocument, pick: Pick) {
    this.#pick = pick;
    this.#document = document;
    this.#ajv.addSchema({ $id: "doc:", components: document.components ?? {} });
  }

  /** Whether a value is allowed. */
  allows(schema: JsonSchema, value: unknown): boolean {
    let compiled = this.#compiled.get(schema);
    if (compiled === undefined) {
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc:#/components'));
      this.#compiled.set(schema, compiled = this.#ajv.compile(absolute));
    }
    return compiled(value) === true;
  }

  /** A value that is allowed. */
  allowed(schema: JsonSchema): unknown {
    for (let i = 0; i < 200; i++) {
      const value = this.#made(schema);
      if (this.allows(schema, value)) return value;
    }
    throw new Error(`no value was found for ${JSON.stringify(schema)}`);
  }

  /**
   * A value that is forbidden.
   *
   * @param schema The schema
   * @param isText Whether it will be sent as text, in which a number is one of digits
   * @returns `undefined` if none is known
   */
  forbidden(schema: JsonSchema, isText: boolean): unknown {
    for (let i = 0; i < 60; i++) {
      const value = isText ? this.#wrongText(schema) : this.#damaged(this.allowed(schema));
      if (!this.allows(schema, isText ? asWritten(schema, value as string) : value)) return value;
    }
    return undefined;
  }

  #made(schema: JsonSchema): unknown {
    const pick = this.#pick;
    if (typeof schema["$ref"] === "string") return this.#made(this.#follow(schema["$ref"]));
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return oneOf(pick, schema["enum"]);
    const some = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
    if (some !== undefined) return this.#made(oneOf(pick, some));
    const { minimum = 0, maximum = 1000, minLength = 0, maxLength = 12, minItems = 0, maxItems = 3 } = schema as Record<
      string,
      number
    >;
    switch (schema["type"]) {
      case "integer":
      case "number":
        return minimum! + pick(maximum! - minimum! + 1);
      case "boolean":
        return pick(2) === 0;
      case "null":
        return null;
      case "array":
        return Array.from(
          { length: minItems! + pick(maxItems! - minItems! + 1) },
          () => this.#made(schema["items"] as JsonSchema),
        );
      case "object":
        return Object.fromEntries(
          Object.entries(schema["properties"] as Record<string, JsonSchema> ?? {})
            .filter(([name]) => (schema["required"] as string[] ?? []).includes(name) || pick(2) === 0)
            .map(([name, one]) => [name, this.#made(one)]),
        );
      default: {
        const letters = "pattern" in schema ? oneOf(pick, ["abcdef", "0123456789"]) : "abcdefghij";
        const length = "pattern" in schema ? 2 + pick(3) : minLength! + pick(maxLength! - minLength! + 1);
        return Array.from({ length }, () => letters[pick(letters.length)]).join("");
      }
    }
  }

  #wrongText(schema: JsonSchema): string {
    const value = this.#made(schema);
    return oneOf(this.#pick, [
      () => `${value}!${value}`,
      () => "x".repeat(20),
      () => "~",
      () => "99999",
      () => "1.5",
    ])();
  }

  #damaged(value: unknown): unknown {
    const pick = this.#pick;
    const isInside = typeof value === "object" && value !== null && Object.keys(value).length > 0 && pick(4) > 0;
    if (!isInside) return oneOf(pick, [null, 7.5, "x".repeat(20), "", true, [], {}, [[1]]]);
    const copy = structuredClone(value) as Record<string, unknown>;
    const name = oneOf(pick, Object.keys(copy));
    const way = pick(3);
    if (way === 0 && !Array.isArray(copy)) delete copy[name];
    else if (way === 1 && !Array.isArray(copy)) copy["unknown"] = 1;
    else copy[name] = this.#damaged(copy[name]);
    return copy;
  }

  #follow($ref: string): JsonSchema {
    return this.#document.components!.schemas![$ref.split("/").at(-1)!]!;
  }
}

/** What a text means where a number is wanted. */
function asWritten(schema: JsonSchema, text: string): unknown {
  const isNumber = schema["type"] === "integer" || schema["type"] === "number";
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
