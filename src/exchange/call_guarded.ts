import { isThenable } from "../util/is_thenable.ts";
import type { ErrorContext } from "./error_context.ts";

/** What reports errors: an application. */
export interface ErrorReporter {
  /** Reports an error that reaches no handler of the program. */
  reportError(error: unknown, context: ErrorContext): void;
}

/**
 * Calls a callback of the program when nobody would catch its error. What it throws, or the promise that it returns is
 * rejected with, is reported.
 *
 * @param app Reports the error
 * @param context Where the callback belongs
 * @param callback The callback
 */
export function callGuarded(app: ErrorReporter, context: ErrorContext, callback: () => unknown): void {
  try {
    const result = callback();
    if (isThenable(result)) result.then(undefined, (error) => app.reportError(error, context));
  } catch (error) {
    app.reportError(error, context);
  }
}
