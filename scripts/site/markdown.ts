/** Reads Markdown pages. */

/** Splits a page into its body and its front matter, which has lines such as `title: Sluice`. */
export function frontMatterOf(text: string): { body: string; fields: Record<string, string> } {
  const [whole = "", lines = ""] = text.match(/^---\n(.*?)^---\n/ms) ?? [];
  const fields = lines.matchAll(/^(\w+): (.+)$/gm);
  return {
    body: text.slice(whole.length),
    fields: Object.fromEntries(Array.from(fields, ([, name, value]) => [name, value!.replace(/^"(.*)"$/, "$1")])),
  };
}

/** Returns a line's or paragraph's visible text, without Markdown markup and comments. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/<!--.*?-->/gs, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`]|(?<!\w)_|_(?!\w)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Returns a page's title: from its front matter, or its first heading. */
export function titleOf(text: string): string | undefined {
  const { body, fields } = frontMatterOf(text);
  const heading = withoutBlocks(body).match(/^# (.+)$/m)?.[1];
  return fields["title"] ?? (heading === undefined ? undefined : plainText(heading));
}

/** Returns a page's description for search engines and lists: from its front matter, or its first longer paragraph. */
export function descriptionOf(text: string): string | undefined {
  const { body, fields } = frontMatterOf(text);
  if (fields["description"] !== undefined) return fields["description"];
  const paragraphs = withoutBlocks(body).split(/\n\s*\n/).map((one) => one.trim());
  const first = paragraphs.find((one) => plainText(one).length >= 20 && !/^(?:[#|>:<-]|\d+\.|!\[)|:$/.test(one));
  // a decision record's first word is redundant
  return first === undefined ? undefined : shortened(plainText(first).replace(/^Decision\. /, ""));
}

/** Replaces link and picture targets outside code. */
export function withLinks(text: string, replace: (target: string) => string): string {
  return text.split(/(^ *```.*?^ *```$)/gms).map((part, i) =>
    i % 2 === 1
      ? part
      : part.replaceAll(/(\]\()([^)\s]+)(\))/g, (_, open, target, close) => open + replace(target) + close)
  ).join("");
}

/** Tab names: runtimes, and Node package managers. */
export const TABS: ReadonlySet<string> = new Set(["Node", "Deno", "Bun", "Workers", "npm", "pnpm", "Yarn"]);

const TAB_BLOCKS = new RegExp(`(?:^\`\`\`\\w+ \\[(?:${[...TABS].join("|")})\\]\\n.*?^\`\`\`\\n+)+`, "gms");

/** Groups consecutive blocks named as tabs, such as `sh [Node]` and `sh [Deno]`. */
export function withTabs(text: string): string {
  return text.replaceAll(TAB_BLOCKS, (blocks) => `::: code-group\n\n${blocks.trimEnd()}\n\n:::\n\n`);
}

/** A paragraph that is a link to a file: `[The whole of app.ts](../../examples/tutorial/step-1/app.ts)`. */
const WHOLE_FILE = /^\[(The whole of) ([\w./-]+)\]\(([^)\s]+)\)$/gm;

/**
 * Replaces each link to a whole file with the file itself, in a collapsed block.
 *
 * @param text The page
 * @param read Reads a link's target
 */
export async function withWholeFiles(text: string, read: (target: string) => Promise<string>): Promise<string> {
  const files = new Map<string, string>();
  for (const { 3: target } of text.matchAll(WHOLE_FILE)) files.set(target!, await read(target!));
  return text.replaceAll(WHOLE_FILE, (_, words, path: string, target: string) => {
    const language = path.match(/\.(\w+)$/)?.[1] ?? path.toLowerCase();
    return [
      `<details class="details custom-block">\n<summary>${words} <code>${path}</code></summary>\n`,
      `\`\`\`${language} [${path}]\n${files.get(target)!.trimEnd()}\n\`\`\`\n`,
      "</details>",
    ].join("\n");
  });
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, "");
}

const LONGEST = 200;

/** Truncates text to whole sentences, or to words if the first sentence does not fit. */
export function shortened(text: string): string {
  if (text.length <= LONGEST) return text;
  const cut = text.slice(0, LONGEST);
  const sentences = cut.match(/^.*[.!?](?= )/)?.[0];
  return sentences ?? `${cut.slice(0, cut.lastIndexOf(" "))} …`;
}
