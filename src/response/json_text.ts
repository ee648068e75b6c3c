import type { Any } from "../util/any.ts";

const ESCAPES: Record<string, string> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026" };

/**
 * Serializes a value according to the `json replacer`, `json spaces` and `json escape` settings.
 *
 * @param value Any value
 * @param app The application whose settings apply
 * @returns The string; `undefined` for values that JSON cannot represent, such as functions
 */
export function jsonText(value: unknown, app: { get(setting: string): Any }): string | undefined {
  const replacer = app.get("json replacer");
  const spaces = app.get("json spaces");
  const text = replacer || spaces ? JSON.stringify(value, replacer, spaces) : JSON.stringify(value);
  if (text === undefined || !app.get("json escape")) return text;
  return text.replace(/[<>&]/g, (char) => ESCAPES[char]!);
}
