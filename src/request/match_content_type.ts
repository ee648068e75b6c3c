import { asciiLowerCase } from "../util/ascii.ts";
import { TypeIs } from "type-is";
import { parse } from "content-type";
import { mediaTypeOf } from "../http/media_types.ts";

const ANY = ["*/*"];

/** A type that no content type matches. */
const UNKNOWN = "unknown/unknown";

/**
 * Returns which of the given types a content type matches, like npm's type-is does for Express.
 *
 * @param contentType Value of the `Content-Type` header
 * @param types Extensions (`json`), full types, wildcards (`text/*`) or suffixes (`+json`); none for any type
 * @returns The matching type, spelled as in `types` (the actual type for wildcards and suffixes), or `false`
 */
export function matchContentType(contentType: string | undefined, types: readonly string[]): string | false {
  // the packages lower-case all Unicode, which would turn the Kelvin sign into a "k"
  if (contentType === undefined || contentType.includes("\u212a")) return false;
  const actual = parse(contentType, { parameters: false }).type;
  if (actual === "") return false;
  const match = matcherOf(types.length === 0 ? ANY : types).is(contentType);
  if (match === undefined) return false;
  return match.startsWith("+") || match.includes("*") ? actual : match;
}

/**
 * Resolves the types given to middleware to media types.
 *
 * @param types Extensions, full types, wildcards or suffixes
 * @returns Types and wildcards, such as `application/json` for `json`; nothing for an unknown word
 */
export function mediaTypesOf(types: readonly unknown[]): string[] {
  return types.filter((type) => typeof type === "string" && type !== "").flatMap((type) => {
    const text = type as string;
    const full = text.includes("/") ? asciiLowerCase(text) : text.startsWith("+") ? `*/*${text}` : lookupType(text);
    return full === UNKNOWN ? [] : [full];
  });
}

// unknown words and values that are not strings match nothing; the package would throw
function matcherOf(types: readonly unknown[]): TypeIs {
  return new TypeIs(types.filter((type) => typeof type === "string" && type !== "") as string[], {
    lookup: lookupType,
  });
}

function lookupType(word: string): string {
  if (word === "urlencoded") return "application/x-www-form-urlencoded";
  if (word === "multipart") return "multipart/*";
  return mediaTypeOf(word) ?? UNKNOWN;
}
