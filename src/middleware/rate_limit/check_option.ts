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
 * Checks the type of an optional option.
 *
 * @param option Name of the option
 * @param value Its value
 * @param type The type it must have, unless it is `undefined`
 * @param caller Name of the caller for error messages
 * @throws {TypeError} If it has another type
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
 * @param Kind Class of the error
 * @param option Name of the option
 * @param wanted What it accepts
 * @param value Its value
 * @param caller Name of the caller for error messages, `rateLimit` by default
 * @throws {Error} Always: an error of that class that names all of them
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

/** Shows an invalid value in an error message. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  // the text of a function is its whole source
  if (typeof value === "function") return `${isClass(value) ? "the class" : "a function"} ${value.name}`.trimEnd();
  // a module namespace has no toString
  const isBare = typeof value === "object" && value !== null && !("toString" in value);
  return isBare ? Object.prototype.toString.call(value) : String(value);
}

function isClass(value: object): boolean {
  return Function.prototype.toString.call(value).startsWith("class");
}

/**
 * Makes sure that `next` takes what a user's function threw for an error: with nothing, `"route"` or `"router"` it
 * would continue after the limiter, without the request being counted.
 *
 * @param thrown What was thrown
 * @returns The same, or an error in its place
 */
export function failureOf(thrown: unknown): unknown {
  if (thrown && thrown !== "route" && thrown !== "router") return thrown;
  return new Error(`rateLimit: a function of the options threw ${String(thrown)}; throw an Error`);
}

/**
 * Advice for a request for which the user's function returns no key.
 *
 * @param address The client's address, if it is known
 */
export function remedyFor(address: string | undefined): string {
  if (address !== undefined) return "fall back to req.ip for requests without a key";
  return "the client's address is unknown, too: pass the platform's second argument to app.fetch, set \"trust proxy\" " +
    "behind a proxy, or return a text of your own where req.ip is undefined";
}
