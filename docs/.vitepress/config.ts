import { defineConfig } from "vitepress";
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
  },
  transformPageData(page) {
    page.description = site.descriptions[page.relativePath as keyof typeof site.descriptions] ?? page.description;
  },
  themeConfig: {
    logo: "/drop.svg",
    nav: site.nav,
    sidebar: site.sidebar,
    outline: { level: [2, 3] },
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: site.repository }],
    docFooter: { prev: "Before", next: "Next" },
  },
});
