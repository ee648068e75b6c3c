import { expectError } from "../util/expected_errors.ts";
import type { EmitterMethods } from "../util/emitter_methods.ts";
import { enclosingApp } from "./enclosing_app.ts";
import { errorDetails, shownValue } from "../dispatch/error_details.ts";
import { errorText } from "../util/error_text.ts";
import { isThenable } from "../util/is_thenable.ts";
import { redactedText } from "../util/redacted_text.ts";
import type { ErrorContext, ErrorPhase } from "../exchange/error_context.ts";
import type { SettingValue } from "../exchange/app_like.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";

/**
 * Receives errors that none of the program's handlers received.
 *
 * @param error The error
 * @param context The request the error belongs to, if any, and its origin
 */
export type ErrorListener = (
  error: Any,
  context: { readonly req: FrameworkRequest | undefined; readonly phase: ErrorPhase },
) => unknown;

/** The parts of an application used for reporting. */
interface Reporting extends EmitterMethods {
  /** The application it is mounted on. */
  readonly parent: Reporting | undefined;
  /** Reads a setting. */
  get(name: string): SettingValue;
}

/** The errors already reported for each request. */
const reported = new WeakMap<object, Reported>();

class Reported {
  readonly objects = new WeakSet<object>();
  /** The last error that was not an object. */
  primitive: unknown = undefined;
}

/**
 * Reports an error to the `error` listeners on an application, or on its nearest parent that has any. Without
 * listeners, it is written to the console, except when the setting `env` is `"test"`. In production, an error that
 * contains secrets, or has properties that may hold the body or the failed command, is written as a redacted string.
 *
 * The same error is reported once per request, however many layers it passes. Other requests report it again, because
 * programs may throw one object repeatedly.
 *
 * @param app The application
 * @param error The error
 * @param context The request it belongs to, and its origin
 */
export function reportError(app: Reporting, error: unknown, { req, phase, isTold = false }: ErrorContext): void {
  if (req !== undefined && isRepeated(req, error)) return;
  const listening = listeningApp(app);
  if (isTold) expectError(error, listening === undefined ? "tell" : "skip");
  if (listening === undefined) {
    if (!isTold && phase !== "connection" && app.get("env") !== "test") logAlways(app, error);
    return;
  }
  const context = { req: req as FrameworkRequest | undefined, phase };
  for (const listener of listening.rawListeners("error")) {
    callListener(listening, listener as ErrorListener, error, context);
  }
}

function listeningApp(app: Reporting): Reporting | undefined {
  let listening: Reporting | undefined = app;
  while (listening !== undefined && listening.listenerCount("error") === 0) {
    listening = enclosingApp<Reporting>(listening);
  }
  return listening;
}

// each in its own try, because a failing listener must not keep the error from the other listeners
function callListener(
  app: Reporting,
  listener: ErrorListener,
  error: unknown,
  context: Parameters<ErrorListener>[1],
): void {
  try {
    const result = listener.call(app, error, context);
    if (isThenable(result)) result.then(undefined, (failure) => logAlways(app, failure));
  } catch (failure) {
    logAlways(app, failure);
  }
}

function isRepeated(req: object, error: unknown): boolean {
  let earlier = reported.get(req);
  if (earlier === undefined) reported.set(req, earlier = new Reported());
  if ((typeof error !== "object" && typeof error !== "function") || error === null) {
    if (earlier.primitive === error && error !== undefined) return true;
    earlier.primitive = error;
    return false;
  }
  if (earlier.objects.has(error)) return true;
  earlier.objects.add(error);
  return false;
}

function logAlways(app: Reporting, error: unknown): void {
  if (app.get("env") === "production") {
    const shown = error instanceof Error ? errorDetails(error) : shownValue(error);
    const hidden = redactedText(shown);
    if (hidden !== shown || !isPlain(error)) return console.error(hidden);
  }
  const text = error instanceof Error ? errorText(error) : "";
  // the error itself, as in Express 5.3, because runtimes show its cause too; but some runtimes omit the message where
  // stacks lack it
  console.error(error instanceof Error && text !== error.stack ? text : error);
}

/** Properties with strings from the runtime or a package, never input. */
const LABELS = /^(?:code|message|name|stack|syscall|type)$/;

// The console shows all properties on an error and its causes.
function isPlain(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return typeof thrown !== "object" || thrown === null;
  const { cause } = thrown;
  if (thrown instanceof AggregateError || (cause !== undefined && !isPlain(cause))) return false;
  return Object.entries(thrown).every(([name, value]) =>
    LABELS.test(name) || (typeof value !== "string" && !(value instanceof Object))
  );
}
