/**
 * What to do when the runtime reports a response body's error. Some runtimes do so, without the request, after code has
 * failed the body with that error, which must be reported once.
 */
export type Expectation = "skip" | "tell";

const echoes = new WeakMap<object, Expectation>();

/**
 * Records that a body is being failed with an error.
 *
 * @param error The error; it must be an object to be recognized again
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
