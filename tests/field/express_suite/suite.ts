import type { Suite } from "../support/suite.ts";

/** Express's own suite, on the branch from which the next release is made. Its tests are in no package of npm. */
export const EXPRESS: Suite = {
  name: "Express",
  repository: "expressjs/express",
  commit: "a3714473feb3d2908add734d340e7755fd85e0a3",
  runner: "mocha",
  // two seconds, Mocha's default, are too short for a test that waits on a busy machine
  tests: ["--timeout", "8000", "--require", "test/support/env", "test/", "test/acceptance/"],
};
