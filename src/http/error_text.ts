/**
 * The stack of an error, beginning with its message. V8's stacks do so; those of SpiderMonkey, which Fastly uses, have
 * only the places.
 *
 * @param error The error
 */
export function errorText(error: Error): string {
  const { stack } = error;
  if (!stack) return String(error);
  // if the message was changed later, V8's stack has the old one; Express shows that stack as it is
  const begins = stack.includes(error.message) || /^\s+at /m.test(stack);
  return begins ? stack : `${error}\n${stack}`;
}

/** Describes a value of the wrong kind for an error message. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? `"${value}"` : typeof value === "function" ? "a function" : String(value);
}

/**
 * Why something failed, in a few words: only the text, because errors of clients may hold the command with its
 * arguments, such as a password. An error of several attempts to connect has only a code.
 *
 * @param error What was thrown
 */
export function reasonOf(error: unknown): string {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown };
  return String(message || code || error);
}
