import { format, parse } from "content-type";

/** Express's type for strings. */
export const HTML = "text/html; charset=utf-8";
/** Express's type for JSON. */
export const JSON_UTF8 = "application/json; charset=utf-8";
/** JSON without a charset, which it does not need (RFC 8259 section 8.1). */
export const JSON_PLAIN = "application/json";

const withUtf8 = new Map<string, string>();
const MAX_REMEMBERED = 128;

/**
 * Replaces a content type's charset with UTF-8, as `res.send` does for strings.
 *
 * @param type A content type
 * @returns The same type with `charset=utf-8`
 */
export function withUtf8Charset(type: string): string {
  const known = withUtf8.get(type);
  if (known !== undefined) return known;
  const parsed = parse(type);
  parsed.parameters["charset"] = "utf-8";
  const made = format(parsed);
  if (withUtf8.size < MAX_REMEMBERED) withUtf8.set(type, made);
  return made;
}
