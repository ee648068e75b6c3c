/**
 * An error's stack, starting with its message. V8's stacks start with it; SpiderMonkey's, which Fastly uses, contain
 * only the frames.
 *
 * @param error The error
 */
export function errorText(error: Error): string {
  if (!error.stack) return String(error);
  // a program's `Error.prepareStackTrace` may return call sites instead of a string
  const stack = String(error.stack);
  // if the message was changed later, V8's stack has the old one; Express shows that stack unchanged
  const begins = stack.includes(String(error.message)) || /^\s+at /m.test(stack);
  return begins ? stack : `${error}\n${stack}`;
}

/** Describes a wrong kind of value for an error message. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  // a function as a string is its whole source
  if (typeof value === "function") return `${isClass(value) ? "the class" : "a function"} ${value.name}`.trimEnd();
  if (typeof value !== "object" || value === null) return String(value);
  // names the kinds that runtimes define, such as Promise, Response and Module
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return kind === "Object" ? "an object" : `an object (${kind})`;
}

function isClass(value: object): boolean {
  return Function.prototype.toString.call(value).startsWith("class");
}

/**
 * A brief reason for a failure: only the message, because clients' errors may contain the command with its arguments,
 * such as a password. An error from several connection attempts has only a code.
 *
 * @param error The error
 */
export function reasonOf(error: unknown): string {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown };
  return String(message || code || error);
}
