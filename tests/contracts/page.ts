import type { Case, Chapter, Feature } from "./case.ts";
import type { Outcome, Subject } from "./app_contract.ts";

type Described = Pick<Subject, "name" | "gaps" | "noticesResets">;

/** A table column. */
interface Column extends Described {
  /** Its heading. */
  readonly code: string;
  /** Each case's result. */
  readonly outcomes: ReadonlyMap<Case, Outcome>;
}

/**
 * Writes the page about runtimes.
 *
 * @param contract The contract
 * @param subjects The ways to run the program, in column order
 * @param outcomes Each case's result, by subject name
 * @returns The page in Markdown, unformatted
 */
export function runtimesPage(
  contract: readonly Chapter[],
  subjects: readonly Described[],
  outcomes: ReadonlyMap<string, ReadonlyMap<Case, Outcome>>,
): string {
  const codes = codesOf(subjects);
  const columns = subjects.map((one, i) => ({ ...one, code: codes[i]!, outcomes: outcomes.get(one.name)! }));
  const resets = columns.filter(({ noticesResets }) => noticesResets).map(({ code }) => code).join(", ");
  const notes = new Notes();
  const chapters = contract.map(({ title, cases }) => {
    const rows = cases.map((one) => [one.name, ...columns.map((column) => cell(column, one, notes))]);
    return `## ${title}\n\n${table(["case", ...codes], rows)}`;
  });
  const count = contract.reduce((total, { cases }) => total + cases.length, 0);
  return `# One program on every runtime

<!-- Written by tests/runtime/contract_test.ts; do not edit.
SLUICE_WRITE_DOCS=1 deno task test --only=tests/runtime/contract_test.ts -->

${count} cases of [one program](../tests/contracts/program.ts), on every way to run it. All use real sockets except the plain \`app.fetch\`.

${table(["", "runtime", "passes", "fails", "gaps", "share of supported", "share of all"], columns.map(sum))}

A gap is a case that needs a feature its runtime lacks. Gaps run as well: once all cases of a gap pass, the test run fails until the gap is removed from the list.

${notes.text}
- ${resets} detect a disconnect before the response only if the client resets the connection.

${chapters.join("\n\n")}
`;
}

/** The gaps, one per reason; cells refer to them by letter. */
class Notes {
  readonly #notes = new Map<string, { letter: string; feature: Feature; reason: string; codes: Set<string> }>();

  letterOf(feature: Feature, { code, gaps }: Column): string {
    const reason = gaps[feature]!;
    const key = `${feature} ${reason}`;
    const letter = letters(this.#notes.size);
    const note = this.#notes.get(key) ?? { letter, feature, reason, codes: new Set() };
    note.codes.add(code);
    this.#notes.set(key, note);
    return note.letter;
  }

  get text(): string {
    const lines = [...this.#notes.values()].map(({ letter, feature, reason, codes }) =>
      `- **${letter}** ${[...codes].join(", ")}: no ${feature}: ${reason}.`
    );
    return lines.join("\n");
  }
}

// a to z, then aa
function letters(index: number): string {
  const last = String.fromCharCode("a".charCodeAt(0) + index % 26);
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}

function cell(column: Column, one: Case, notes: Notes): string {
  const { gaps: [gap], error } = column.outcomes.get(one)!;
  // such a case may pass depending on timing, and the page must not depend on it
  if (gap !== undefined) return notes.letterOf(gap, column);
  return error === null ? "✓" : "fails";
}

function sum({ code, name, outcomes }: Column): string[] {
  const all = [...outcomes.values()];
  const able = all.filter(({ gaps }) => gaps.length === 0);
  const passed = able.filter(({ error }) => error === null).length;
  const counts = [passed, able.length - passed, all.length - able.length].map(String);
  const share = (of: number) => `${(100 * passed / of).toFixed(1)} %`;
  return [code, name, ...counts, share(able.length), share(all.length)];
}

/** Short headings for wide tables: a letter, and a number if several names begin with it. */
function codesOf(subjects: readonly Described[]): string[] {
  const letters = subjects.map(({ name }) => name[0]!.toUpperCase());
  return letters.map((letter, i) => {
    const number = letters.slice(0, i + 1).filter((one) => one === letter).length;
    return letters.indexOf(letter) === letters.lastIndexOf(letter) ? letter : `${letter}${number}`;
  });
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
