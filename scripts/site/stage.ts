/**
 * Puts together what VitePress makes the site of. It stands outside of `docs/`: some pages are files of other folders, the
 * reference is generated, and VitePress needs its packages beside them.
 */
import { REPOSITORY } from "../npm_manifest.ts";
import { type FilledSection, homePage, type Page, urlOf, writtenPages } from "./pages.ts";
import { withTabs } from "./markdown.ts";
import { decisionsIndex } from "./decisions.ts";
import { referenceSections } from "./reference/reference.ts";

const ROOT = new URL("../../", import.meta.url);

/** What the site consists of. */
export interface Site {
  readonly home: Page;
  readonly sections: readonly FilledSection[];
}

/** An entry of the navigation, as VitePress has it. */
interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Item[];
  readonly collapsed?: boolean;
}

/** Reads all pages, and generates those of the reference. */
export async function readSite(): Promise<Site> {
  const [home, written, reference] = await Promise.all([homePage(), writtenPages(), referenceSections()]);
  const sections = written.map((section) =>
    section.title === "Decisions" ? { ...section, pages: [decisionsIndex(section.pages), ...section.pages] } : section
  ).filter(({ pages }) => pages.length > 0);
  const before = sections.findIndex(({ title }) => title === "In production");
  return { home, sections: sections.toSpliced(before, 0, ...reference) };
}

/** All pages, in the order of the navigation. */
export function pagesOf({ home, sections }: Site): Page[] {
  return [home, ...sections.flatMap(({ pages }) => pages)];
}

/**
 * Writes the sources of the site. Files that have not changed are left alone, so that a server that watches them does
 * not load everything again.
 *
 * @param folder Where to
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

/** What the configuration of VitePress does not say itself. */
function settingsOf(site: Site): unknown {
  const itemOf = ({ title, isClosed, pages }: FilledSection): Item => {
    // what says no more than the section does is its title
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
    // VitePress puts them into an attribute as they are
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

/** Removes pages of an earlier run that are no longer there. */
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
