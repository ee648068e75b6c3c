/** The sections about applications, programs and suites in docs/ecosystem.md. */
import { withSection } from "../../../scripts/section.ts";
import { table } from "../../ecosystem/support/page.ts";
import { DIFFERENCES } from "../differences.ts";
import { APPLICATIONS, SUITES } from "../suites.ts";
import type { Program } from "./run_program.ts";
import type { Suite } from "./suite.ts";

/** A suite's results: how many tests passed on Express, and how many of those passed on Sluice. */
export interface Passed {
  /** Number of tests that passed on Express. */
  readonly express: number;
  /** Number of these tests that passed on Sluice. */
  readonly sluice: number;
  /** Number of tests run, if only some were. */
  readonly run?: number;
  /** Number of all its tests, if only some were run. */
  readonly all?: number;
}

/** Results from the last runs, which `deno task test:field --record` writes. */
export interface Recorded {
  /** Results for applications and suites, by name. */
  readonly suites: Readonly<Record<string, Passed>>;
  /** Number of compared responses, by program name. */
  readonly programs: Readonly<Record<string, number>>;
}

/**
 * Writes the sections.
 *
 * @param page The page
 * @param recorded The results
 * @param programs The programs
 * @returns The new page
 */
export function withResults(page: string, recorded: Recorded, programs: ReadonlyMap<string, Program>): string {
  const sections = {
    applications: suitesTable("application", APPLICATIONS, recorded),
    programs: programsTable(programs, recorded),
    suites: suitesTable("package", SUITES, recorded),
  };
  return Object.entries(sections).reduce((text, [name, section]) => withSection(text, name, section), page);
}

function suitesTable(kind: string, suites: readonly Suite[], { suites: recorded }: Recorded): string {
  const rows = suites.flatMap((suite) => {
    const passed = recorded[suite.name];
    return passed === undefined ? [] : [[...rowOf(suite, passed)]];
  });
  return table([kind, "commit", "share of its tests", "on Express", "on Sluice", "note"], rows);
}

function rowOf(suite: Suite, passed: Passed): string[] {
  const { name, repository, commit, note } = suite;
  const { express, sluice } = passed;
  const known = DIFFERENCES.filter(({ suite }) => suite === name);
  const notes = [note, ...known.map(({ why, tests }) => `${tests.length}: ${why}`)].filter((one) => one !== undefined);
  const link = `[${commit.slice(0, 7)}](https://github.com/${repository}/tree/${commit})`;
  const same = sluice === express ? "all" : String(sluice);
  return [name, link, shareOf(suite, passed), String(express), same, notes.join("; ")];
}

function shareOf(suite: Suite, { run, all }: Passed): string {
  if (suite.all === undefined) return "all";
  return run === undefined || all === undefined ? "a part" : `${Math.round(100 * run / all)} % of ${all}`;
}

function programsTable(programs: ReadonlyMap<string, Program>, { programs: recorded }: Recorded): string {
  const rows = Array.from(programs, ([name, { title, packages, requests }]) => {
    const known = requests.flatMap((one) =>
      typeof one === "object" && one.differs !== undefined ? [one.differs.why] : []
    );
    const notes = [...new Set(known)].map((why) => `${known.filter((one) => one === why).length}: ${why}`);
    const versions = Object.entries(packages).map(([one, version]) => `\`${one}\` ${version}`).join(", ");
    const asked = recorded[name] ?? 0;
    return [
      title,
      versions,
      String(asked),
      known.length === 0 ? "all" : String(asked - known.length),
      notes.join("; "),
    ];
  });
  return table(["what is tried", "packages", "answers", "the same", "note"], rows);
}
