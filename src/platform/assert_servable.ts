/**
 * Refuses what cannot be served, before a request finds out: `undefined` from a module that imports itself, or Express's
 * own application.
 *
 * @param caller Name of the caller for error messages
 * @param given What was given
 * @throws {TypeError} If it is no application
 */
export function assertServable(caller: string, given: unknown): void {
  const isObject = (typeof given === "object" && given !== null) || typeof given === "function";
  if (isObject && typeof (given as { fetch?: unknown }).fetch === "function") return;
  const shown = isObject ? `${typeof given === "function" ? "a function" : "an object"} without fetch` : String(given);
  throw new TypeError(`${caller} takes an application, as sluice() makes it, not ${shown}`);
}
