import type { JsonSchema } from "./json_schema.ts";

/** The properties that a schema names. */
export interface ObjectShape {
  /** Their schemas, by name. */
  readonly properties: ReadonlyMap<string, JsonSchema>;
  /** Names of the required properties. */
  readonly required: ReadonlySet<string>;
}

/** Maximum depth; deeper properties are not parameters. */
const DEEPEST = 8;

/**
 * Returns an object schema's properties. If it has several alternatives, a property is required only if every
 * alternative requires it.
 *
 * @param schema The schema
 * @param resolve Follows references
 */
export function objectShape(schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema): ObjectShape {
  return shapeOf(schema, resolve, 0);
}

function shapeOf(schema: JsonSchema, resolve: (schema: JsonSchema) => JsonSchema, depth: number): ObjectShape {
  const properties = new Map<string, JsonSchema>();
  const required = new Set<string>();
  if (depth > DEEPEST) return { properties, required };
  const own = resolve(schema);
  const add = (name: string, one: JsonSchema): void => {
    const earlier = properties.get(name);
    const same = earlier === undefined || JSON.stringify(earlier) === JSON.stringify(one);
    const all = [...(earlier?.["anyOf"] as JsonSchema[] | undefined) ?? [earlier], one];
    properties.set(name, same ? one : { anyOf: all });
  };
  for (const [name, one] of Object.entries(own["properties"] as Record<string, JsonSchema> ?? {})) add(name, one);
  for (const name of own["required"] as string[] ?? []) required.add(name);
  const within = (list: unknown): ObjectShape[] =>
    (list as JsonSchema[] ?? []).map((one) => shapeOf(one, resolve, depth + 1));
  for (const shape of within(own["allOf"])) {
    for (const [name, one] of shape.properties) add(name, one);
    for (const name of shape.required) required.add(name);
  }
  for (const shapes of [within(own["anyOf"]), within(own["oneOf"])]) {
    for (const shape of shapes) for (const [name, one] of shape.properties) add(name, one);
    for (const name of shapes[0]?.required ?? []) {
      if (shapes.every((shape) => shape.required.has(name))) required.add(name);
    }
  }
  return { properties, required };
}
