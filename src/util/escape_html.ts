const ESCAPES: Readonly<Record<string, string>> = {
  '"': "&quot;",
  "&": "&amp;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
};

/**
 * Makes text safe inside HTML elements and quoted attributes.
 *
 * @param text Any text
 * @returns The text with the five special characters escaped
 */
export function escapeHtml(text: string): string {
  return text.replace(/["&'<>]/g, (char) => ESCAPES[char]!);
}
