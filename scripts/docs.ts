/**
 * The documentation site: `deno task docs` serves it and reloads changes as you write, `deno task docs:build` builds it
 * into `.cache/site/`, and `deno task docs:draw` draws its pictures, which are committed.
 */
import { fileURLToPath } from "node:url";
import { buildSite } from "./site/build_site.ts";
import { pictures } from "./site/pictures/pictures.ts";
import { readSite, stage } from "./site/stage.ts";
import { vitepress } from "./site/vitepress.ts";

const FOLDER = new URL("../.cache/site/", import.meta.url);
const WATCHED = ["docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "advanced", "middleware", "openapi", "create"];

if (Deno.args[0] === "build") {
  const { dist, pages, links } = await buildSite(FOLDER);
  console.log(`${pages} pages, ${links} links, none of them dead: ${fileURLToPath(dist)}`);
} else if (Deno.args[0] === "draw") {
  for (const [name, svg] of await pictures()) {
    await Deno.writeTextFile(new URL(`../docs/${name}`, import.meta.url), svg);
  }
} else {
  await serve(Deno.args);
}

async function serve(args: readonly string[]): Promise<void> {
  const tools = new URL("tools/", FOLDER);
  const sources = new URL("pages/", tools);
  const command = await vitepress(tools);
  await stage(await readSite(), sources);
  const server = new Deno.Command(Deno.execPath(), {
    args: [...command, "dev", fileURLToPath(sources), ...args],
    cwd: fileURLToPath(tools),
  }).spawn();
  // from a terminal, both processes get the interrupt
  Deno.addSignalListener("SIGTERM", () => server.kill());
  server.status.then(({ code }) => Deno.exit(code));
  for await (
    const { paths } of Deno.watchFs(WATCHED.map((path) => fileURLToPath(new URL(`../${path}`, import.meta.url))))
  ) {
    if (!paths.some((path) => /\.(?:md|ts|css|svg|png)$/.test(path))) continue;
    // a half-written page may lack a title: the next change fixes that
    await readSite().then((site) => stage(site, sources)).catch((error) => console.error(error.message));
  }
}
