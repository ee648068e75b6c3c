/**
 * Returns whether a value is an object that a literal made, or one without a prototype: not an instance of a class.
 *
 * @param value Any value
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
