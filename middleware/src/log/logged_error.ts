import type { LoggedError } from "./log_record.ts";
import type { Redaction } from "./redaction.ts";

/** Maximum number of characters in a message or a stack, which may contain client input. */
const MAX_MESSAGE = 2048;
const MAX_STACK = 16_384;

/** Maximum number of causes to log. */
const MAX_CAUSES = 4;

/**
 * Converts an error to its logged form.
 *
 * @param error The thrown value
 * @param redaction Removes secrets
 * @param isDetailed Whether to include stack and causes
 * @param causes How many causes may follow
 */
export function loggedError(
  error: unknown,
  redaction: Redaction,
  isDetailed: boolean,
  causes = MAX_CAUSES,
): LoggedError {
  const cut = (text: string, most: number): string => redaction.message(text.slice(0, most));
  if (!(error instanceof Error)) return { name: "not an error", message: cut(textOf(error), MAX_MESSAGE) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    name: String(name),
    message: cut(String(message), MAX_MESSAGE),
    ...(typeof code === "string" || typeof code === "number") && { code },
    ...isDetailed && typeof stack === "string" && { stack: cut(stack, MAX_STACK) },
    ...isDetailed && cause !== undefined && causes > 0 && { cause: loggedError(cause, redaction, true, causes - 1) },
  };
}

// an object without a prototype cannot be converted to a string, and a program's own `toString` may throw
function textOf(thrown: unknown): string {
  try {
    return typeof thrown === "object" ? JSON.stringify(thrown) : String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
