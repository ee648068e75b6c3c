/**
 * A copy of a text that is to be kept. Engines may store a part of a text, such as an address in a long header, as a
 * reference to the whole: whoever keeps the part keeps the header, too.
 *
 * @param text The text
 * @returns The same text, with characters of its own
 */
export function detachedString(text: string): string {
  // JavaScriptCore sees through joining and slicing again, which is enough for V8
  return JSON.parse(JSON.stringify(text));
}
