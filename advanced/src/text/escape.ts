// controls, what moves or hides text (bidirectional, zero-width, line separators, tags), and lone surrogates
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a stranger's text safe for a terminal: what would move the cursor, change the title or turn the reading
 * direction around is shown as its number.
 *
 * @param text The text
 */
export function terminalText(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Makes a stranger's text safe in HTML, between tags and in quoted attributes.
 *
 * @param text The text
 */
export function htmlText(text: string): string {
  return terminalText(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/**
 * Makes a text one field of CSV (RFC 4180). Spreadsheets run what begins like a formula, so that gets an apostrophe.
 *
 * @param text The text
 */
export function csvField(text: string): string {
  const safe = terminalText(text);
  const plain = /^\s*[=+\-@|%]/.test(safe) ? `'${safe}` : safe;
  return /[",;\n\r']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
