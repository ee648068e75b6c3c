/**
 * Replaces a section on a page.
 *
 * @param page The page
 * @param name Name in its markers: `<!-- name -->` and `<!-- /name -->`
 * @param text The new text between them
 * @returns The new page
 * @throws {Error} If the page has no such section
 */
export function withSection(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The page has no section between ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}
