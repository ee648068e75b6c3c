import { TypeIs } from "type-is";
import { parse } from "content-type";
import { mediaTypeOf } from "../http/media_types.ts";

/**
 * Tells which of the given types a content type matches, as npm's type-is does for Express.
 *
 * @param contentType Value of the `Content-Type` header
 * @param types Extensions (`json`), full types, wildcards (`text/*`) or suffixes (`+json`)
 * @returns The matching type as it was asked for (the actual one for wildcards and suffixes), or `false`
 */
export function matchContentType(contentType: string | undefined, types: readonly string[]): string | false {
  if (contentType === undefined) return false;
  const actual = mediaType(contentType);
  if (actual === "") return false;
  if (types.length === 0) return actual;
  const match = matcherOf(types).is(contentType);
  if (match === undefined) return false;
  return match.startsWith("+") || match.includes("*") ? actual : match;
}

function mediaType(contentType: string): string {
  return parse(contentType, { parameters: false }).type;
}

// an unknown word matches nothing, where the package would refuse it
function matcherOf(types: readonly string[]): TypeIs {
  return new TypeIs(types.filter((type) => type !== ""), { lookup: lookupType });
}

function lookupType(word: string): string {
  if (word === "urlencoded") return "application/x-www-form-urlencoded";
  if (word === "multipart") return "multipart/*";
  return mediaTypeOf(word) ?? "unknown/unknown";
}
