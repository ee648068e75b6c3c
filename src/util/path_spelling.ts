/**
 * Encoded forms of characters that `encodeURIComponent` and therefore every client leaves unencoded in a path, except
 * `!~*'()`, which clients may or may not encode. Includes the backslash, because it separates folders on Windows.
 */
const REFUSED = /%(?:2[def]|3\d|4[1-9a-f]|5[\dacf]|6[1-9a-f]|7[\da])|\\|\/\/|\/\.\.?(?![^/])/i;

/**
 * Finds a spelling that no client uses in a path: a percent-encoded letter, digit, `-`, `.`, `_`, `/` or `\`, a
 * backslash, an empty segment, or a dot segment. Other characters may be sent plain or encoded.
 *
 * @param path A path beginning with a slash, not decoded
 * @returns The part, such as `%61` or `//`; `null` if there is none
 */
export function refusedSpelling(path: string): string | null {
  return REFUSED.exec(path)?.[0] ?? null;
}

/** Escapes of other ASCII characters except `%` and NUL, and runs of escapes outside ASCII. */
const OPTIONAL = /%(?:0[1-9a-f]|1[\da-f]|2[0-46-9abc]|3[a-f]|40|5[bde]|60|7[b-f])|(?:%[89a-f][\da-f])+/gi;

/**
 * The canonical form of a literal or segment, shared by all spellings that clients use. Only `%`, NUL and characters
 * that no client encodes stay encoded.
 *
 * @param text Part of a path
 */
export function usualSpelling(text: string): string {
  return text.includes("%") ? text.replace(OPTIONAL, decoded) : text;
}

function decoded(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    // not UTF-8: matched without decoding
    return escapes;
  }
}
