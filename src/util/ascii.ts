/**
 * Strips optional whitespace: spaces and tabs only (RFC 9110 section 5.6.3). `trim()` also strips U+00A0 and Unicode's
 * other spaces, so a reserved name could be spelled with one in front.
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
  // avoids copying a whole string
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

const NOT_ASCII = /[^\0-\x7f]/;

/**
 * Converts only the letters A to Z to lower case. `toLowerCase()` turns the Kelvin sign (U+212A) into a `k`,
 * so a server would equate two strings that the proxy in front of it distinguishes.
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
  // most strings are already in lower case, and comparing costs almost nothing
  if (lower === text || !NOT_ASCII.test(text)) return lower;
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Converts only the letters a to z to upper case. `toUpperCase()` turns `ſ` (U+017F) into an `S`, `ı`
 * (U+0131) into an `I` and `ß` into `SS`.
 *
 * @param text A string from the network
 */
export function asciiUpperCase(text: string): string {
  const upper = text.toUpperCase();
  if (upper === text || !NOT_ASCII.test(text)) return upper;
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}
