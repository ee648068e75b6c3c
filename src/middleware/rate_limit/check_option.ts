/**
 * Checks that an option is a whole number within bounds.
 *
 * @param option Name of the option
 * @param value Its value
 * @param least The least it may be
 * @param most The most it may be
 * @param caller Name of the caller for error messages
 * @throws {TypeError} If it is no number
 * @throws {RangeError} If it is fractional, `NaN` or out of bounds
 */
export function checkInteger(option: string, value: unknown, least: number, most: number, caller?: string): void {
  if (typeof value !== "number") refuseOption(TypeError, option, "a number", value, caller);
  if (Number.isInteger(value) && value >= least && value <= most) return;
  refuseOption(RangeError, option, `an integer from ${least} to ${most}`, value, caller);
}

const WANTED = { boolean: "true or false", function: "a function", string: "a string" };

/**
 * Checks the type of an option that need not be given.
 *
 * @param option Name of the option
 * @param value Its value
 * @param type The type it has, unless it is `undefined`
 * @param caller Name of the caller for error messages
 * @throws {TypeError} If it has another one
 */
export function checkType(
  option: string,
  value: unknown,
  type: "boolean" | "function" | "string",
  caller?: string,
): void {
  if (value === undefined || typeof value === type) return;
  refuseOption(TypeError, option, WANTED[type], value, caller);
}

/**
 * Refuses the value of an option.
 *
 * @param Kind The error
 * @param option Name of the option
 * @param wanted What it takes
 * @param value What it was given
 * @param caller Name of the caller for error messages, `rateLimit` by default
 * @throws {Error} Always: an error of that kind that names all of them
 */
export function refuseOption(
  Kind: ErrorConstructor,
  option: string,
  wanted: string,
  value: unknown,
  caller = "rateLimit",
): never {
  throw new Kind(`${caller}: option ${option} must be ${wanted}, not ${shown(value)}`);
}

/** Shows a value that cannot be used, for an error message. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  // a module that was imported as a whole has no words of its own
  const isBare = typeof value === "object" && value !== null && !("toString" in value);
  return isBare ? Object.prototype.toString.call(value) : String(value);
}

/**
 * What `next` takes for an error, whatever a user's function threw: nothing, `"route"` or `"router"` would go on behind
 * the limiter, and nobody was counted.
 *
 * @param thrown What was thrown
 * @returns The same, or an error in its place
 */
export function failureOf(thrown: unknown): unknown {
  if (thrown && thrown !== "route" && thrown !== "router") return thrown;
  return new Error(`rateLimit: a function of the options threw ${String(thrown)}; throw an Error`);
}

/**
 * What to do about a request for which the user's function gives no key.
 *
 * @param address The client's address, where it is known
 */
export function remedyFor(address: string | undefined): string {
  if (address !== undefined) return "fall back to req.ip for requests without a key";
  return "the client's address is unknown, too: hand the platform's second argument to app.fetch, set \"trust proxy\" " +
    "behind a proxy, or return a text of your own where req.ip is undefined";
}
