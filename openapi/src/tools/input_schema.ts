import type { JsonSchema, OpenApiDocument, OpenApiOperation, OpenApiParameter } from "../document/openapi_document.ts";

/** Where a document keeps its schemas, and where a standalone schema keeps them. */
const COMPONENTS = "#/components/schemas/";
const DEFINITIONS = "#/$defs/";

/**
 * Returns the schema for a tool's input. It is self-contained: everything it refers to is in its `$defs`.
 *
 * @param inputs The parameters, by their names in the input
 * @param operation The operation
 * @param type Media type of its body; `undefined` if it has no body
 * @param document The document
 */
export function inputSchemaOf(
  inputs: ReadonlyMap<string, OpenApiParameter>,
  { requestBody }: OpenApiOperation,
  type: string | undefined,
  { components }: OpenApiDocument,
): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, { schema, description, required: isRequired }] of inputs) {
    properties[name] = description === undefined ? schema : { description, ...schema };
    if (isRequired === true) required.push(name);
  }
  if (type !== undefined) {
    properties["body"] = requestBody!.content[type]!.schema ?? {};
    if (requestBody!.required === true) required.push("body");
  }
  const definitions = referredTo(properties, components?.schemas ?? {});
  return withDefinitions({
    type: "object",
    properties,
    ...required.length > 0 ? { required } : {},
    additionalProperties: false,
    ...Object.keys(definitions).length > 0 ? { $defs: definitions } : {},
  });
}

/** Collects the schemas that a value refers to, directly or indirectly. */
function referredTo(value: unknown, schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {};
  const look = (one: unknown): void => {
    for (const [, name] of JSON.stringify(one).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      if (Object.hasOwn(found, name!) || !Object.hasOwn(schemas, name!)) continue;
      found[name!] = schemas[name!]!;
      look(found[name!]);
    }
  };
  look(value);
  return found;
}

function withDefinitions(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    return key === "$ref" && typeof value === "string" ? value.replace(COMPONENTS, DEFINITIONS) : value;
  });
}
