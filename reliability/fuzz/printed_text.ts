/** Number of repetitions from which a character is not spelled out. */
const LONG = 24;

/**
 * Prints a string as an expression that fits on a screen: repetitions are not spelled out.
 *
 * @param text The string
 */
export function printedText(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (const { index, 0: run } of text.matchAll(new RegExp(`([^])\\1{${LONG},}`, "g"))) {
    if (index > at) parts.push(quoted(text.slice(at, index)));
    parts.push(`${quoted(run[0]!)}.repeat(${run.length})`);
    at = index + run.length;
  }
  if (at < text.length || parts.length === 0) parts.push(quoted(text.slice(at)));
  return parts.join(" + ");
}

/** As JSON, with characters that terminals do not show also escaped. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(/[\x7f-\xa0\xad]/g, (one) => `\\x${one.charCodeAt(0).toString(16)}`);
}
