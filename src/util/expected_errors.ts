/**
 * What to do when the runtime reports an error of a response body. Some runtimes do so, without the request, after the
 * body was failed with that error; it must be reported once.
 */
export type Expectation = "skip" | "tell";

const echoes = new WeakMap<object, Expectation>();

/**
 * Records that a body is being failed with an error.
 *
 * @param error The error; a value that is not an object cannot be recognized again
 * @param echo Whether it must still be reported
 */
export function expectError(error: unknown, echo: Expectation): void {
  if (isObject(error) && !echoes.has(error)) echoes.set(error, echo);
}

/**
 * Returns whether an error reported by the runtime has been handled; called once per error.
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
