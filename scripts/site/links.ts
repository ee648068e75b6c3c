/** Links on the built site. */

/** A built page. */
export interface BuiltPage {
  /** Its address: `/guide/routing`. */
  readonly url: string;
  readonly html: string;
}

/** Returns all pages on a built site. */
export async function builtPages(dist: URL, below = ""): Promise<BuiltPage[]> {
  const found: BuiltPage[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(below, dist))) {
    if (isDirectory) found.push(...await builtPages(dist, `${below}${name}/`));
    else if (name.endsWith(".html") && name !== "404.html") {
      const url = `/${below}${name === "index.html" ? "" : name.slice(0, -".html".length)}`;
      found.push({ url, html: await Deno.readTextFile(new URL(below + name, dist)) });
    }
  }
  return found.sort((a, b) => a.url < b.url ? -1 : 1);
}

/** Finds links on these pages to missing pages, headings and files, and counts the checked links. */
export async function deadLinks(dist: URL, pages: readonly BuiltPage[]): Promise<{ checked: number; dead: string[] }> {
  const anchors = new Map(pages.map(({ url, html }) => [
    url,
    new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => unescaped(id!))),
  ]));
  const dead = new Set<string>();
  let checked = 0;
  for (const { url, html } of pages) {
    for (const [, attribute] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      const target = new URL(unescaped(attribute!), `http://site${url}`);
      if (target.host !== "site") continue;
      checked++;
      const path = decodeURI(target.pathname).replace(/\.html$/, "");
      const ids = anchors.get(path);
      const exists = ids === undefined
        ? await Deno.stat(new URL(`.${path}`, dist)).then(({ isFile }) => isFile, () => false)
        : target.hash === "" || ids.has(decodeURIComponent(target.hash.slice(1)));
      if (!exists) dead.add(`${url}: ${attribute}`);
    }
  }
  return { checked, dead: [...dead] };
}

function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
