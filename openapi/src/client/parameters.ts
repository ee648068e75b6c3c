/** A value that a parameter may have. */
export type ParameterValue = unknown;

/**
 * Serializes a query parameter or a form field as defined by OpenAPI 3.1.
 *
 * @param name Its name
 * @param value Its value; nothing is written for `undefined` and `null`
 * @param style Its style: without one, arrays repeat the name, and objects are written as `name[key]=value`
 * @returns Encoded pairs, such as `a=1`
 */
export function fieldTexts(name: string, value: ParameterValue, style?: string): string[] {
  if (value === undefined || value === null) return [];
  const encode = encodeURIComponent;
  if (!isRecord(value)) return [`${encode(name)}=${encode(textOf(value))}`];
  const isList = Array.isArray(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== null);
  const separator = SEPARATORS[style ?? ""];
  if (separator !== undefined) {
    const items = entries.flatMap(([key, item]) => isList ? [item] : [key, item]);
    // the separator is not encoded: otherwise it would be part of an item
    return items.length === 0 ? [] : [`${encode(name)}=${items.map((item) => encode(textOf(item))).join(separator)}`];
  }
  if (isList) return entries.flatMap(([, item]) => fieldTexts(name, item));
  if (style === "form*") return entries.flatMap(([key, one]) => fieldTexts(key, one));
  return entries.flatMap(([key, one]) => fieldTexts(`${name}[${key}]`, one));
}

/** Separators between an array's items in one value. */
const SEPARATORS: Readonly<Record<string, string>> = { form: ",", spaceDelimited: "%20", pipeDelimited: "%7C" };

/**
 * Serializes a value in OpenAPI's style `simple`: `1,2` for an array, `a,1,b,2` for an object, or `a=1,b=2` exploded.
 *
 * @param value The value
 * @param explode Whether an object is exploded
 * @param encode Encodes each part
 */
export function joined(value: ParameterValue, explode: boolean, encode: (text: string) => string = String): string {
  const one = (part: unknown): string => encode(textOf(part));
  if (Array.isArray(value)) return value.map(one).join(",");
  if (!isRecord(value)) return one(value);
  return Object.entries(value).filter(([, part]) => part !== undefined && part !== null)
    .map(([key, part]) => `${one(key)}${explode ? "=" : ","}${one(part)}`).join(",");
}

/** Converts a value to a string: dates to ISO 8601, objects to JSON. */
function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !(value instanceof Date);
}
