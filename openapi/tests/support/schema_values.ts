import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema, OpenApiDocument } from "@sluice/openapi";
import { oneOf, type Pick } from "../../../tests/support/random.ts";

/** Maximum nesting depth of objects; a recursive schema ends there. */
const DEEPEST = 4;

/** Valid values by format. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  date: ["2024-02-29", "1999-12-31"],
  "date-time": ["2024-02-29T23:59:59Z", "1999-12-31T00:00:00.123Z"],
  email: ["ann@example.com", "b.c@example.org"],
  uri: ["https://example.com/", "https://example.org/a?b=c,d"],
  uuid: ["4f8b1e36-31b0-4f0c-9b0a-0f0b5a0e5c11", "9e107d9d-372b-4f0c-8b0a-0f0b5a0e5c12"],
};

/** Values that a document's schemas allow and forbid, according to Ajv. */
export class SchemaValues {
  readonly #pick: Pick;
  readonly #document: OpenApiDocument;
  readonly #letters: string;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #compiled = new Map<JsonSchema, ValidateFunction>();
  #depth = 0;

  /**
   * @param document The document
   * @param pick Picks random values
   * @param letters The characters of strings without a pattern or format
   */
  constructor(document: OpenApiDocument, pick: Pick, letters = "abcdefghij") {
    this.#pick = pick;
    this.#document = document;
    this.#letters = letters;
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

  /** An allowed value. */
  allowed(schema: JsonSchema): unknown {
    for (let i = 0; i < 200; i++) {
      const value = this.#made(schema);
      if (this.allows(schema, value)) return value;
    }
    throw new Error(`no value was found for ${JSON.stringify(schema)}`);
  }

  /**
   * A forbidden value.
   *
   * @param schema The schema
   * @param isText Whether it is sent as a string, in which digits are a number
   * @returns `undefined` if no value is known
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
    if (Array.isArray(schema["type"])) return this.#made({ ...schema, type: oneOf(pick, schema["type"]) });
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return oneOf(pick, schema["enum"]);
    const some = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
    if (some !== undefined) return this.#made(oneOf(pick, some));
    const { minimum = 0, maximum = 1000, minLength = 0, maxLength = 12, minItems = 0, maxItems = minItems + 3 } =
      schema as Record<
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
      case "array": {
        const first = (schema["prefixItems"] as JsonSchema[] ?? []).map((one) => this.#made(one));
        const most = this.#depth > DEEPEST ? minItems! : Math.min(maxItems!, minItems! + 3);
        const length = minItems! + pick(most - minItems! + 1) - first.length;
        return [
          ...first,
          ...Array.from({ length: Math.max(0, length) }, () => this.#made(schema["items"] as JsonSchema)),
        ];
      }
      case "object": {
        const { properties = {}, required = [], additionalProperties } = schema as {
          properties?: Record<string, JsonSchema>;
          required?: string[];
          additionalProperties?: JsonSchema;
        };
        this.#depth++;
        const own = Object.entries(properties)
          .filter(([name]) => required.includes(name) || (this.#depth <= DEEPEST && pick(2) === 0))
          .map(([name, one]): [string, unknown] => [name, this.#made(one)]);
        const isMap = typeof additionalProperties === "object" && own.length === 0;
        if (isMap) own.push(["key", this.#made(additionalProperties)]);
        this.#depth--;
        return Object.fromEntries(own);
      }
      default: {
        const format = FORMATS[schema["format"] as string];
        if (format !== undefined) return oneOf(pick, format);
        const letters = "pattern" in schema ? oneOf(pick, ["abcdef", "0123456789"]) : this.#letters;
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

/** The value that a string represents where a number is expected. */
function asWritten(schema: JsonSchema, text: string): unknown {
  const isNumber = schema["type"] === "integer" || schema["type"] === "number";
  return isNumber && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
