import type { LoggedError } from "./log_record.ts";
import type { Redaction } from "./redaction.ts";

/** Most characters of a message and of a stack, which may have what a stranger sent in them. */
const MAX_MESSAGE = 2048;
const MAX_STACK = 16_384;

/** How many causes are written. */
const MAX_CAUSES = 4;

/**
 * An error as it is written.
 *
 * @param error What was thrown
 * @param redaction Leaves secrets out
 * @param isDetailed Whether stack and causes are part of it
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

// an object without a prototype cannot be made a text, and one of a program's own may throw
function textOf(thrown: unknown): string {
  try {
    return typeof thrown === "object" ? JSON.stringify(thrown) : String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
