// controls, characters that move or hide text (bidirectional, zero-width, line separators, tags), and lone surrogates
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes an untrusted string safe for a terminal: characters that would move the cursor, change the title or reverse the
 * reading direction are shown as their code.
 *
 * @param text The string
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
 * Makes an untrusted string safe in HTML, between tags and in quoted attributes.
 *
 * @param text The string
 */
export function htmlText(text: string): string {
  return terminalText(text).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/**
 * Escapes a string as one CSV field (RFC 4180). Spreadsheets execute fields that look like formulas, so such fields get
 * an apostrophe.
 *
 * @param text The string
 */
export function csvField(text: string): string {
  const safe = terminalText(text);
  const plain = /^\s*[=+\-@|%]/.test(safe) ? `'${safe}` : safe;
  return /[",;\n\r']/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
