import { reasonOf } from "../util/error_text.ts";
import { isThenable } from "../util/is_thenable.ts";
import type { ErrorReporter } from "./call_guarded.ts";

/** Telemetry failures reported per application: a broken agent would fail on every request. */
const reported = new WeakMap<ErrorReporter, Set<string>>();

/**
 * Calls a monitoring agent's code: its span, its context, a channel subscriber. Such code may be incomplete or throw,
 * which causes one report per kind of call and never affects a response.
 *
 * @param app Reports the error, with the phase `"telemetry"`
 * @param what The call's name, for the message: `"span.updateName"`
 * @param call Calls it
 * @returns Its return value; `undefined` if it threw
 */
export function guarded<T>(app: ErrorReporter, what: string, call: () => T): T | undefined {
  try {
    const result = call();
    if (isThenable(result)) result.then(undefined, (error) => reportTelemetry(app, what, error));
    return result;
  } catch (error) {
    reportTelemetry(app, what, error);
    return undefined;
  }
}

/**
 * Runs a function inside a monitoring agent's code, which must neither prevent it from running nor run it twice.
 *
 * @param app Reports the agent's errors
 * @param what The name of the agent's call, for the message
 * @param around The agent's call, which should call its argument
 * @param run The function
 * @returns Its return value
 * @throws Errors from the function
 */
export function runInside<T>(app: ErrorReporter, what: string, around: (once: () => void) => unknown, run: () => T): T {
  let result: T;
  let hasRun = false;
  let failure: { readonly error: unknown } | undefined;
  const once = (): void => {
    if (hasRun) return;
    hasRun = true;
    try {
      result = run();
    } catch (error) {
      // not one of the agent's errors
      failure = { error };
    }
  };
  guarded(app, what, () => around(once));
  once();
  if (failure !== undefined) throw (failure as { error: unknown }).error;
  return result!;
}

/**
 * Reports that telemetry failed, once per application and kind of call.
 *
 * @param app Reports the error
 * @param what The call's name
 * @param cause The error
 */
export function reportTelemetry(app: ErrorReporter, what: string, cause: unknown): void {
  let kinds = reported.get(app);
  if (kinds === undefined) reported.set(app, kinds = new Set());
  if (kinds.has(what)) return;
  kinds.add(what);
  const message = `telemetry: ${what} failed; this is reported once and fails no request: ${textOf(cause)}`;
  app.reportError(new Error(message, { cause }), { phase: "telemetry" });
}

// an agent may throw anything, such as a proxy that throws in turn
function textOf(cause: unknown): string {
  try {
    return reasonOf(cause);
  } catch {
    return "an error that cannot be read";
  }
}
