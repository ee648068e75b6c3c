import type { Page } from "./pages.ts";

/** The list of all decisions, of which each record is a page. */
export function decisionsIndex(records: readonly Page[]): Page {
  const rows = records.map(({ path, title, description }) =>
    `- [${title.replace(/^\d+\. /, "")}](${path.slice("decisions/".length)}) <small>${
      path.match(/\d{4}/)?.[0]
    }</small>` +
    `<br>${description.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")}`
  );
  const description = "Why things are as they are: each unusual choice, what it costs, and what was tried instead.";
  return {
    path: "decisions/index.md",
    title: "All decisions",
    description,
    text: `# Decisions\n\n${description}\n\n${rows.join("\n")}\n`,
  };
}
