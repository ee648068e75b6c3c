/** `docs/performance.md`, whose marked sections are written by the benchmarks. */
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";

const PAGE = new URL("../../docs/performance.md", import.meta.url);

/**
 * Writes results between the markers of a section, `<!-- bench:name -->` and `<!-- /bench:name -->`.
 *
 * @param sections Markdown text by section name
 * @throws {Error} If the page has no such section
 */
export async function writeSections(sections: ReadonlyMap<string, string>): Promise<void> {
  let page = await Deno.readTextFile(PAGE);
  for (const [name, text] of sections) {
    const [begin, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
    const from = page.indexOf(begin);
    const to = page.indexOf(end);
    if (from === -1 || to < from) throw new Error(`docs/performance.md has no section between ${begin} and ${end}`);
    page = `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`;
  }
  await Deno.writeTextFile(PAGE, page);
  const { code, output } = await run(Deno.execPath(), ["fmt", "--quiet", fileURLToPath(PAGE)], {
    limitMs: 30_000,
    quiet: true,
  });
  if (code !== 0) throw new Error(`docs/performance.md could not be formatted: ${output}`);
}

/**
 * Writes a picture beside the page.
 *
 * @param name Its file name
 * @param svg The picture
 */
export async function writePicture(name: string, svg: string): Promise<void> {
  await Deno.writeTextFile(new URL(name, PAGE), svg);
}
