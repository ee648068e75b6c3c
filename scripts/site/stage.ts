/**
 * Assembles the sources from which VitePress builds the site. They are outside `docs/`: some pages come from other
 * folders, the reference is generated, and VitePress needs its packages next to them.
 */
import { REPOSITORY } from "../npm_manifest.ts";
import { type FilledSection, homePage, type Page, urlOf, writtenPages } from "./pages.ts";
import { withTabs } from "./markdown.ts";
import { decisionsIndex } from "./decisions.ts";
import { referenceSections } from "./reference/reference.ts";

const ROOT = new URL("../../", import.meta.url);

/** The site's contents. */
export interface Site {
  readonly home: Page;
  readonly sections: readonly FilledSection[];
}

/** A VitePress navigation entry. */
interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Item[];
  readonly collapsed?: boolean;
}

/** Reads all pages, and generates the reference. */
export async function readSite(): Promise<Site> {
  const [home, written, reference] = await Promise.all([homePage(), writtenPages(), referenceSections()]);
  const sections = written.map((section) =>
    section.title === "Decisions" ? { ...section, pages: [decisionsIndex(section.pages), ...section.pages] } : section
  ).filter(({ pages }) => pages.length > 0);
  const before = sections.findIndex(({ title }) => title === "In production");
  return { home, sections: sections.toSpliced(before, 0, ...reference) };
}

/** All pages, in navigation order. */
export function pagesOf({ home, sections }: Site): Page[] {
  return [home, ...sections.flatMap(({ pages }) => pages)];
}

/**
 * Writes the site's sources. Unchanged files are not touched, so that a watching server does not reload everything.
 *
 * @param folder The output folder
 */
export async function stage(site: Site, folder: URL): Promise<void> {
  const files = new Map<string, string | Uint8Array>(
    pagesOf(site).map(({ path, text }) => [path, withTabs(text)]),
  );
  for (const path of ["config.ts", "theme/index.ts", "theme/tabs.ts", "theme/style.css"]) {
    files.set(`.vitepress/${path}`, await Deno.readTextFile(new URL(`docs/.vitepress/${path}`, ROOT)));
  }
  files.set(".vitepress/site.json", JSON.stringify(settingsOf(site), null, 2));
  for (const [path, picture] of await pictures()) files.set(`public/${path}`, picture);
  await removeOthers(folder, files);
  for (const [path, content] of files) {
    const file = new URL(path, folder);
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const former = await Deno.readFile(file).catch(() => new Uint8Array());
    if (former.length === bytes.length && former.every((byte, i) => byte === bytes[i])) continue;
    await Deno.mkdir(new URL(".", file), { recursive: true });
    await Deno.writeFile(file, bytes);
  }
}

/** Settings missing from the VitePress configuration. */
function settingsOf(site: Site): unknown {
  const itemOf = ({ title, isClosed, pages }: FilledSection): Item => {
    // a page titled like its section becomes the section's link
    const [first] = pages.filter((page) => page.title === title);
    return {
      text: title,
      ...first === undefined ? {} : { link: urlOf(first) },
      collapsed: isClosed,
      items: [
        ...pages.filter((page) => page !== first).map((page) => ({ text: page.title, link: urlOf(page) })),
        ...site.sections.filter(({ within }) => within === title).map(itemOf),
      ],
    };
  };
  const sidebar = site.sections.filter(({ within }) => within === undefined).map(itemOf);
  const nav = ["Start", "Guides", "Packages", "Reference"].flatMap((title): Item[] => {
    const first = site.sections.find((section) => section.title === title)?.pages[0];
    return first === undefined ? [] : [{ text: title, link: urlOf(first) }];
  });
  return {
    repository: REPOSITORY,
    description: site.home.description,
    nav,
    sidebar,
    // VitePress puts them into an attribute unescaped
    descriptions: Object.fromEntries(
      pagesOf(site).map(({ path, description }) => [path, description.replaceAll(/"([^"]*)"?/g, "“$1”")]),
    ),
  };
}

async function pictures(): Promise<[string, string | Uint8Array][]> {
  const found: [string, string | Uint8Array][] = [];
  for (const folder of ["docs/", "docs/public/"]) {
    for await (const { name } of Deno.readDir(new URL(folder, ROOT))) {
      const file = new URL(folder + name, ROOT);
      if (name.endsWith(".svg")) found.push([name, await Deno.readTextFile(file)]);
      if (name.endsWith(".png")) found.push([name, await Deno.readFile(file)]);
    }
  }
  return found;
}

/** Removes stale pages from an earlier run. */
async function removeOthers(folder: URL, files: ReadonlyMap<string, unknown>): Promise<void> {
  async function visit(path: string): Promise<void> {
    for await (const { name, isDirectory } of Deno.readDir(new URL(path, folder))) {
      if (isDirectory && path === ".vitepress/" && name !== "theme") continue;
      if (isDirectory) await visit(`${path}${name}/`);
      else if (!files.has(path + name)) await Deno.remove(new URL(path + name, folder));
    }
  }
  await Deno.mkdir(folder, { recursive: true });
  await visit("");
}
