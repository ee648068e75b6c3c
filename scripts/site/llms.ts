/** The site for language models: https://llmstxt.org. */
import { frontMatterOf } from "./markdown.ts";
import { pagesOf, type Site } from "./stage.ts";
import { llmsSmallTxt } from "./llms_small.ts";
import { type Page, urlOf } from "./pages.ts";

/** Sections that are not about using the packages: readers with little context may skip them. */
const OPTIONAL: ReadonlySet<string> = new Set(["Project", "Decisions", "What was measured"]);

/** `llms.txt`: an index, with one line per page. */
export function llmsTxt(site: Site): string {
  const line = ({ path, title, description }: Page) => `- [${title}](/${path}): ${description}`;
  const required = site.sections.filter(({ title }) => !OPTIONAL.has(title));
  const optional = site.sections.filter(({ title }) => OPTIONAL.has(title));
  return [
    `# Sluice\n\n> ${site.home.description}`,
    "All that a program needs is in /llms-small.txt, with less than 100 kB; the pages below are in /llms-full.txt.",
    ...required.map(({ title, pages }) => `## ${title}\n\n${pages.map(line).join("\n")}`),
    `## Optional\n\n${optional.flatMap(({ pages }) => pages).map(line).join("\n")}`,
  ].join("\n\n") + "\n";
}

/** `llms-full.txt`: the text from all pages that are not optional. */
export function llmsFullTxt(site: Site): string {
  const pages = site.sections.filter(({ title }) => !OPTIONAL.has(title)).flatMap((section) => section.pages);
  return pages.map((page) => `<!-- ${urlOf(page)} -->\n\n${textOf(page)}`).join("\n\n---\n\n");
}

/** Additional files for the site, by name: these, and each page's text. */
export async function textFiles(site: Site): Promise<Map<string, string>> {
  return new Map([
    ["llms.txt", llmsTxt(site)],
    ["llms-small.txt", await llmsSmallTxt(site)],
    ["llms-full.txt", llmsFullTxt(site)],
    ...pagesOf(site).map((page): [string, string] => [page.path, textOf(page)]),
  ]);
}

function textOf({ text }: Page): string {
  return frontMatterOf(text).body.trim() + "\n";
}
