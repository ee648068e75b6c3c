import type { Page } from "./pages.ts";

function numberOf(path: string): string {
  return path.match(/\d{4}/)![0];
}

/** Numbers without a record between existing ones. */
function gapsIn(numbers: readonly number[]): number[] {
  const last = Math.max(...numbers);
  return Array.from({ length: last }, (_, i) => i + 1).filter((number) => !numbers.includes(number));
}

/** The index of all decision records; each record is a page. */
export function decisionsIndex(records: readonly Page[]): Page {
  const rows = records.map(({ path, title, description }) =>
    `- [${title.replace(/^\d+\. /, "")}](${path.slice("decisions/".length)}) <small>${numberOf(path)}</small>` +
    `<br>${description.replaceAll("<", "&lt;").replaceAll("{{", "&#123;&#123;")}`
  );
  const gaps = gapsIn(records.map(({ path }) => Number(numberOf(path))));
  const note = `A number is given when work begins and never again: ${
    gaps.join(", ")
  } belong to work that was dropped.`;
  const description = "Why things are as they are: each unusual choice, what it costs, and what was tried instead.";
  return {
    path: "decisions/index.md",
    title: "All decisions",
    description,
    text: `# Decisions\n\n${description}\n\n${rows.join("\n")}\n\n${note}\n`,
  };
}
