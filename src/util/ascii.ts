/**
 * Strips optional whitespace: spaces and tabs, and nothing else (RFC 9110 section 5.6.3). `trim()` also strips U+00A0 and
 * the other spaces of Unicode, so a name that nobody may choose could be written with one of them in front.
 *
 * @param text A string from the network
 *
 * @example
 * ```ts ignore
 * trimBlanks(" \tmax-age=60 "); // "max-age=60"
 * trimBlanks("\u00a0__Host-session=1"); // the same string
 * ```
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  // a whole string is not copied
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Converts the letters A to Z to lower case, and no others. `toLowerCase()` makes a `k` of the Kelvin sign (U+212A), so
 * two strings would be the same to a server that are not to the proxy in front of it.
 *
 * @param text A string from the network
 *
 * @example
 * ```ts ignore
 * asciiLowerCase("WebSocket"); // "websocket"
 * asciiLowerCase("Webso\u212aet"); // "webso\u212aet"
 * ```
 */
export function asciiLowerCase(text: string): string {
  const lower = text.toLowerCase();
  // most strings are in lower case, and comparing costs next to nothing
  if (lower === text || !NOT_ASCII.test(text)) return lower;
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Converts the letters a to z to upper case, and no others. `toUpperCase()` makes an `S` of `ſ` (U+017F), an `I` of `ı`
 * (U+0131) and `SS` of `ß`.
 *
 * @param text A string from the network
 */
export function asciiUpperCase(text: string): string {
  const upper = text.toUpperCase();
  if (upper === text || !NOT_ASCII.test(text)) return upper;
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}
