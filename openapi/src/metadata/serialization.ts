import { describe } from "@sluice/shared";
import { isOnly } from "../schema/schema_kinds.ts";
import type { RequestPart } from "./route_schemas.ts";

/** How OpenAPI 3.1 writes a list or an object in a parameter, or in a field of a form. */
export type SerializationStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject";

/** How a parameter, or a field of a form, is written. */
export interface Serialization {
  /** The style; by default what OpenAPI says for the part, and `deepObject` for an object in a query or a form. */
  readonly style?: SerializationStyle;
  /** Whether each value is a parameter of its own; by default with `form` and `deepObject`, but not in cookies. */
  readonly explode?: boolean;
}

/** How parameters are written, by part and name: `{ query: { ids: { style: "pipeDelimited" } } }`. */
export type Serializations = { readonly [Part in RequestPart]?: Readonly<Record<string, Serialization>> };

/** The styles of a part; the first one is its default. */
const STYLES: Readonly<Record<RequestPart, readonly SerializationStyle[]>> = {
  params: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  headers: ["simple"],
  cookies: ["form"],
  body: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
};

/**
 * How a parameter is written: a list or an object as the program says, or by default; anything else as it is.
 *
 * @param part The part that it is in
 * @param kinds The kinds of its values
 * @param given What the program says
 */
export function serializationOf(
  part: RequestPart,
  kinds: ReadonlySet<string>,
  given: Serialization = {},
): Required<Serialization> {
  const isDeep = isOnly(kinds, "object") && STYLES[part].includes("deepObject");
  const { style = isDeep ? "deepObject" : STYLES[part][0]! } = given;
  // a cookie with one name is sent once
  const { explode = style === "deepObject" || (style === "form" && part !== "cookies") } = given;
  return { style, explode };
}

/**
 * Checks what a program says of how parameters are written.
 *
 * @param given What it says
 * @throws {TypeError} If there is no such part or style
 */
export function checkSerializations(given: Serializations): void {
  for (const [part, parameters] of Object.entries(given)) {
    if (!Object.hasOwn(STYLES, part)) {
      throw new TypeError(
        `validate: option serialization has the parts ${Object.keys(STYLES).join(", ")}, not ${describe(part)}`,
      );
    }
    const styles = STYLES[part as RequestPart];
    for (const [name, { style, explode, ...others }] of Object.entries(parameters ?? {})) {
      const where = `validate: option serialization.${part}.${name}`;
      if (style !== undefined && !styles.includes(style)) {
        throw new TypeError(`${where}.style must be one of ${styles.join(", ")}, not ${describe(style)}`);
      }
      if (explode !== undefined && typeof explode !== "boolean") {
        throw new TypeError(`${where}.explode must be true or false, not ${describe(explode)}`);
      }
      const [unknown] = Object.keys(others);
      if (unknown !== undefined) throw new TypeError(`${where} has style and explode, not ${unknown}`);
    }
  }
}
