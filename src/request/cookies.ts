import { parse } from "cookie-es";
import type { Any } from "../util/any.ts";

/**
 * Parses a `Cookie` header like cookie-parser (RFC 6265 section 5.4): the first cookie with a given name counts, quotes
 * around a value are removed, and objects sent with `res.cookie(name, object)` become objects again.
 *
 * @param header The header, `undefined` if the client sent none
 * @returns Decoded values by name; without a header, an object that inherits nothing, as in cookie-parser
 */
export function parseCookies(header: string | undefined): Record<string, Any> {
  if (!header) return Object.create(null);
  const texts = parse(header, { decode: decodeValue });
  const cookies: Record<string, Any> = {};
  for (const name of Object.keys(texts)) {
    // on a plain object, this name would set the prototype
    if (name !== "__proto__") cookies[name] = objectOf(texts[name]!) ?? texts[name];
  }
  return cookies;
}

function decodeValue(raw: string): string {
  const value = raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw;
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** The object encoded as `j:` and JSON; `undefined` for other strings and for falsy values, as in cookie-parser. */
function objectOf(text: string): unknown {
  if (!text.startsWith("j:")) return undefined;
  try {
    return JSON.parse(text.slice(2)) || undefined;
  } catch {
    return undefined;
  }
}
