/** The documentation site, as built by `deno task docs:build`. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { builtSite } from "../../scripts/site/shared_site.ts";
import { builtPages, deadLinks } from "../../scripts/site/links.ts";
import { pagesOf, readSite } from "../../scripts/site/stage.ts";
import express from "express";
import { MOST_BYTES } from "../../scripts/site/llms_small.ts";
import { urlOf } from "../../scripts/site/pages.ts";
import { TASKS } from "../models/tasks.ts";
import { readPackages } from "../../scripts/site/reference/symbols.ts";

const { dist, pages: count, links } = await builtSite();
const pages = await builtPages(dist);
const site = await readSite();

Deno.test("the site has a page for every document and every entry of the packages, and no dead link", () => {
  console.log(`${count} pages, ${links} links`);
  assertEquals(pages.map(({ url }) => url), pagesOf(site).map(urlOf).sort());
  assert(count > 100 && links > 5000);
});

Deno.test("every page has a title, a description and one first heading", () => {
  const titles = new Map<string, string>();
  for (const { url, html } of pages) {
    const [, title = ""] = html.match(/<title>([^<]+)<\/title>/) ?? [];
    const [, description = ""] = html.match(/<meta name="description" content="([^"]+)">/) ?? [];
    assertMatch(title, url === "/" ? /^Sluice/ : /^(?:.+ \| )?Sluice$/, url);
    assert(
      description.length >= 20 && description.length <= 240,
      `${url}: ${description.length} characters: ${description}`,
    );
    assertEquals(html.match(/<h1[ >]/g)?.length, 1, url);
    titles.set(`${title} ${description}`, url);
  }
  assertEquals(titles.size, pages.length, "two pages have the same title and description");
});

Deno.test("a link to a page, a heading or a file that is not there is found", async () => {
  const folder = await Deno.makeTempDir();
  const root = new URL(`file://${folder}/`);
  const links = ["/", "/a#there", "/a#missing", "/b", "/picture.svg", "/no.svg", "https://elsewhere.example/x"];
  await Deno.writeTextFile(`${folder}/index.html`, links.map((link) => `<a href="${link}">x</a>`).join(""));
  await Deno.writeTextFile(`${folder}/a.html`, `<h2 id="there">x</h2>`);
  await Deno.writeTextFile(`${folder}/picture.svg`, "");
  const { checked, dead } = await deadLinks(root, await builtPages(root));
  await Deno.remove(folder, { recursive: true });
  assertEquals(checked, 6);
  assertEquals(dead, ["/: /a#missing", "/: /b", "/: /no.svg"]);
});

Deno.test("the reference describes every export of every entry, with its own heading", async () => {
  const reference = pages.filter(({ url }) => url.startsWith("/reference/"));
  const headings = new Set(
    reference.flatMap(({ html }) => Array.from(html.matchAll(/<h2 id="([^"]+)"/g), ([, id]) => id!)),
  );
  const packages = await readPackages();
  const names = packages.flatMap(({ entries }) => entries).flatMap(({ symbols }) => symbols.map(({ name }) => name));
  assert(names.length > 300);
  assertEquals(names.filter((name) => !headings.has(name)), []);
});

Deno.test("the reference shows nothing that is internal", () => {
  for (const { path, text } of pagesOf(site).filter(({ path }) => path.startsWith("reference/"))) {
    // for packages made from the framework, such as @sluice/express
    if (path === "reference/sluice/profile.md") continue;
    assertEquals(text.match(/\[\w+Key\]|answerPage|@internal|\{@link/)?.[0], undefined, path);
  }
});

Deno.test("what is declared as a class and an interface is described by the class", () => {
  const { text } = pagesOf(site).find(({ path }) => path === "reference/sluice/responses.md")!;
  assertMatch(text, /^## FrameworkResponse <Badge [^>]*text="class" \/> \{#FrameworkResponse\}\n\nExpress's response/m);
});

Deno.test("llms.txt names every page but the first, and the text of each is a file", async () => {
  const text = await Deno.readTextFile(new URL("llms.txt", dist));
  const named = Array.from(text.matchAll(/^- \[.+\]\(\/(.+?)\): ./gm), ([, path]) => path!);
  assertEquals(named.toSorted(), site.sections.flatMap((section) => section.pages.map(({ path }) => path)).sort());
  for (const path of named) assertMatch(await Deno.readTextFile(new URL(path, dist)), /^# /m, path);
  const full = await Deno.readTextFile(new URL("llms-full.txt", dist));
  assertStringIncludes(full, "# WebSockets");
  assertStringIncludes(full, "function rateLimit(options?: RateLimitOptions)");
});

Deno.test("llms-small.txt has whatever of Sluice the solutions of the tasks use", async () => {
  const text = await Deno.readTextFile(new URL("llms-small.txt", dist));
  const known = [express(), express.request, express.response, Array.prototype];
  let count = 0;
  for (const { name } of TASKS) {
    const code = await Deno.readTextFile(new URL(`../models/solutions/${name}.ts`, import.meta.url));
    const imports = code.matchAll(/^import (?:(\w+),? ?)?(?:type )?(?:\{ (.*) \} )?from "(@sluice\/[\w/-]+)";$/gm);
    for (const [, , names = "", specifier] of imports) {
      assertMatch(text, new RegExp(`${specifier}(?![\\w/-])`), `${name}: ${specifier}`);
      for (const one of names.split(/, (?:type )?|^type /)) assertStringIncludes(text, one, `${name}: ${specifier}`);
    }
    for (const [, member] of code.matchAll(/\b(?:app|req|res|ws|events|measure|session|data)\.(\w+)/g)) {
      count++;
      if (known.some((object) => member! in object)) continue;
      assertMatch(text, new RegExp(`\\b${member}\\b`), `${name} uses ${member}`);
    }
  }
  assert(count > 100, String(count));
});

Deno.test("llms-small.txt has the API by example, all options and what errors say, in 100 kB", async () => {
  const text = await Deno.readTextFile(new URL("llms-small.txt", dist));
  const bytes = new TextEncoder().encode(text).length;
  assert(MOST_BYTES === 100_000 && bytes <= MOST_BYTES, `${bytes} bytes: leave something out in llms_small.ts`);
  // every included page's subject, and each kind of list
  for (const title of ["Routing", "Errors", "WebSockets", "Testing", "An MCP server", "Options", "What errors say"]) {
    assertStringIncludes(text, `\n# ${title}\n`);
  }
  assertStringIncludes(text, "- `maxAge?: number | null` The cookie's lifetime in ms.");
  assertMatch(text, /^- `session` maxAge: use cookie: \{ maxAge \} \//m);
  // links, tabs and comments are for the site's readers
  assertEquals(text.match(/\]\((?:\/|\.\.?\/|https?:)|^```\w+ \[|<!--|\{@link/gm), null);
});
