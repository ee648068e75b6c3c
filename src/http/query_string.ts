import { utf8Bytes, utf8Text } from "../util/encodings.ts";

/** A parsed query: strings, arrays and, with the extended parser, nested objects. */
// deno-lint-ignore no-explicit-any -- the client chooses a query's content
export type ParsedQuery = Record<string, any>;

/**
 * Parses a query string like Node's `querystring.parse`: strings, or an array if a name repeats.
 *
 * @param text The query without its question mark, `null` if there is none
 * @param maxPairs Maximum number of pairs; further ones are ignored
 * @returns An object without a prototype, so no name is special
 */
export function parseSimpleQuery(text: string | null, maxPairs = 1000): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  if (typeof text !== "string" || text === "") return query;
  let pairs = 0;
  for (const part of text.split("&", maxPairs + 1)) {
    if (part === "") continue;
    if (++pairs > maxPairs) break;
    const equals = part.indexOf("=");
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? "" : decode(part.slice(equals + 1));
    const earlier = query[name];
    if (earlier === undefined) query[name] = value;
    else if (Array.isArray(earlier)) earlier.push(value);
    else query[name] = [earlier, value];
  }
  return query;
}

/**
 * Returns whether a query or form has a name with brackets, which the extended parser would nest.
 *
 * @param text The query or form
 */
export function hasBrackets(text: string): boolean {
  return /(?:^|&)[^=&]*(?:\[|%5b)/i.test(text);
}

/** Decodes `+` and percent escapes; invalid UTF-8 becomes replacement characters, broken escapes are kept. */
function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return decodeLeniently(spaced);
  }
}

function decodeLeniently(text: string): string {
  const bytes = utf8Bytes(text);
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const hex = bytes[i] === 37 ? String.fromCharCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0) : "";
    if (/^[0-9a-f]{2}$/i.test(hex)) {
      out.push(parseInt(hex, 16));
      i += 2;
    } else out.push(bytes[i]!);
  }
  return utf8Text(Uint8Array.from(out));
}
