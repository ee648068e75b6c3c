/** Command-line flags. */
import { parseArgs } from "node:util";

/** Widens a flag default's type. */
type Value<T> = T extends readonly string[] ? string[]
  : T extends boolean ? boolean
  : T extends number ? number
  : string;

/**
 * Parses a command's flags, as `--name value` or `--name=value`. A flag `write`, which puts whole tables into the
 * documentation, cannot be combined with part of a list.
 *
 * @param defaults The flags and their defaults: a positive number, a string, a boolean, or a list from which to select
 * items, separated by commas
 * @param args The command's arguments, by default this process's
 * @returns Their values; selected items keep the list's order
 * @throws {RangeError} If a flag is unknown, a number is not positive, or a name is not in the list
 *
 * @example
 * ```ts
 * const { only, rounds, write } = flags({ only: ["upload", "download"], rounds: 5, write: false });
 * ```
 */
export function flags<T extends Record<string, number | string | boolean | readonly string[]>>(
  defaults: T,
  args: readonly string[] = Deno.args,
): { [Name in keyof T]: Value<T[Name]> } {
  const given = textsOf(args, defaults);
  const values = Object.entries(defaults).map(([name, usual]) => {
    const value = given[name];
    if (value === undefined) return [name, usual];
    if (typeof usual === "number") return [name, positive(name, value)];
    if (typeof usual !== "object") return [name, value];
    const some = chosen(name, String(value).split(","), usual);
    if (some.length < usual.length && given["write"] === true) refuseToWrite(name);
    return [name, some];
  });
  return Object.fromEntries(values);
}

function textsOf(args: readonly string[], defaults: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const options = Object.entries(defaults).map(([name, usual]) => {
    return [name, { type: typeof usual === "boolean" ? "boolean" as const : "string" as const }];
  });
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(options) }).values;
  } catch (cause) {
    const known = Object.keys(defaults).map((name) => `--${name}`).join(", ");
    throw new RangeError(`${(cause as Error).message}; there are: ${known}`, { cause });
  }
}

function positive(name: string, value: unknown): number {
  if (!(Number(value) > 0)) throw new RangeError(`--${name} takes a positive number, not "${value}"`);
  return Number(value);
}

function chosen(name: string, given: readonly string[], all: readonly string[]): string[] {
  for (const one of given) {
    if (!all.includes(one)) throw new RangeError(`--${name} does not know "${one}"; there are: ${all.join(", ")}`);
  }
  return all.filter((one) => given.includes(one));
}

/**
 * Refuses to write the results of a partial run, or of a run that is too short.
 *
 * @param name Name of the flag that makes it partial or too short
 * @throws {RangeError} Always
 */
export function refuseToWrite(name: string): never {
  throw new RangeError(`--write puts whole tables into the documentation; leave --${name} out`);
}
