/** The functions of `@std/assert` that the tests use, over `node:assert`, for machines that cannot reach JSR. */
import { AssertionError, deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";

export { AssertionError };

// deno-lint-ignore no-explicit-any -- any error class
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

/** Asserts that a value is truthy. */
export function assert(value: unknown, message?: string): asserts value {
  ok(value, message!);
}

/** Asserts that two values are deeply equal. Prototypes do not count, as in the real function for plain objects. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  deepStrictEqual(plain(actual), plain(expected), message!);
}

// the real function does not distinguish an object without a prototype from a plain one
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

/** Asserts that two values are identical. */
export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  strictEqual(actual, expected, message!);
}

/** Asserts that two values are not deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  let equal = true;
  try {
    assertEquals(actual, expected);
  } catch {
    equal = false;
  }
  ok(!equal, message ?? "the values are equal");
}

/** Asserts that a string matches. */
export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  match(actual, expected, message!);
}

/** Asserts that one string contains another. */
export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  ok(actual.includes(expected), message ?? `${JSON.stringify(actual)} does not include ${JSON.stringify(expected)}`);
}

/** Asserts that a value is an instance of a class. */
export function assertInstanceOf<T>(
  actual: unknown,
  // deno-lint-ignore no-explicit-any -- any class
  expected: abstract new (...args: any[]) => T,
  message?: string,
): asserts actual is T {
  ok(actual instanceof expected, message ?? `${String(actual)} is no ${expected.name}`);
}

/** Asserts that a function throws. */
export function assertThrows(fn: () => unknown): unknown;
export function assertThrows<E extends Error>(fn: () => unknown, errorClass: ErrorClass<E>, includes?: string): E;
export function assertThrows<E extends Error>(
  fn: () => unknown,
  errorClass?: ErrorClass<E>,
  includes?: string,
): unknown {
  try {
    fn();
  } catch (error) {
    return checked(error, errorClass, includes);
  }
  throw new AssertionError({ message: "Expected function to throw" });
}

/** Asserts that a promise rejects. */
export function assertRejects(fn: () => PromiseLike<unknown>): Promise<unknown>;
export function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorClass<E>,
  includes?: string,
): Promise<E>;
export async function assertRejects<E extends Error>(
  fn: () => PromiseLike<unknown>,
  errorClass?: ErrorClass<E>,
  includes?: string,
): Promise<unknown> {
  try {
    await fn();
  } catch (error) {
    return checked(error, errorClass, includes);
  }
  throw new AssertionError({ message: "Expected function to reject" });
}

function checked<E extends Error>(error: unknown, errorClass?: ErrorClass<E>, includes?: string): unknown {
  if (errorClass !== undefined) assertInstanceOf(error, errorClass);
  if (includes !== undefined) assertStringIncludes((error as Error).message, includes);
  return error;
}
