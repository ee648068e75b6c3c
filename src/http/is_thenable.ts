/**
 * Tells a promise, of any kind, from a plain value.
 *
 * @param value The value
 * @returns Whether it has to be waited for
 */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
