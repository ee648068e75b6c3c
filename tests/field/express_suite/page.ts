/** The section about Express's own suites in docs/ecosystem.md. */
import { type RuntimeName, RUNTIMES } from "../../../reliability/support/children.ts";
import { withSection } from "../../../scripts/section.ts";
import { table } from "../../ecosystem/support/page.ts";
import type { Judged } from "./compare.ts";
import { FAILING } from "./failing.ts";
import { type Major, MAJORS, SUITES } from "./suite.ts";

/** Results from the last runs, which `deno task test:express --record` writes. */
export type Recorded = Readonly<Record<Major, Readonly<Record<RuntimeName, Omit<Judged, "unexpected">>>>>;

/**
 * Writes the section.
 *
 * @param page The page
 * @param recorded The results
 * @returns The new page
 */
export function withExpressSuite(page: string, recorded: Recorded): string {
  const passed = MAJORS.flatMap((major) =>
    RUNTIMES.map((runtime) => {
      const { version, tests, express, sluice } = recorded[major][runtime];
      const { name, repository, commit } = SUITES[major];
      const suite = `${name}, [${commit.slice(0, 7)}](https://github.com/${repository}/tree/${commit})`;
      return [suite, `${runtime} ${version}`, String(tests), String(express), String(sluice), shareOf(sluice, tests)];
    })
  );
  const columns = MAJORS.flatMap((major) => RUNTIMES.map((runtime) => ({ major, runtime })));
  const reasons = FAILING.map(({ kind, why }) => [
    why,
    ...columns.map(({ major, runtime }) => String(recorded[major][runtime].failing[kind] ?? 0)),
  ]);
  return withSection(
    page,
    "express",
    `${table(["suite", "runtime", "tests", "pass on Express", "pass on Sluice", "share"], passed)}

${
      table(
        ["why tests fail on Sluice", ...columns.map(({ major, runtime }) => `${major}, ${runtime}`)],
        reasons,
      )
    }`,
  );
}

function shareOf(some: number, all: number): string {
  return `${(100 * some / all).toFixed(1)} %`;
}
