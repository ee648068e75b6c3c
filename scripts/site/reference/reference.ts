/** The reference pages, generated from the documentation comments. */
import type { FilledSection, Page } from "../pages.ts";
import { CATEGORIES, type Category, categoryOf } from "./categories.ts";
import { docMarkdown, escaped, type Places } from "./doc_markdown.ts";
import { symbolMarkdown } from "./symbol_markdown.ts";
import { type PackageEntry, type PackageReference, type PublicSymbol, readPackages } from "./symbols.ts";
import { plainText, shortened } from "../markdown.ts";

/** Number of symbols above which an entry point has one page per category. */
const ONE_PAGE = 30;

/** A page before rendering: the symbols it describes. */
interface Outline {
  readonly path: string;
  readonly title: string;
  readonly entry: PackageEntry;
  readonly category?: Category;
  readonly symbols: readonly PublicSymbol[];
}

/** Returns all reference pages: an overview first, then a section for each package. */
export async function referenceSections(): Promise<FilledSection[]> {
  const packages = await readPackages();
  const outlines = new Map(packages.map((one) => [one, outlinesOf(one)]));
  const places = placesOf(outlines);
  const sections = packages.map((one): FilledSection => ({
    title: one.name,
    isClosed: true,
    within: "Reference",
    pages: outlines.get(one)!.map((outline) => pageOf(outline, outlines.get(one)!, places(one))),
  }));
  return [{ title: "Reference", isClosed: false, pages: [indexOf(sections)] }, ...sections];
}

/** Plans a package's pages. A symbol exported by several entry points is described at the first of them. */
function outlinesOf({ name, entries }: PackageReference): Outline[] {
  const described = new Set<string>();
  return entries.flatMap((entry): Outline[] => {
    const symbols = entry.symbols.filter(({ key }) => !described.has(key)).toSorted((a, b) => rank(a) - rank(b));
    for (const { key } of symbols) described.add(key);
    const base = `reference/${entry.path.replace("/", " ").replaceAll("/", "-").replace(" ", "/")}`;
    const path = entry.path.includes("/") ? base : `${base}/index`;
    const categories = CATEGORIES[name];
    if (categories === undefined || symbols.length <= ONE_PAGE) {
      return [{ path: `${path}.md`, title: entry.specifier, entry, symbols }];
    }
    const grouped = Map.groupBy(symbols, (symbol) => categoryOf(entry.specifier, symbol, categories));
    const folder = entry.path.includes("/") ? `${base}-` : `${base}/`;
    // few readers look for Express type names
    const inOrder = categories.filter((one) => grouped.has(one)).toSorted((a, b) => isLast(a) - isLast(b));
    return [
      { path: `${path}.md`, title: entry.specifier, entry, symbols: [] },
      ...inOrder.map((category): Outline => ({
        path: `${folder}${category.slug}.md`,
        title: entry.path.includes("/")
          ? `${category.title} (${entry.path.split("/").slice(1).join("/")})`
          : category.title,
        entry,
        category,
        symbols: grouped.get(category)!,
      })),
    ];
  });
}

/** Functions come before types. */
function rank({ name, kind }: PublicSymbol): number {
  if (name === "default") return 0;
  return ["class", "function", "variable"].includes(kind) ? 1 : 2;
}

function isLast({ slug }: Category): number {
  return ["express-names", "helpers"].includes(slug) ? 1 : 0;
}

/** Finds where a name is described: in the same package, otherwise in any package. */
function placesOf(outlines: ReadonlyMap<PackageReference, readonly Outline[]>): (asking: PackageReference) => Places {
  const byPackage = new Map(Array.from(outlines, ([one, pages]) => [
    one,
    new Map(pages.flatMap(({ path, symbols }) => symbols.map((symbol) => [symbol.name, { path, symbol }] as const))),
  ]));
  return (asking) => ({
    find: (name) =>
      byPackage.get(asking)!.get(name) ?? [...byPackage.values()].find((names) => names.has(name))?.get(name),
  });
}

