/**
 * Characters that move a terminal's cursor, start a line or reorder text: C0 and C1 controls, line separators, and
 * Unicode's directional formatting (UAX 9), which makes text display as something else.
 */
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const UNSAFE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

const ALL_UNSAFE = new RegExp(UNSAFE, "g");

/**
 * Makes a string safe for one log line, with JSON's escapes.
 *
 * @param text Any string
 */
export function withoutControls(text: string): string {
  // few strings contain one, and testing costs less than replacing
  return UNSAFE.test(text) ? text.replace(ALL_UNSAFE, escaped) : text;
}

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
