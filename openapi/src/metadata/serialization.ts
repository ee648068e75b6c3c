import { checkObject, describe } from "@sluice/shared";
import { isOnly } from "../schema/schema_kinds.ts";
import type { RequestPart } from "./route_schemas.ts";

/** OpenAPI 3.1 styles for an array or an object in a parameter, or in a form field. */
export type SerializationStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject";

/** How a parameter, or a form field, is serialized. */
export interface Serialization {
  /** The style; by default OpenAPI's default for the part, and `deepObject` for an object in a query or a form. */
  readonly style?: SerializationStyle;
  /** Whether each value is a separate parameter; by default with `form` and `deepObject`, but not in cookies. */
  readonly explode?: boolean;
}

/** Parameter serialization, by part and name: `{ query: { ids: { style: "pipeDelimited" } } }`. */
export type Serializations = { readonly [Part in RequestPart]?: Readonly<Record<string, Serialization>> };

/** A part's styles; the first one is its default. */
const STYLES: Readonly<Record<RequestPart, readonly SerializationStyle[]>> = {
  params: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  headers: ["simple"],
  cookies: ["form"],
  body: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
};

/**
 * Returns how a parameter is serialized: arrays and objects as the program defines, or by default; anything else
 * unchanged.
 *
 * @param part Its part of the request
 * @param kinds The kinds of its values
 * @param given The program's definition
 */
export function serializationOf(
  part: RequestPart,
  kinds: ReadonlySet<string>,
  given: Serialization = {},
): Required<Serialization> {
  const isDeep = isOnly(kinds, "object") && STYLES[part].includes("deepObject");
  const { style = isDeep ? "deepObject" : STYLES[part][0]! } = given;
  // a cookie name is sent only once
  const { explode = style === "deepObject" || (style === "form" && part !== "cookies") } = given;
  return { style, explode };
}

/**
 * Checks a program's serialization options.
 *
 * @param given The options
 * @throws {TypeError} If there is no such part or style
 */
export function checkSerializations(given: Serializations): void {
  checkObject("validate", "serialization", given, 'an object such as { query: { ids: { style: "pipeDelimited" } } }');
  for (const [part, parameters] of Object.entries(given)) {
    if (!Object.hasOwn(STYLES, part)) {
      throw new TypeError(
        `validate: option serialization has the parts ${Object.keys(STYLES).join(", ")}, not ${describe(part)}`,
      );
    }
    const styles = STYLES[part as RequestPart];
    checkObject("validate", `serialization.${part}`, parameters, 'an object such as { ids: { style: "form" } }');
    for (const [name, parameter] of Object.entries(parameters ?? {})) {
      checkObject("validate", `serialization.${part}.${name}`, parameter, 'an object such as { style: "form" }');
      const { style, explode, ...others } = parameter;
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
