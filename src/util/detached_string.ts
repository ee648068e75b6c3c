/**
 * Copies a string so that keeping it does not retain the string from which it was sliced. Engines may store a slice,
 * such as an address in a long header, as a reference to the whole header.
 *
 * @param text The string
 * @returns The same string, with its own characters
 */
export function detachedString(text: string): string {
  // JavaScriptCore sees through joining and slicing, which would be enough for V8
  return JSON.parse(JSON.stringify(text));
}
