/** Schemas as plain values, which every library's source is made from. */

/** The libraries that schemas are written for. */
export const LIBRARIES = ["zod", "valibot", "arktype"] as const;

/** A library. */
export type Library = typeof LIBRARIES[number];

/** Schemas without schemas inside. */
export type Leaf =
  | "string"
  | "number"
  | "boolean"
  | "null"
  | "date"
  // a string with a pattern, and a number in a range
  | "hex"
  | "digit"
  | "unknown"
  // a number that may be given as a string, and one that replaces what is not a number
  | "coerced"
  | "caught";

/** A field in an object. */
export interface Field {
  readonly name: string;
  readonly of: Shape;
  /** Only strings and numbers have a default. */
  readonly presence: "required" | "optional" | "default";
}

/** A schema. */
export type Shape =
  | { readonly is: "leaf"; readonly leaf: Leaf }
  | { readonly is: "literal"; readonly value: string | number }
  | { readonly is: "list" | "set" | "nullable" | "tree"; readonly of: Shape }
  /** With an id, which makes it a component. */
  | { readonly is: "named"; readonly id: string; readonly of: Shape }
  | { readonly is: "map"; readonly key: "string" | "number"; readonly of: Shape }
  | { readonly is: "tuple"; readonly items: readonly Shape[]; readonly rest?: Shape }
  | { readonly is: "record"; readonly names: "any" | "enum" | "partial" | "pattern"; readonly of: Shape }
  | ObjectShape
  | { readonly is: "union"; readonly some: readonly Shape[] }
  /** Objects that a field tells apart. */
  | { readonly is: "variants"; readonly some: readonly ObjectShape[] }
  /** An intersection. */
  | { readonly is: "both"; readonly parts: readonly [Shape, Shape] };

/** An object with named fields. */
export interface ObjectShape {
  readonly is: "object";
  readonly fields: readonly Field[];
  /** What happens to other fields, or their schema. */
  readonly others: "dropped" | "refused" | "kept" | Shape;
}

/** The names in a record with listed names. */
export const LISTED = ["left", "right"];

/** What a variant's field `kind` is. */
export function kindOf(index: number): string {
  return `kind${index}`;
}

/** The schemas directly inside a schema. */
export function inside(shape: Shape): readonly Shape[] {
  switch (shape.is) {
    case "leaf":
    case "literal":
      return [];
    case "tuple":
      return shape.rest === undefined ? shape.items : [...shape.items, shape.rest];
    case "object": {
      const { fields, others } = shape;
      return [...fields.map(({ of }) => of), ...typeof others === "string" ? [] : [others]];
    }
    case "union":
    case "variants":
      return shape.some;
    case "both":
      return shape.parts;
    default:
      return [shape.of];
  }
}

/** Whether a schema, or one inside, is of a kind. */
export function has(shape: Shape, isOf: (shape: Shape) => boolean): boolean {
  return isOf(shape) || inside(shape).some((one) => has(one, isOf));
}
