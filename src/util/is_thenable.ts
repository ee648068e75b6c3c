/**
 * Tests whether a value is a promise of any kind.
 *
 * @param value The value
 * @returns Whether it has to be awaited
 */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
