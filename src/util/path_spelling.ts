/**
 * What `encodeURIComponent`, and with it every client, leaves as it is in a path, except for `!~*'()`: these clients
 * encode or not, as they like. A backslash is among them, because it separates folders on Windows.
 */
const REFUSED = /%(?:2[def]|3\d|4[1-9a-f]|5[\dacf]|6[1-9a-f]|7[\da])|\\|\/\/|\/\.\.?(?![^/])/i;

/**
 * Finds what no client writes in a path: a letter, a digit, `-`, `.`, `_`, `/` or `\` that is percent-encoded, a
 * backslash, an empty segment, or one of dots. Other characters may be sent as they are or encoded.
 *
 * @param path A path beginning with a slash, not decoded
 * @returns The part, such as `%61` or `//`; `null` if there is none
 */
export function refusedSpelling(path: string): string | null {
  return REFUSED.exec(path)?.[0] ?? null;
}

/** Escapes of other ASCII characters except `%` and NUL, and runs of escapes outside of ASCII. */
const OPTIONAL = /%(?:0[1-9a-f]|1[\da-f]|2[0-46-9abc]|3[a-f]|40|5[bde]|60|7[b-f])|(?:%[89a-f][\da-f])+/gi;

/**
 * The one form of a literal, or of a segment, that all spellings have in common that clients use: nothing is encoded but
 * what no client encodes, `%`, and NUL.
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
    // no UTF-8: matched as it was sent
    return escapes;
  }
}
