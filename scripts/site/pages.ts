/** The documentation site's pages: their files, addresses and contents. */
import { ADDRESSES, type Section, SECTIONS } from "../../docs/.vitepress/navigation.ts";
import { REPOSITORY } from "../npm_manifest.ts";
import { descriptionOf, titleOf, withLinks, withWholeFiles } from "./markdown.ts";
import { join, relative } from "node:path/posix";

const ROOT = new URL("../../", import.meta.url);

/** A page. */
export interface Page {
  /** Its file on the site, such as `guide/routing.md`. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

/** A section with its pages. */
export interface FilledSection {
  readonly title: string;
  readonly isClosed: boolean;
  /** The parent section's title, if any. */
  readonly within?: string;
  readonly pages: readonly Page[];
}

/** Returns a repository file's address on the site. */
export function addressOf(file: string): string {
  return ADDRESSES[file] ?? file.slice("docs/".length);
}

/** Returns a page's URL, without the file extension. */
export function urlOf({ path }: { readonly path: string }): string {
  return `/${path.replace(/(?:(^|\/)index)?\.md$/, "$1")}`;
}

/** The home page, which is in no section. */
export async function homePage(): Promise<Page> {
  return await readPage("docs/index.md", new Set());
}

/**
 * Returns all other hand-written pages.
 *
 * @throws {Error} If a page has no title or description, or is in no section or in two
 */
export async function writtenPages(): Promise<FilledSection[]> {
  const files: string[][] = [];
  const named = SECTIONS.flatMap(({ pages = [] }) => pages);
  for (const section of SECTIONS) files.push(await filesOf(section, new Set(named)));
  const all = files.flat();
  const twice = all.find((file, i) => all.indexOf(file) !== i);
  if (twice !== undefined) throw new Error(`docs/.vitepress/navigation.ts has ${twice} in two sections`);
  const known = new Set(all);
  for (const file of [...await markdownIn("docs"), ...await markdownInFolders("docs")]) {
    if (file === "docs/index.md" || known.has(file)) continue;
    throw new Error(`docs/.vitepress/navigation.ts has ${file} in no section`);
  }
  return await Promise.all(SECTIONS.map(async ({ title, isClosed = false }, i) => ({
    title,
    isClosed,
    pages: await Promise.all(files[i]!.map((file) => readPage(file, known))),
  })));
}

async function readPage(file: string, known: ReadonlySet<string>): Promise<Page> {
  const source = await Deno.readTextFile(new URL(file, ROOT));
  const [title, description] = [titleOf(source), descriptionOf(source)];
  if (title === undefined || description === undefined) {
    throw new Error(`${file} has no ${title === undefined ? "title" : "paragraph that says what it is about"}`);
  }
  const path = addressOf(file);
  const whole = await withWholeFiles(source, (target) => Deno.readTextFile(new URL(join(file, "..", target), ROOT)));
  return { path, title, description, text: withLinks(whole, (target) => linkOnSite(target, file, known)) };
}

/** Converts a link in a repository file: to a page on the site, or to the file on GitHub. */
function linkOnSite(target: string, file: string, known: ReadonlySet<string>): string {
  if (/^(?:[a-z]+:|#|\/)/.test(target)) return target;
  const [name = "", hash] = target.split("#");
  const path = join(file, "..", decodeURI(name)).replace(/\/$/, "");
  const anchor = hash === undefined ? "" : `#${hash}`;
  if (path === "docs/decisions") return relative(join(addressOf(file), ".."), "decisions/index.md");
  if (known.has(path)) return relative(join(addressOf(file), ".."), addressOf(path)) + anchor;
  if (path.startsWith("docs/") && /\.(?:svg|png)$/.test(path)) return `/${path.slice("docs/".length)}`;
  return `${REPOSITORY}/${path.includes(".") ? "blob" : "tree"}/main/${path}${anchor}`;
}

/** A section's files, in order. */
async function filesOf({ pages = [], folder }: Section, named: ReadonlySet<string>): Promise<string[]> {
  if (folder === undefined) return [...pages];
  const present = await markdownIn(`docs/${folder}`);
  const index = `docs/${folder}/index.md`;
  const linked: string[] = [];
  if (present.includes(index)) {
    linked.push(index);
    withLinks(await Deno.readTextFile(new URL(index, ROOT)), (target) => {
      linked.push(join(index, "..", target.split("#")[0]!));
      return target;
    });
  }
  const own = new Set([...present, ...pages]);
  const first = linked.filter((file) => own.has(file));
  const rest = present.filter((file) => !named.has(file));
  return [...new Set([...first, ...pages, ...rest])];
}

async function markdownIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const { name } of Deno.readDir(new URL(folder, ROOT))) {
      if (name.endsWith(".md")) found.push(`${folder}/${name}`);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.sort();
}

async function markdownInFolders(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory && !name.startsWith(".")) found.push(...await markdownIn(`${folder}/${name}`));
  }
  return found;
}
