/** The names of all options of a function: the type checker refuses a list with one missing or one too many. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Refuses options that there are none of: a misspelt one would be a limit that nobody keeps.
 *
 * @param caller Name of the caller for error messages
 * @param options What was given
 * @param names The names there are
 * @param instead Tells what to do instead of a name; the names there are, where it tells nothing
 * @throws {TypeError} If the options are no object, or one has another name and is not `undefined`
 */
export function checkNames<Options>(
  caller: string,
  options: unknown,
  names: OptionNames<Options>,
  instead?: (name: string) => string | undefined,
): void {
  if (typeof options !== "object" || options === null) {
    const shown = typeof options === "string" ? JSON.stringify(options) : String(options);
    throw new TypeError(`${caller}: options must be an object, not ${shown}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const remedy = instead?.(name) ?? `there are ${Object.keys(names).join(", ")}`;
    throw new TypeError(`${caller}: there is no option ${name}; ${remedy}`);
  }
}
