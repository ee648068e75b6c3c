import type { Flaw, Theme } from "./flaw.ts";

/**
 * Writes the ledger page.
 *
 * @param ledger The themes, in order
 * @returns The page in Markdown, unformatted
 */
export function ledgerPage(ledger: readonly Theme[]): string {
  const all = ledger.flatMap(({ flaws }) => flaws);
  const open = all.filter((flaw) => flaw.open !== undefined);
  return `# CVE ledger

<!-- Written by tests/security/ledger_test.ts; do not edit.
SLUICE_WRITE_DOCS=1 deno task test --only=tests/security -->

Vulnerabilities of Express, its packages, other frameworks and the runtimes, and how Sluice responds to the same attacks.
Each class has a test: ${all.length} classes, ${
    countOf(all)
  } identifiers. Tests of framing and connections run over raw sockets on Deno, Node and Bun; the others send requests to an
application in process.

${
    open.length === 0
      ? "Sluice withstands all of them."
      : `Sluice withstands ${all.length - open.length}. ${open.length} are open, in bold.`
  }

${ledger.map(section).join("\n\n")}
`;
}

function countOf(flaws: readonly Flaw[]): number {
  return flaws.flatMap(({ identifiers }) => identifiers).length;
}

function section({ title, file, flaws }: Theme): string {
  const rows = flaws.map((flaw) => `| ${cellsOf(flaw).map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  return `## ${title}

Test: [${file}](../tests/security/ledger/${file}).

| what went wrong | where | identifiers | Sluice |
| - | - | - | - |
${rows.join("\n")}`;
}

function cellsOf(one: Flaw): string[] {
  const { flaw, package: from, identifiers, here, open } = one;
  const sluice = open === undefined ? `${here[0]!.toUpperCase()}${here.slice(1)}.` : `**Open: ${open}.**`;
  const lacks = "lacks" in one ? Object.entries(one.lacks ?? {}).map(([name, why]) => `; ${name} ${why}`).join("") : "";
  return [flaw, from, identifiers.map(linkOf).join(", "), lacks === "" ? sluice : `${sluice.slice(0, -1)}${lacks}.`];
}

function linkOf(identifier: string): string {
  const site = identifier.startsWith("CVE") ? "https://www.cve.org/CVERecord?id=" : "https://github.com/advisories/";
  return `[${identifier}](${site}${identifier})`;
}
