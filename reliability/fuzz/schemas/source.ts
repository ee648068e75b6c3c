/** A schema's source, as a program writes it. */
import { kindOf, type Library, LISTED, type ObjectShape, type Shape } from "./shape.ts";

/**
 * Writes a schema.
 *
 * @param shape The schema
 * @param library The library
 * @returns An expression with the names `z`; `v` and `toStandardJsonSchema`; or `type`
 */
export function sourceOf(shape: Shape, library: Library): string {
  if (library === "zod") return zod(shape);
  return library === "valibot" ? `toStandardJsonSchema(${valibot(shape)})` : arktype(shape);
}

/** Fields with sources, and a variant's own. */
function fieldsOf(
  { fields }: ObjectShape,
  of: (field: ObjectShape["fields"][number]) => string,
  kind?: string,
): string {
  const own = fields.map((field) => `${JSON.stringify(field.name)}: ${of(field)}`);
  return `{ ${[...kind === undefined ? [] : [`kind: ${kind}`], ...own].join(", ")} }`;
}

function all(shapes: readonly Shape[], of: (shape: Shape) => string): string {
  return shapes.map(of).join(", ");
}

const ZOD = {
  string: "z.string()",
  number: "z.number()",
  boolean: "z.boolean()",
  null: "z.null()",
  date: "z.date()",
  hex: "z.string().regex(/^[a-f]+$/)",
  digit: "z.number().int().min(0).max(9)",
  unknown: "z.unknown()",
  coerced: "z.coerce.number()",
  caught: "z.number().catch(0)",
};

function zod(shape: Shape): string {
  switch (shape.is) {
    case "leaf":
      return ZOD[shape.leaf];
    case "literal":
      return `z.literal(${JSON.stringify(shape.value)})`;
    case "list":
      return `z.array(${zod(shape.of)})`;
    case "set":
      return `z.set(${zod(shape.of)})`;
    case "nullable":
      return `${zod(shape.of)}.nullable()`;
    case "named":
      return `${zod(shape.of)}.meta({ id: "${shape.id}" })`;
    case "tree":
      return `(() => { const tree = z.object({ value: ${zod(shape.of)}, ` +
        "get trees() { return z.array(tree).optional(); } }); return tree; })()";
    case "map":
      return `z.map(z.${shape.key}(), ${zod(shape.of)})`;
    case "tuple":
      return `z.tuple([${all(shape.items, zod)}]${shape.rest === undefined ? "" : `, ${zod(shape.rest)}`})`;
    case "record": {
      const names = `z.enum(${JSON.stringify(LISTED)})`;
      if (shape.names === "partial") return `z.partialRecord(${names}, ${zod(shape.of)})`;
      const name = shape.names === "enum" ? names : shape.names === "any" ? ZOD.string : "z.string().regex(/^x/)";
      return `z.record(${name}, ${zod(shape.of)})`;
    }
    case "object":
      return zodObject(shape);
    case "union":
      return `z.union([${all(shape.some, zod)}])`;
    case "variants":
      return `z.discriminatedUnion("kind", [${
        shape.some.map((one, i) => zodObject(one, `z.literal("${kindOf(i)}")`)).join(", ")
      }])`;
    case "both":
      return `z.intersection(${all(shape.parts, zod)})`;
  }
}

function zodObject(shape: ObjectShape, kind?: string): string {
  const fields = fieldsOf(shape, ({ of, presence }) => {
    if (presence === "required") return zod(of);
    return `${zod(of)}.${presence === "optional" ? "optional()" : `default(${fallbackOf(of)})`}`;
  }, kind);
  const { others } = shape;
  if (others === "dropped") return `z.object(${fields})`;
  if (typeof others !== "string") return `z.object(${fields}).catchall(${zod(others)})`;
  return `z.${others === "refused" ? "strictObject" : "looseObject"}(${fields})`;
}

/** The default for a string or a number. */
function fallbackOf(shape: Shape): string {
  return shape.is === "leaf" && shape.leaf === "number" ? "3" : '"three"';
}

const VALIBOT = {
  string: "v.string()",
  number: "v.number()",
  boolean: "v.boolean()",
  null: "v.null()",
  date: "v.date()",
  hex: "v.pipe(v.string(), v.regex(/^[a-f]+$/))",
  digit: "v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(9))",
  unknown: "v.unknown()",
  coerced: "v.number()",
  caught: "v.fallback(v.number(), 0)",
};

