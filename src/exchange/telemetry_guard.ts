import { reasonOf } from "../util/error_text.ts";
import { isThenable } from "../util/is_thenable.ts";
import type { ErrorReporter } from "./call_guarded.ts";

/** What was reported of the telemetry of each application: a broken agent would fail in every request. */
const reported = new WeakMap<ErrorReporter, Set<string>>();

/**
 * Calls code that a monitoring agent has put into the process: its span, its context, a subscriber of a channel. Such
 * code may be incomplete or throw, and costs one report for each kind of call, never a response.
 *
 * @param app Reports the error, with the phase `"telemetry"`
 * @param what What is called, for the message: `"span.updateName"`
 * @param call Calls it
 * @returns What it returned; `undefined` if it threw
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
 * Reports that telemetry failed, the first time for each application and kind of call.
 *
 * @param app Reports the error
 * @param what What was called
 * @param cause What it threw
 */
export function reportTelemetry(app: ErrorReporter, what: string, cause: unknown): void {
  let kinds = reported.get(app);
  if (kinds === undefined) reported.set(app, kinds = new Set());
  if (kinds.has(what)) return;
  kinds.add(what);
  const message = `telemetry: ${what} failed, which is reported once and fails no request: ${textOf(cause)}`;
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
