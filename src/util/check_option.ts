import { describe } from "./error_text.ts";
import { isThenable } from "./is_thenable.ts";
import { nearestName } from "./nearest_name.ts";

/** The names of all a function's options: the type checker rejects a list with missing or extra names. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Replacements for names from other packages, or a function that returns them. */
export type Instead = Readonly<Record<string, string>> | ((name: string) => string | undefined);

/**
 * Accepts an option's former name, so existing programs keep working.
 *
 * @param options The options given
 * @param former The former name
 * @param present Converts its value to options under current names
 * @returns The options under current names; unchanged if the former name is not among them
 */
export function takeFormer<Options>(
  options: Options,
  former: string,
  present: (value: unknown) => Partial<Options>,
): Options {
  if (typeof options !== "object" || options === null || !Object.hasOwn(options, former)) return options;
  const { [former]: value, ...rest } = options as Record<string, unknown>;
  return { ...rest, ...present(value) } as Options;
}

/**
 * Rejects unknown options: a misspelt one would be a limit that never applies. The error names all of them, because a
 * program written for a different package has several.
 *
 * @param caller Name of the caller for error messages
 * @param options The options
 * @param names The known names
 * @param instead Advice for a name; without it, the error suggests the most likely name or lists all
 * @throws {TypeError} If the options are not an object, or a list or a request, or one is unknown and not `undefined`
 */
export function checkNames<Options>(
  caller: string,
  options: unknown,
  names: OptionNames<Options>,
  instead?: Instead,
): void {
  if (!isObject(options) || isThenable(options)) {
    const given = isThenable(options) ? "a promise" : describe(options);
    throw new TypeError(`${caller}: options must be an object, not ${given}`);
  }
  const unknown = unknownNames(caller, options, names, instead);
  if (unknown.length > 0) throw new TypeError(`${caller}: ${unknown.join("; ")}`);
}

/**
 * Describes unknown options to a function for which Express ignores them: a ported program must not fail on options
 * that did no harm.
 *
 * @param caller Name of the caller for the messages
 * @param options The options
 * @param names The known names
 * @param instead Advice for a name; without it, the message suggests the most likely name or lists all
 * @returns A message for each unknown option that is not `undefined`
 * @throws {TypeError} If the options are a request
 */
export function unknownOptions<Options>(
  caller: string,
  options: unknown,
  names: OptionNames<Options>,
  instead?: Instead,
): string[] {
  if (options === undefined || options === null || typeof options === "function") return [];
  if (typeof options !== "object") return [`${caller} expects its options as an object, not ${describe(options)}`];
  return unknownNames(caller, options, names, instead).map((text) => `${caller}: ${text}`);
}

function unknownNames(caller: string, options: object, names: object, instead?: Instead): string[] {
  refuseRequest(caller, options);
  return Object.entries(options)
    .filter(([name, value]) => value !== undefined && !Object.hasOwn(names, name))
    .map(([name]) => {
      const advice = typeof instead === "function" ? instead(name) : adviceFor(name, instead);
      return `there is no option ${name}; ${advice ?? likely(name, Object.keys(names))}`;
    });
}

/**
 * Rejects a request in place of options: it is passed to a function that should have been called when registered.
 *
 * @param caller Name of the function
 * @param options The options
 * @throws {TypeError} If they are a request
 */
export function refuseRequest(caller: string, options: unknown): void {
  if (typeof (options as { originalUrl?: unknown } | null | undefined)?.originalUrl !== "string") return;
  throw new TypeError(`${caller}() makes the middleware: register ${caller}(), not ${caller}`);
}

function adviceFor(name: string, table: Readonly<Record<string, string>> = {}): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/**
 * Suggests the likely name, or lists the known ones.
 *
 * @param name The unknown name
 * @param known The known names
 */
function likely(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
}

/**
 * Checks that an option is a whole number within bounds.
 *
 * @param caller Name of the caller for error messages
 * @param option Name of the option
 * @param value Its value
 * @param least Minimum
 * @param most Maximum
 * @throws {TypeError} If it is not a number
 * @throws {RangeError} If it is fractional, `NaN` or out of bounds
 */
export function checkInteger(caller: string, option: string, value: unknown, least: number, most: number): void {
  if (typeof value !== "number") {
    refuseOption(caller, option, /Ms$/.test(option) ? "a number of ms" : "a number", value);
  }
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${caller}: option ${option} must be an integer from ${least} to ${most}, not ${value}`);
}

const WANTED = { boolean: "true or false", function: "a function", string: "a string" };

/**
 * Checks an optional option's type.
 *
 * @param caller Name of the caller for error messages
 * @param option Name of the option
 * @param value Its value
 * @param type The type it must have, unless it is `undefined`
 * @throws {TypeError} If it has a different type
 */
export function checkType(
  caller: string,
  option: string,
  value: unknown,
  type: "boolean" | "function" | "string",
): void {
  if (value === undefined || typeof value === type) return;
  refuseOption(caller, option, WANTED[type], value);
}

/**
 * Checks that an optional option is an object, and no list.
 *
 * @param caller Name of the caller for error messages
 * @param option Name of the option
 * @param value Its value
 * @param wanted What it accepts
 * @throws {TypeError} If it is something else
 */
export function checkObject(caller: string, option: string, value: unknown, wanted: string): void {
  if (value !== undefined && !isObject(value)) refuseOption(caller, option, wanted, value);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns what an option's function decided. A promise is rejected, because it would always count as true.
 *
 * @param caller Name of the caller for error messages
 * @param option Name of the option
 * @param verdict The function's return value
 * @throws {TypeError} If it is a promise
 */
export function decided(caller: string, option: string, verdict: unknown): boolean {
  if (!isThenable(verdict)) return Boolean(verdict);
  throw new TypeError(`${caller}: option ${option} must return true or false synchronously, not a promise`);
}

/**
 * Rejects an option's value.
 *
 * @param caller Name of the caller for error messages
 * @param option Name of the option
 * @param wanted What it accepts
 * @param value Its value
 * @throws {TypeError} Always; the error includes all arguments
 */
export function refuseOption(caller: string, option: string, wanted: string, value: unknown): never {
  throw new TypeError(`${caller}: option ${option} must be ${wanted}, not ${describe(value)}`);
}
