/**
 * Intentional differences between Sluice's types and Express's, as compiler errors in DefinitelyTyped's tests. Any
 * other error fails the run, and so does a listed error that no longer occurs. docs/express-differences.md explains the
 * reasons to users.
 */

export interface Expected {
  /** The test. */
  readonly path: string;
  /** Line numbers in the test, from 1. */
  readonly lines: readonly number[];
  /** The compiler's error number, or `type` where a type is shown differently. */
  readonly code: string;
  readonly reason: string;
}

export const EXPECTED: readonly Expected[] = [
  {
    path: "types/express/express-tests.ts",
    lines: [2],
    code: "TS2305",
    reason: "ParamsArray is a type of Express 4; @types/express-serve-static-core 5.1 has dropped it",
  },
  {
    path: "types/express/express-tests.ts",
    lines: [144, 145, 150, 151, 156, 157],
    code: "type",
    reason: "ParamsArray again, which is unknown",
  },
  {
    path: "types/express/express-tests.ts",
    lines: [16],
    code: "type",
    reason: "express.Response has the third parameter, the status, which there only express-serve-static-core has",
  },
  {
    path: "types/express-serve-static-core/express-serve-static-core-tests.ts",
    lines: [304, 311],
    code: "type",
    reason: "the callback gets a FileError: an Error with the status and the code that it really has",
  },
  {
    path: "types/express-serve-static-core/express-serve-static-core-tests.ts",
    lines: [355],
    code: "type",
    reason: "the test lacks a bracket, so that no type can be shown like this; here it is FrameworkApp",
  },
  {
    path: "types/serve-static/v1/serve-static-tests.ts",
    lines: [21, 51],
    code: "type",
    reason: "serve-static infers Node's response, which Sluice's is not: here it is any",
  },
];
