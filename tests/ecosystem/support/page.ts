/** What the run found out about one program. */
export interface Finding {
  /** Packages the program stands for. */
  readonly packages: readonly string[];
  /** Requests that were compared. */
  readonly compared: number;
  /** Requests whose answers differ, with the reason. */
  readonly differing: readonly string[];
  /** What a user should know. */
  readonly note: string | undefined;
}

/**
 * Writes the page about npm's middleware.
 *
 * @param findings What the run found out, in the order of the table
 * @param versions Version of every package
 * @returns The page in Markdown, as `deno fmt` leaves it
 */
export function ecosystemPage(findings: readonly Finding[], versions: Readonly<Record<string, string>>): string {
  const rows = findings.map(({ packages, compared, differing, note }) => {
    const remarks = [note, ...new Set(differing)].filter((text) => text !== undefined);
    return [
      packages.map((name) => `\`${name}\``).join(", "),
      packages.map((name) => versions[name] ?? "?").join(", "),
      remarks.length === 0 ? "works" : "works with a note",
      String(compared),
      String(differing.length),
      remarks.join("; "),
    ];
  });
  const sum = (count: (finding: Finding) => number) => findings.reduce((total, finding) => total + count(finding), 0);
  const compared = sum((finding) => finding.compared);
  const differing = sum((finding) => finding.differing.length);
  const packages = sum((finding) => finding.packages.length);
  return `# Express's ecosystem

<!-- Written by tests/ecosystem; do not edit. SLUICE_WRITE_DOCS=1 deno task test --only=tests/ecosystem -->

${packages} packages run unmodified on Deno, each used as its README says, in a program that runs on real Express too.

The same requests went to both, and status, headers and body were compared: **${compared} requests compared, ${differing} differ**.

${table(["package", "version", "verdict", "requests", "differ", "note"], rows)}
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join("\n");
}
