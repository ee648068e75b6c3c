import { isThenable } from "../util/is_thenable.ts";
import type { ErrorContext } from "./error_context.ts";

/** Reports errors: an application. */
export interface ErrorReporter {
  /** Reports an error that no handler of the program received. */
  reportError(error: unknown, context: ErrorContext): void;
}

/**
 * Calls a callback of the program that no caller guards. Errors that it throws, or that its promise rejects with, are
 * reported.
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
