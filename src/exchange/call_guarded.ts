import { isThenable } from "../util/is_thenable.ts";
import type { ErrorContext } from "./error_context.ts";

/** Reports errors: an application. */
export interface ErrorReporter {
  /** Reports an error that none of the program's handlers received. */
  reportError(error: unknown, context: ErrorContext): void;
}

/**
 * Calls one of the program's callbacks that is otherwise unguarded. Errors that it throws, or that its promise rejects
 * with, are reported.
 *
 * @param app Reports the error
 * @param context The callback's error context
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
