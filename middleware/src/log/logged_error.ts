import type { LoggedError } from "./log_record.ts";

/** Most characters of a message and of a stack, which may have what a stranger sent in them. */
const MAX_MESSAGE = 2048;
const MAX_STACK = 16_384;

/** How many causes are written. */
const MAX_CAUSES = 4;

/**
 * An error as it is written.
 *
 * @param error What was thrown
 * @param isDetailed Whether stack and causes are part of it
 * @param causes How many causes may follow
 */
export function loggedError(error: unknown, isDetailed: boolean, causes = MAX_CAUSES): LoggedError {
  if (!(error instanceof Error)) return { name: "not an error", message: textOf(error).slice(0, MAX_MESSAGE) };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    name: String(name),
    message: String(message).slice(0, MAX_MESSAGE),
    ...(typeof code === "string" || typeof code === "number") && { code },
    ...isDetailed && typeof stack === "string" && { stack: stack.slice(0, MAX_STACK) },
    ...isDetailed && cause !== undefined && causes > 0 && { cause: loggedError(cause, true, causes - 1) },
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
