/** A built page's code blocks as a reader sees them, without the sources. */

/** A code block. */
export interface BuiltBlock {
  readonly language: string;
  /** Its contents. */
  readonly code: string;
  /** File path, if the block names a file. */
  readonly path?: string;
}

/** Blocks shown one at a time, each with its tab's name. */
export interface BuiltTabs {
  readonly tabs: ReadonlyMap<string, BuiltBlock>;
}

const PARTS = new RegExp(
  [
    '<div class="vp-code-group[^>]*><div class="tabs">(?<tabs>.*?)</div>',
    "<figcaption>(?<path>[^<]*)</figcaption>",
    '<div class="language-(?<language>\\w*)[^>]*>.*?<code[^>]*>(?<code>.*?)</code></pre></div>',
  ].join("|"),
  "gs",
);

/**
 * A page's blocks, in order.
 *
 * @param html The page
 */
export function builtBlocks(html: string): (BuiltBlock | BuiltTabs)[] {
  const found: (BuiltBlock | BuiltTabs)[] = [];
  let path: string | undefined;
  let names: string[] = [];
  let tabs = new Map<string, BuiltBlock>();
  for (const { groups } of html.matchAll(PARTS)) {
    if (groups!["tabs"] !== undefined) {
      names = Array.from(groups!["tabs"].matchAll(/<label[^>]*>(.*?)<\/label>/g), ([, name]) => textOf(name!));
      tabs = new Map();
      found.push({ tabs });
    } else if (groups!["path"] !== undefined) {
      path = textOf(groups!["path"]);
    } else {
      const [language, code] = [groups!["language"]!, `${textOf(groups!["code"]!)}\n`];
      const block = { language, code, ...path === undefined ? {} : { path } };
      const name = names.shift();
      if (name === undefined) found.push(block);
      else tabs.set(name, block);
      path = undefined;
    }
  }
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&" };

function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, "").replaceAll(
    /&(?:#(?:x([\da-f]+)|(\d+))|(\w+));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(hex, 16));
    },
  );
}
