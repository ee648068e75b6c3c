import { fileURLToPath } from "node:url";
import { run } from "../process.ts";
import { builtPages, deadLinks } from "./links.ts";
import { textFiles } from "./llms.ts";
import { readSite, stage } from "./stage.ts";
import { vitepress } from "./vitepress.ts";

/** The site as built. */
export interface BuiltSite {
  /** The folder with its files. */
  readonly dist: URL;
  /** Number of pages. */
  readonly pages: number;
  /** Number of checked links. */
  readonly links: number;
}

/**
 * Builds the site.
 *
 * @param folder Folder for its sources, its tools and its output
 * @throws {Error} If VitePress fails, or a link is dead
 */
export async function buildSite(folder: URL): Promise<BuiltSite> {
  const command = await vitepress(new URL("tools/", folder));
  const site = await readSite();
  // below the tools, where VitePress finds its packages
  const sources = new URL("tools/pages/", folder);
  await stage(site, sources);
  const { code, output } = await run(Deno.execPath(), [...command, "build", fileURLToPath(sources)], {
    limitMs: 300_000,
    quiet: true,
    cwd: fileURLToPath(new URL("tools/", folder)),
  });
  if (code !== 0) throw new Error(`VitePress could not build the site:\n${output}`);
  const dist = new URL(".vitepress/dist/", sources);
  for (const [path, text] of await textFiles(site)) await Deno.writeTextFile(new URL(path, dist), text);
  const pages = await builtPages(dist);
  const { checked, dead } = await deadLinks(dist, pages);
  if (dead.length > 0) throw new Error(`Links of the site lead nowhere:\n${dead.join("\n")}`);
  return { dist, pages: pages.length, links: checked };
}
