/**
 * What to do when the runtime tells an error of a response body. Some runtimes do, without the request, after the body
 * was failed with that error; it must be told once.
 */
export type Expectation = "skip" | "tell";

const echoes = new WeakMap<object, Expectation>();

/**
 * Notes that a body is being failed with an error.
 *
 * @param error The error; what is no object cannot be recognised again
 * @param echo Whether it is still to be told
 */
export function expectError(error: unknown, echo: Expectation): void {
  if (isObject(error) && !echoes.has(error)) echoes.set(error, echo);
}

/**
 * Tells whether an error that the runtime tells has been dealt with; asked once for each.
 *
 * @param error The error
 */
export function isExpected(error: unknown): boolean {
  if (!isObject(error)) return false;
  const echo = echoes.get(error);
  echoes.delete(error);
  return echo === "skip";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
