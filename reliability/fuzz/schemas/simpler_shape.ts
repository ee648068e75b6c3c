import { shorter } from "../smallest.ts";
import { inside, type ObjectShape, type Shape } from "./shape.ts";

const STRING: Shape = { is: "leaf", leaf: "string" };

/**
 * Simpler schemas than a given one, the simplest first.
 *
 * @param shape The schema
 */
export function* simplerShape(shape: Shape): Generator<Shape> {
  if (shape.is !== "leaf" || shape.leaf !== "string") yield STRING;
  if (shape.is !== "object" && shape.is !== "variants") yield* inside(shape);
  yield* simplerInside(shape);
}

function* simplerInside(shape: Shape): Generator<Shape> {
  switch (shape.is) {
    case "leaf":
    case "literal":
      return;
    case "tuple":
      for (const items of shorter(shape.items)) yield { ...shape, items };
      for (const items of simplerOne(shape.items, simplerShape)) yield { ...shape, items };
      return;
    case "object":
      yield* simplerObject(shape);
      return;
    case "union":
      for (const some of shorter(shape.some)) if (some.length > 1) yield { ...shape, some };
      for (const some of simplerOne(shape.some, simplerShape)) yield { ...shape, some };
      return;
    case "variants":
      for (const some of shorter(shape.some)) if (some.length > 1) yield { ...shape, some };
      for (const some of simplerOne(shape.some, simplerObject)) yield { ...shape, some };
      return;
    case "both":
      for (const [first, second] of simplerOne(shape.parts, simplerInside)) {
        yield { ...shape, parts: [first!, second!] };
      }
      return;
    case "named":
      for (const of of simplerInside(shape.of)) yield { ...shape, of };
      return;
    default:
      for (const of of simplerShape(shape.of)) yield { ...shape, of };
  }
}

/** An object with fewer or simpler fields. */
export function* simplerObject(shape: ObjectShape): Generator<ObjectShape> {
  for (const fields of shorter(shape.fields)) yield { ...shape, fields };
  if (shape.others !== "dropped") yield { ...shape, others: "dropped" };
  for (const [i, field] of shape.fields.entries()) {
    if (field.presence !== "required") yield withField(shape, i, { ...field, presence: "required" });
    if (field.presence === "default") continue;
    for (const of of simplerShape(field.of)) yield withField(shape, i, { ...field, of });
  }
}

function withField(shape: ObjectShape, index: number, field: ObjectShape["fields"][number]): ObjectShape {
  return { ...shape, fields: shape.fields.with(index, field) };
}

/** The list with one element replaced. */
function* simplerOne<Own>(list: readonly Own[], simpler: (one: Own) => Iterable<Own>): Generator<Own[]> {
  for (const [i, one] of list.entries()) {
    for (const form of simpler(one)) yield list.with(i, form);
  }
}
