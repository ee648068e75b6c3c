/** The site for tests: the first one builds it, as with the packages (`shared_builds.ts`). */
import { rm } from "node:fs/promises";
import { digestOfSources } from "../built_from.ts";
import { builtOnce } from "../shared_builds.ts";
import { buildSite, type BuiltSite } from "./build_site.ts";

/** Not the task's folder: its site may be open in a browser. */
const TOOLS = new URL("../../.cache/site-of-tests/", import.meta.url);

let site: Promise<BuiltSite> | undefined;

/**
 * Returns the documentation site. Its files are shared: do not modify them.
 *
 * @throws {Error} If it cannot be built
 */
export function builtSite(): Promise<BuiltSite> {
  return site ??= siteOnce();
}

async function siteOnce(): Promise<BuiltSite> {
  const folder = await builtOnce("site", async (to) => {
    // VitePress and its packages stay: only their output is moved
    const { dist, ...counts } = await buildSite(TOOLS);
    await rm(to, { recursive: true, force: true });
    await Deno.mkdir(to, { recursive: true });
    await Deno.rename(dist, new URL("dist/", to));
    await Deno.writeTextFile(new URL("counts.json", to), JSON.stringify(counts));
  }, digestOfSources);
  const counts = JSON.parse(await Deno.readTextFile(new URL("counts.json", folder)));
  return { ...counts, dist: new URL("dist/", folder) };
}
