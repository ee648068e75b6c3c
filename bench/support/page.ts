/** Documentation pages with sections that the benchmarks write. */
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { withSection } from "../../scripts/section.ts";

const DOCS = new URL("../../docs/", import.meta.url);

/**
 * Writes results between a section's markers, `<!-- bench:name -->` and `<!-- /bench:name -->`.
 *
 * @param sections Markdown text by section name
 * @param name The page's file name
 * @throws {Error} If the page has no such section
 */
export async function writeSections(sections: ReadonlyMap<string, string>, name = "performance.md"): Promise<void> {
  const url = new URL(name, DOCS);
  let page = await Deno.readTextFile(url);
  for (const [section, text] of sections) page = withSection(page, `bench:${section}`, text);
  await Deno.writeTextFile(url, page);
  const { code, output } = await run(Deno.execPath(), ["fmt", "--quiet", fileURLToPath(url)], {
    limitMs: 30_000,
    quiet: true,
  });
  if (code !== 0) throw new Error(`docs/${name} could not be formatted: ${output}`);
}

/**
 * Writes a picture next to the page.
 *
 * @param name Its file name
 * @param svg The picture
 */
export async function writePicture(name: string, svg: string): Promise<void> {
  await Deno.writeTextFile(new URL(name, DOCS), svg);
}
