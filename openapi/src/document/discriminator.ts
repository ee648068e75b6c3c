import type { JsonSchema } from "../schema/json_schema.ts";
import { fixedValues, type Resolve } from "../schema/schema_kinds.ts";

/** The property that distinguishes alternatives. */
export interface Discriminator {
  /** The keyword that lists them. */
  readonly keyword: "anyOf" | "oneOf";
  /** The property. */
  readonly propertyName: string;
  /** Its values in each alternative. */
  readonly values: readonly (readonly string[])[];
}

/**
 * Finds the property that has different values in each of a schema's alternatives.
 *
 * @param json The schema
 * @param resolve Follows references
 * @returns `undefined` if there is none
 */
export function discriminatorOf(json: JsonSchema, resolve: Resolve): Discriminator | undefined {
  for (const keyword of ["oneOf", "anyOf"] as const) {
    const some = json[keyword];
    if (!Array.isArray(some) || some.length < 2) continue;
    const shapes = some.map((one) => resolve(one as JsonSchema));
    for (const propertyName of Object.keys(shapes[0]!["properties"] as object ?? {})) {
      const values = shapes.map((shape) => valuesOf(shape, propertyName, resolve));
      const all = values.flat();
      if (values.every((own) => own.length > 0) && new Set(all).size === all.length) {
        return { keyword, propertyName, values };
      }
    }
  }
  return undefined;
}

/** The strings that a property may be; none if it may be absent or anything else. */
function valuesOf(shape: JsonSchema, name: string, resolve: Resolve): readonly string[] {
  const { properties, required } = shape as { properties?: Record<string, JsonSchema>; required?: string[] };
  const property = properties?.[name];
  if (property === undefined || !required?.includes(name)) return [];
  const values = fixedValues(resolve(property)) ?? [];
  return values.every((value) => typeof value === "string") ? values : [];
}
