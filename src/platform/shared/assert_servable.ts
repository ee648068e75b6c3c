import { describe } from "../../util/error_text.ts";

/**
 * Asserts that a value can be served, before the first request fails: it may be `undefined` because of an import cycle,
 * or an Express application.
 *
 * @param caller Name of the caller for error messages
 * @param given The value
 * @throws {TypeError} If it is not an application
 */
export function assertServable(caller: string, given: unknown): void {
  const isObject = (typeof given === "object" && given !== null) || typeof given === "function";
  if (isObject && typeof (given as { fetch?: unknown }).fetch === "function") return;
  const shown = isObject
    ? `${typeof given === "function" ? "a function" : "an object"} without fetch`
    : describe(given);
  throw new TypeError(`${caller} expects an application created by sluice(), not ${shown}`);
}
