/** Tests that pass on Express but not on Sluice, and why that will not change. */

/** A suite's tests that fail for the same reason. */
export interface Difference {
  /** Suite name. */
  readonly suite: string;
  /** The reason, for users. */
  readonly why: string;
  /** Full test titles. */
  readonly tests: readonly string[];
}

/** All known differences. */
export const DIFFERENCES: readonly Difference[] = [
  {
    suite: "parse-server",
    why:
      "as in Express 5, `/1//hooks` is not `/hooks` below the mount `/1`; Parse's SDK asks for it before its version 6, with which these pass, too",
    tests: [
      "Hooks should have no hooks registered",
      "Hooks should have no triggers registered",
      "Hooks should CRUD a function registration",
      "Hooks should CRUD a trigger registration",
      "Hooks should fail trying to create two times the same function",
      "Hooks should fail trying to create two times the same trigger",
      "Hooks should fail trying to update a function that don't exist",
      "Hooks should fail trying to update a trigger that don't exist",
      "Hooks should create hooks and properly preload them",
      "Hooks should run the function on the test server",
      "Hooks should run the function on the test server (error handling)",
      "Hooks should provide X-Parse-Webhook-Key when defined",
      "Hooks should not pass X-Parse-Webhook-Key if not provided",
      "Hooks should run the beforeSave hook on the test server",
      "Hooks beforeSave hooks should correctly handle responses containing entire object",
      "Hooks should run the afterSave hook on the test server",
    ],
  },
  {
    suite: "express-rate-limit",
    why: "it knows that it is called in a handler by the names of Express's functions in the stack",
    tests: [
      "validations tests creationStack should log an error if called in an express request handler with a memory store",
      "validations tests creationStack should log a different error when used with an external store",
    ],
  },
];
