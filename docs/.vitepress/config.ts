import { defineConfig, type MarkdownRenderer } from "vitepress";
import site from "./site.json" with { type: "json" };

export default defineConfig({
  lang: "en",
  title: "Sluice",
  description: site.description,
  head: [["link", { rel: "icon", type: "image/svg+xml", href: "/drop.svg" }]],
  cleanUrls: true,
  // of programs that the reader has started
  ignoreDeadLinks: "localhostLinks",
  // programs of servers that Shiki does not know
  markdown: {
    languageAlias: { caddyfile: "nginx", haproxy: "nginx" },
    theme: { light: "github-light", dark: "github-dark" },
    codeTransformers: [{ name: "indent", line: keepIndent }],
    config: showFileNames,
  },
  transformPageData(page) {
    page.description = site.descriptions[page.relativePath as keyof typeof site.descriptions] ?? page.description;
  },
  themeConfig: {
    logo: "/drop.svg",
    nav: site.nav,
    sidebar: site.sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // VitePress sends the function to browsers as text: it may use nothing from outside
        miniSearch: {
          searchOptions: {
            boostDocument(id, term, { title = "", titles }) {
              // what is below no other heading is the page itself
              const whole = Array.isArray(titles) && titles.length === 0 ? 1.3 : 1;
              const isNamed = whole > 1 && String(title).toLowerCase().includes(term) ? 2 : 1;
              if (/^\/(?:guide\/|websockets|all-cores|recipes)/.test(id)) return 5 * whole * isNamed;
              if (/^\/(?:start|tutorial|limits)\//.test(id)) return 2 * whole;
              if (!/^\/(?:reference|decisions|measurements|changelog)/.test(id)) return whole;
              // the very name that was typed, unless it is an ordinary word, too, such as "session"
              const name = String(title);
              return /[a-z][A-Z]/.test(name) && name.toLowerCase() === term ? 2 : 0.3;
            },
          },
        },
      },
    },
    socialLinks: [{ icon: "github", link: site.repository }],
    docFooter: { prev: "Before", next: "Next" },
  },
});

/** A part of a line of code, as Shiki has it. */
interface Part {
  readonly value?: string;
  readonly children?: readonly Part[];
}

/** Tells the style sheet how far a line is indented, so that what does not fit goes on further in. */
function keepIndent(line: Part & { readonly properties: Record<string, unknown> }): void {
  const [indent = ""] = textOf(line).match(/^ */) ?? [];
  line.properties["style"] = `--indent:${indent.length}`;
}

function textOf({ value, children = [] }: Part): string {
  return value ?? children.map(textOf).join("");
}

/** Shows the path of a file, as in `ts [app.ts]`, above its block; VitePress does so in groups of tabs alone. */
function showFileNames(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules;
  if (fence === undefined) throw new Error("VitePress has no rule for blocks of code");
  md.renderer.rules.fence = (tokens, i, options, env, self) => {
    // VitePress takes it out of the token
    const path = tokens[i]!.info.match(/\[(.+)\]/)?.[1];
    const html = fence(tokens, i, options, env, self);
    const opened = tokens.slice(0, i).findLast(({ type }) => type.startsWith("container_code-group"));
    if (path === undefined || opened?.type === "container_code-group_open") return html;
    return `<figure class="file"><figcaption>${md.utils.escapeHtml(path)}</figcaption>${html}</figure>`;
  };
}
