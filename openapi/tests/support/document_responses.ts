import type { OpenApiDocument, OpenApiOperation } from "@sluice/openapi";
import { random } from "../../../tests/support/random.ts";
import { SchemaValues } from "./schema_values.ts";

/** Compares responses with a document, in which objects have only their named properties. */
export class DocumentResponses {
  readonly #values: SchemaValues;
  // schemas are compiled once per object
  readonly #closed = new Map<unknown, Record<string, unknown>>();

  constructor(document: OpenApiDocument) {
    this.#values = new SchemaValues(closed(document) as OpenApiDocument, random(1));
  }

  /**
   * Why a response is not in the document.
   *
   * @param operation Its operation
   * @param status Its status
   * @param text Its body
   * @returns `undefined` if it is
   */
  fault({ responses }: OpenApiOperation, status: number, text: string): string | undefined {
    const documented = responses[status] ?? responses["default"];
    if (documented === undefined) return "not documented";
    const schema = documented.content?.["application/json"]?.schema;
    if (schema === undefined) return undefined;
    let own = this.#closed.get(schema);
    if (own === undefined) this.#closed.set(schema, own = closed(schema) as Record<string, unknown>);
    return this.#values.allows(own, JSON.parse(text)) ? undefined : "outside the document";
  }
}

/** The same document, with objects limited to their named properties. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const own = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  return "properties" in own && own["type"] === "object" ? { additionalProperties: false, ...own } : own;
}
