/**
 * Tests whether a value is a promise of any kind.
 *
 * @param value The value
 * @returns Whether it must be awaited
 */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
