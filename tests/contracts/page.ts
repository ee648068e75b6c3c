import type { Chapter, Feature } from "./case.ts";
import type { Outcome, Subject } from "./app_contract.ts";

type Described = Pick<Subject, "name" | "gaps" | "noticesResets">;

/**
 * Writes the page about the runtimes.
 *
 * @param contract The contract
 * @param subjects The ways to run the program, in the order of the columns
 * @param outcomes How each case ended, by the subject's name and the case's
 * @returns The page in Markdown, as `deno fmt` leaves it
 */
export function runtimesPage(
  contract: readonly Chapter[],
  subjects: readonly Described[],
  outcomes: ReadonlyMap<string, ReadonlyMap<string, Outcome>>,
): string {
  const cell = (subject: Described, name: string): string => {
    const outcome = outcomes.get(subject.name)!.get(name)!;
    if (outcome instanceof Error) return "fails";
    return outcome === "passed" ? "yes" : `no ${outcome}`;
  };
  const chapters = contract.map(({ title, cases }) => {
    const rows = cases.map(({ name }) => [name, ...subjects.map((subject) => cell(subject, name))]);
    return `## ${title}\n\n${table(["case", ...subjects.map(({ name }) => name)], rows)}`;
  });
  const sums = subjects.map((subject) => {
    const all = [...outcomes.get(subject.name)!.values()];
    const passed = all.filter((outcome) => outcome === "passed").length;
    const failed = all.filter((outcome) => outcome instanceof Error).length;
    return [subject.name, String(passed), String(failed), String(all.length - passed - failed)];
  });
  const gaps = subjects.flatMap(({ name, gaps }) =>
    (Object.keys(gaps) as Feature[]).map((feature) => `- **${name}**, no ${feature}: ${gaps[feature]}.`)
  );
  const resets = subjects.filter(({ noticesResets }) => noticesResets).map(({ name }) =>
    `- **${name}** notices a client that leaves before its answer only if it resets the connection.`
  );
  const count = contract.reduce((total, { cases }) => total + cases.length, 0);
  return `# One program on every runtime

<!-- Written by tests/runtime/contract_test.ts; do not edit.
SLUICE_WRITE_DOCS=1 deno task test --only=tests/runtime/contract_test.ts -->

[One program](../tests/contracts/program.ts), ${count} cases, and every way its users have to run it, over real sockets but
for the plain \`app.fetch\`.

${table(["runtime", "passes", "fails", "gaps"], sums)}

${[...gaps, ...resets].join("\n")}

${chapters.join("\n\n")}
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [line(head), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rows.map(line)].join("\n");
}
