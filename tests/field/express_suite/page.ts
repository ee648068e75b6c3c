/** The section of docs/ecosystem.md about Express's own suite. */
import { type RuntimeName, RUNTIMES } from "../../../reliability/support/children.ts";
import { withSection } from "../../../scripts/section.ts";
import { table } from "../../ecosystem/support/page.ts";
import type { Judged } from "./compare.ts";
import { FAILING } from "./failing.ts";
import { EXPRESS } from "./suite.ts";

/** The results of the last runs, which `deno task test:express --record` writes. */
export type Recorded = Readonly<Record<RuntimeName, Omit<Judged, "unexpected">>>;

/**
 * Writes the section.
 *
 * @param page The page
 * @param recorded The results
 * @returns The new page
 */
export function withExpressSuite(page: string, recorded: Recorded): string {
  const { repository, commit } = EXPRESS;
  const passed = RUNTIMES.map((runtime) => {
    const { version, tests, express, sluice } = recorded[runtime];
    return [`${runtime} ${version}`, String(tests), String(express), String(sluice), shareOf(sluice, tests)];
  });
  const reasons = FAILING.map(({ kind, why }) => [
    why,
    ...RUNTIMES.map((runtime) => String(recorded[runtime].failing[kind] ?? 0)),
  ]);
  return withSection(
    page,
    "express",
    `Commit [${commit.slice(0, 7)}](https://github.com/${repository}/tree/${commit}):

${table(["runtime", "tests", "pass on Express", "pass on Sluice", "share"], passed)}

${table(["why tests fail on Sluice", ...RUNTIMES], reasons)}`,
  );
}

function shareOf(some: number, all: number): string {
  return `${(100 * some / all).toFixed(1)} %`;
}
