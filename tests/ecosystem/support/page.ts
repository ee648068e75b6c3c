import { type Difference, RUNTIMES } from "./program.ts";

/** Results for one program. */
export interface Finding {
  /** Packages the program covers. */
  readonly packages: readonly string[];
  /** Number of compared requests. */
  readonly compared: number;
  /** Differences between responses, by runtime. */
  readonly differing: readonly (readonly Difference[])[];
  /** A note for users. */
  readonly note: string | undefined;
}

/**
 * Writes the section on npm middleware.
 *
 * @param findings The results, in table order
 * @param versions Every package's version
 * @returns The section in Markdown, formatted like `deno fmt`
 */
export function middlewareSection(findings: readonly Finding[], versions: Readonly<Record<string, string>>): string {
  const rows = findings.map(({ packages, compared, differing, note }) => {
    const remarks = [note, ...new Set(differing.flat().map(remark))].filter((text) => text !== undefined);
    return [
      packages.map((name) => `\`${name}\``).join(", "),
      packages.map((name) => versions[name] ?? "?").join(", "),
      String(compared),
      ...differing.map(({ length }) => length === 0 ? "works" : `works, ${length} differ${length === 1 ? "s" : ""}`),
      remarks.join("; "),
    ];
  });
  const sum = (count: (finding: Finding) => number) => findings.reduce((total, finding) => total + count(finding), 0);
  const compared = sum((finding) => finding.compared);
  const differing = RUNTIMES.map((runtime, at) =>
    `${sum((finding) => finding.differing[at]!.length)} differ on ${runtime}`
  );
  const packages = sum((finding) => finding.packages.length);
  return `${packages} packages run unmodified on ${
    listed(RUNTIMES)
  }, each used as its README shows, in a program that also runs on Express.

Status, headers and body are compared: **of ${compared} requests, ${listed(differing)}**.

On Bun, the runtime decides which responses have a \`Content-Length\` and which are chunked, whatever a program sets. This
difference is [ignored](express-differences.md#on-bun) there.

${table(["package", "version", "requests", ...RUNTIMES, "note"], rows)}
`;
}

function remark({ why, on }: Difference): string {
  return on === undefined ? why : `on ${listed(on)}, ${why}`;
}

function listed(words: readonly string[]): string {
  return words.join(", ").replace(/, (?=[^,]*$)/, " and ");
}

/** A Markdown table, formatted like `deno fmt`. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join("\n");
}
