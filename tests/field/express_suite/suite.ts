import type { Suite } from "../support/suite.ts";

/** An Express major for which `@sluice/express` has a version. */
export type Major = 4 | 5;

/** The majors. */
export const MAJORS: readonly Major[] = [5, 4];

const COMMON = {
  repository: "expressjs/express",
  runner: "mocha",
  // Mocha's two-second default is too short for a test that waits on a busy machine
  tests: ["--timeout", "8000", "--require", "test/support/env", "test/", "test/acceptance/"],
} as const;

/** Express's own suites, on the branches for the next releases. No npm package contains these tests. */
export const SUITES: Readonly<Record<Major, Suite>> = {
  5: { ...COMMON, name: "Express 5", commit: "a3714473feb3d2908add734d340e7755fd85e0a3", checkout: "5" },
  4: { ...COMMON, name: "Express 4", commit: "61ccf2ea8c1bd19cbca6acfb7cd276c5fcd410d3", checkout: "4" },
};
