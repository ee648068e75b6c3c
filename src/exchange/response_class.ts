/** The runtime's own class, once requested; reading it is faster than a call. */
export let ownResponseClass: typeof Response | undefined;

/**
 * Returns the runtime's own class. Deno's global is a getter, and reading it is slower than calling middleware. It is
 * read on first use only, because that loads the class.
 */
export function responseClass(): typeof Response {
  return ownResponseClass ??= rootOf(Response);
}

// on Workers, Response shares a base class with Request
function rootOf(made: typeof Response): typeof Response {
  const parent = Object.getPrototypeOf(made.prototype) as Response;
  return Object.hasOwn(parent, "status") ? rootOf(parent.constructor as typeof Response) : made;
}

/**
 * Returns whether a value is a web response, even if a package has replaced the global class. `@hono/node-server` does:
 * its responses inherit from the runtime's, but the runtime's are not instances of it.
 *
 * @param value The value
 */
export function isResponse(value: unknown): value is Response {
  // checked first, because most handlers return nothing, and reading a global class is slow on Deno
  if (typeof value !== "object") return false;
  return value instanceof responseClass() || value instanceof Response;
}
