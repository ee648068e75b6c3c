/**
 * An error with its stack, the message first. V8's stacks begin with it; those of SpiderMonkey, on which Fastly's runtime
 * is built, hold places alone.
 *
 * @param error The error
 */
export function errorText(error: Error): string {
  const { stack } = error;
  if (!stack) return String(error);
  // a message that was changed later is not in V8's stack, which Express shows as it is
  const begins = stack.includes(error.message) || /^\s+at /m.test(stack);
  return begins ? stack : `${error}\n${stack}`;
}

/** Names a value of the wrong kind in an error message. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? `"${value}"` : typeof value === "function" ? "a function" : String(value);
}
