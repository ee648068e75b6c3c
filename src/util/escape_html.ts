const ESCAPES: Readonly<Record<string, string>> = {
  '"': "&quot;",
  "&": "&amp;",
  "'": "&#39;",
  "<": "&lt;",
  ">": "&gt;",
};

/**
 * Escapes a string for HTML elements and quoted attributes.
 *
 * @param text Any string
 * @returns The string with the five special characters escaped
 */
export function escapeHtml(text: string): string {
  return text.replace(/["&'<>]/g, (char) => ESCAPES[char]!);
}