function pageOf(outline: Outline, all: readonly Outline[], places: Places): Page {
  const { path, title, entry, category, symbols } = outline;
  const about = category?.description ?? plainText(docMarkdown(entry.doc.doc ?? "", places).split("\n\n")[0]!);
  const of = category === undefined ? "" : ` Part of \`${entry.specifier}\`.`;
  const others = all.filter((one) => one.entry === entry && one !== outline);
  const isOverview = category === undefined && others.length > 0;
  const text = [
    `---\ntitle: "${title}"\noutline: ${symbols.length > 12 ? 2 : "[2, 3]"}\n---`,
    // a symbol might have the page's own name
    `# ${title} {#top}`,
    category === undefined ? docMarkdown(entry.doc.doc ?? "", places) : `${about}${of}`,
    ...(category === undefined ? examplesOf(entry, places) : []),
    ...(isOverview ? others.map((one) => overviewOf(one, places)) : [overviewTable(symbols, places)]),
    ...symbols.map((symbol) => symbolMarkdown(symbol, entry.specifier, places)),
    ...(category === undefined ? [alsoExported(entry, all, places)] : []),
  ].filter((part) => part !== "");
  return { path, title, description: shortened(about.replaceAll("`", "")), text: text.join("\n\n") + "\n" };
}

function examplesOf({ doc }: PackageEntry, places: Places): string[] {
  return (doc.tags ?? []).filter(({ kind }) => kind === "example").map(({ doc = "" }) => {
    const [title = "", ...rest] = doc.split("\n");
    return `**${title}**\n\n${docMarkdown(rest.join("\n"), places)}`;
  });
}

function overviewOf({ title, category, symbols }: Outline, places: Places): string {
  return [`## ${title}`, category?.description ?? "", overviewTable(symbols, places)].join("\n\n");
}

/** One line per symbol. */
function overviewTable(symbols: readonly PublicSymbol[], places: Places): string {
  if (symbols.length === 0) return "";
  const rows = symbols.map((symbol) => {
    const [first = ""] = docMarkdown(symbol.doc.doc ?? "", places).split("\n\n");
    const sentence = first.replaceAll("\n", " ").match(/^.*?[.:](?=\s|$)/)?.[0] ?? first;
    return `| [${symbolTitle(symbol)}](${linkTo(symbol.name, places)}) | ${
      sentence.replace(/:$/, ".").replaceAll("|", "\\|")
    } |`;
  });
  return `| name | what |\n| --- | --- |\n${rows.join("\n")}`;
}

function symbolTitle({ name }: PublicSymbol): string {
  return name === "default" ? "the default export" : `\`${name}\``;
}

function linkTo(name: string, places: Places): string {
  const { path } = places.find(name)!;
  return `/${path}#${name}`;
}

/** Lists the entry point's other exports, and where they are described. */
function alsoExported(entry: PackageEntry, all: readonly Outline[], places: Places): string {
  const own = new Set(all.filter((one) => one.entry === entry).flatMap(({ symbols }) => symbols.map(({ key }) => key)));
  const others = entry.symbols.filter(({ key }) => !own.has(key));
  if (others.length === 0) return "";
  return `## Also exported\n\n${others.map((one) => `[\`${one.name}\`](${linkTo(one.name, places)})`).join(" · ")}`;
}

function indexOf(sections: readonly FilledSection[]): Page {
  const description = "Every export of every package: options, defaults, units, errors and examples.";
  const lists = sections.map(({ title, pages }) => {
    const rows = pages.map((page) => `| [${page.title}](/${page.path}) | ${escaped(page.description)} |`);
    return `## ${title}\n\n| page | what |\n| --- | --- |\n${rows.join("\n")}`;
  });
  const intro = `${description} It is made of the comments in the sources, which editors show as well.`;
  return {
    path: "reference/index.md",
    title: "All packages",
    description,
    text: ["# Reference", intro, ...lists].join("\n\n") + "\n",
  };
}
