/**
 * Checks that an option is a whole number within bounds.
 *
 * @param option Name of the option
 * @param value Its value
 * @param least The least it may be
 * @param most The most it may be
 * @throws {TypeError} If it is no number
 * @throws {RangeError} If it is fractional, `NaN` or out of bounds
 */
export function checkInteger(option: string, value: unknown, least: number, most: number): void {
  if (typeof value !== "number") refuseOption(TypeError, option, "a number", value);
  if (Number.isInteger(value) && value >= least && value <= most) return;
  refuseOption(RangeError, option, `an integer from ${least} to ${most}`, value);
}

/**
 * Refuses the value of an option.
 *
 * @param Kind The error
 * @param option Name of the option
 * @param wanted What it takes
 * @param value What it was given
 * @throws {Error} Always: an error of that kind that names all of them
 */
export function refuseOption(Kind: ErrorConstructor, option: string, wanted: string, value: unknown): never {
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new Kind(`rateLimit: option ${option} must be ${wanted}, not ${shown}`);
}