function valibot(shape: Shape): string {
  switch (shape.is) {
    case "leaf":
      return VALIBOT[shape.leaf];
    case "literal":
      return `v.literal(${JSON.stringify(shape.value)})`;
    case "list":
      return `v.array(${valibot(shape.of)})`;
    case "set":
      return `v.set(${valibot(shape.of)})`;
    case "nullable":
      return `v.nullable(${valibot(shape.of)})`;
    case "named":
      return valibot(shape.of);
    case "tree":
      return `(() => { const tree = v.object({ value: ${valibot(shape.of)}, ` +
        "trees: v.optional(v.array(v.lazy(() => tree))) }); return tree; })()";
    case "map":
      return `v.map(v.${shape.key}(), ${valibot(shape.of)})`;
    case "tuple":
      return shape.rest === undefined
        ? `v.strictTuple([${all(shape.items, valibot)}])`
        : `v.tupleWithRest([${all(shape.items, valibot)}], ${valibot(shape.rest)})`;
    case "record":
      return `v.record(${shape.names === "any" ? "v.string()" : `v.picklist(${JSON.stringify(LISTED)})`}, ${
        valibot(shape.of)
      })`;
    case "object":
      return valibotObject(shape);
    case "union":
      return `v.union([${all(shape.some, valibot)}])`;
    case "variants":
      return `v.variant("kind", [${
        shape.some.map((one, i) => valibotObject(one, `v.literal("${kindOf(i)}")`)).join(", ")
      }])`;
    case "both":
      return `v.intersect([${all(shape.parts, valibot)}])`;
  }
}

function valibotObject(shape: ObjectShape, kind?: string): string {
  const fields = fieldsOf(shape, ({ of, presence }) => {
    if (presence === "required") return valibot(of);
    return `v.optional(${valibot(of)}${presence === "optional" ? "" : `, ${fallbackOf(of)}`})`;
  }, kind);
  const { others } = shape;
  if (others === "dropped") return `v.object(${fields})`;
  if (typeof others !== "string") return `v.objectWithRest(${fields}, ${valibot(others)})`;
  return `v.${others === "refused" ? "strictObject" : "looseObject"}(${fields})`;
}

const ARKTYPE = {
  string: "type.string",
  number: "type.number",
  boolean: "type.boolean",
  null: "type.null",
  date: "type.Date",
  hex: "type(/^[a-f]+$/)",
  digit: 'type("0 <= number.integer <= 9")',
  unknown: "type.unknown",
  coerced: "type.number",
  caught: "type.number",
};

function arktype(shape: Shape): string {
  switch (shape.is) {
    case "leaf":
      return ARKTYPE[shape.leaf];
    case "literal":
      return `type.unit(${JSON.stringify(shape.value)})`;
    case "list":
    case "set":
      return `${arktype(shape.of)}.array()`;
    case "nullable":
      return `${arktype(shape.of)}.or(type.null)`;
    case "named":
      return arktype(shape.of);
    case "tree":
      return `type({ value: ${arktype(shape.of)}, "trees?": "this[]" })`;
    case "map":
      return `type({ "[string]": ${arktype(shape.of)} })`;
    case "tuple":
      return `type([${all(shape.items, arktype)}${
        shape.rest === undefined ? "" : `, "...", ${arktype(shape.rest)}.array()`
      }])`;
    case "record":
      return `type({ "${shape.names === "any" ? "[string]" : "[/^x/]"}": ${arktype(shape.of)} })`;
    case "object":
      return arktypeObject(shape);
    case "union":
      return shape.some.map(arktype).reduce((all, one) => `${all}.or(${one})`);
    case "variants":
      return shape.some.map((one, i) => arktypeObject(one, `type.unit("${kindOf(i)}")`)).reduce((all, one) =>
        `${all}.or(${one})`
      );
    case "both":
      return shape.parts.map(arktype).reduce((all, one) => `${all}.and(${one})`);
  }
}

function arktypeObject({ fields, others }: ObjectShape, kind?: string): string {
  const own = fields.map(({ name, of, presence }) => {
    const key = JSON.stringify(presence === "optional" ? `${name}?` : name);
    return `${key}: ${arktype(of)}${presence === "default" ? `.default(${fallbackOf(of)})` : ""}`;
  });
  if (kind !== undefined) own.unshift(`kind: ${kind}`);
  if (others === "refused") own.push('"+": "reject"');
  if (others === "kept") own.push('"[string]": "unknown"');
  if (typeof others !== "string") own.push(`"[string]": ${arktype(others)}`);
  return `type({ ${own.join(", ")} })`;
}
