import { isThenable } from "./is_thenable.ts";

/** The names of all options of a function: the type checker refuses a list with one missing or one too many. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Refuses unknown options: a misspelt one would be a limit that is never applied.
 *
 * @param caller Name of the caller for error messages
 * @param options The options
 * @param names The known names
 * @param instead Advice for a name; without any, the error lists the known names
 * @throws {TypeError} If the options are not an object, or one is unknown and not `undefined`
 */
export function checkNames<Options>(
  caller: string,
  options: unknown,
  names: OptionNames<Options>,
  instead?: (name: string) => string | undefined,
): void {
  if (typeof options !== "object" || options === null || isThenable(options)) {
    const isPromise = isThenable(options);
    const shown = typeof options === "string" ? JSON.stringify(options) : isPromise ? "a promise" : String(options);
    throw new TypeError(`${caller}: options must be an object, not ${shown}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const remedy = instead?.(name) ?? `there are ${Object.keys(names).join(", ")}`;
    throw new TypeError(`${caller}: there is no option ${name}; ${remedy}`);
  }
}
