import { type Serialization, serializationOf } from "../metadata/serialization.ts";
import type { JsonSchema } from "../schema/json_schema.ts";
import { objectShape } from "../schema/object_shape.ts";
import { isOnly, kindsOf } from "../schema/schema_kinds.ts";
import type { Components } from "./components.ts";
import type { OpenApiParameter } from "./openapi_document.ts";
import type { TemplateParam } from "./path_templates.ts";

/** Request parts whose properties are parameters, with their OpenAPI names. */
export const PARAMETER_PARTS = { query: "query", headers: "header", cookies: "cookie" } as const;

/** A request part whose properties are parameters. */
export type ParameterPart = keyof typeof PARAMETER_PARTS;

/** Headers that OpenAPI describes elsewhere: it ignores parameters with these names. */
const ELSEWHERE = new Set(["accept", "authorization", "content-type"]);

/**
 * Returns a path's parameters.
 *
 * @param params Its template's parameters
 * @param schemas Schemas for `req.params`
 * @param components Resolves references
 * @param examples Examples, by name
 * @param given The program's serialization of them, by name
 */
export function pathParameters(
  params: readonly TemplateParam[],
  schemas: readonly JsonSchema[],
  components: Components,
  examples: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, Serialization>>,
): OpenApiParameter[] {
  const shapes = schemas.map((schema) => objectShape(schema, (one) => components.resolve(one)));
  return params.map(({ name, key = "", pattern, spans }) => {
    const known = shapes.findLast(({ properties }) => properties.has(key))?.properties.get(key);
    const schema = spans ? textOf(known, components) : known ?? { type: "string" };
    const isText = components.resolve(schema)["type"] === "string" && !("pattern" in components.resolve(schema));
    return {
      name,
      in: "path",
      required: true,
      ...describing(schema, components),
      ...spans ? { description: SPANNING } : writing("params", schema, components, given[key]),
      schema: pattern !== undefined && isText ? { ...schema, pattern: `^(?:${pattern})$` } : schema,
      ...key in examples ? { example: examples[key] } : {},
    };
  });
}

/** The description of a path parameter that spans several segments. */
export const SPANNING = "One segment or several, with slashes between them.";

/** Handlers get a list of segments where clients send a string. */
function textOf(schema: JsonSchema | undefined, components: Components): JsonSchema {
  return schema !== undefined && components.resolve(schema)["type"] === "string" ? schema : { type: "string" };
}

/**
 * Returns the parameters in a part other than the path.
 *
 * @param part The part
 * @param schemas Its schemas, all of which must be satisfied
 * @param components Resolves references
 * @param examples Examples, by name
 * @param given The program's serialization of them, by name
 */
export function partParameters(
  part: ParameterPart,
  schemas: readonly JsonSchema[],
  components: Components,
  examples: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, Serialization>>,
): OpenApiParameter[] {
  const found = new Map<string, OpenApiParameter>();
  for (const schema of schemas) {
    const shape = objectShape(schema, (one) => components.resolve(one));
    if (shape.properties.size === 0 && part === "query" && Object.keys(components.resolve(schema)).length > 0) {
      // any name that the schema allows is a parameter
      found.set("", { name: "query", in: "query", style: "form", explode: true, schema });
    }
    for (const [name, one] of shape.properties) {
      if (part === "headers" && ELSEWHERE.has(name.toLowerCase())) continue;
      const required = shape.required.has(name) || found.get(name)?.required === true;
      found.set(name, {
        name,
        in: PARAMETER_PARTS[part],
        ...required ? { required } : {},
        ...describing(one, components),
        ...writing(part, one, components, given[name]),
        schema: one,
        ...name in examples ? { example: examples[name] } : {},
      });
    }
  }
  return [...found.values()];
}

/** OpenAPI's defaults, by part. */
const DEFAULTS = { params: "simple false", query: "form true", headers: "simple false", cookies: "form true" } as const;

/** How an array or object is serialized, where that is not OpenAPI's default. */
function writing(
  part: keyof typeof DEFAULTS,
  schema: JsonSchema,
  components: Components,
  given: Serialization | undefined,
): Partial<Serialization> {
  const kinds = kindsOf(schema, (one) => components.resolve(one));
  if (given === undefined && !isOnly(kinds, "object") && !isOnly(kinds, "array")) return {};
  const { style, explode } = serializationOf(part, kinds, given);
  return `${style} ${explode}` === DEFAULTS[part] ? {} : { style, explode };
}

function describing(schema: JsonSchema, components: Components): Pick<OpenApiParameter, "description" | "deprecated"> {
  const { description, deprecated } = components.resolve(schema);
  return {
    ...typeof description === "string" ? { description } : {},
    ...deprecated === true ? { deprecated } : {},
  };
}
