import { parseArgs } from "node:util";

/**
 * The flags of a command, as `--name value` or `--name=value`.
 *
 * @param defaults The flags there are, with their defaults: a number, a text, or whether it is set
 * @throws {TypeError} If there is another flag
 * @throws {RangeError} If a number is none, or below 0
 */
export function flags<T extends Record<string, number | string | boolean>>(defaults: T): T {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => {
      return [name, { type: typeof value === "boolean" ? "boolean" as const : "string" as const }];
    }),
  );
  const { values } = parseArgs({ args: Deno.args, options });
  const given = Object.entries(values).map(([name, value]) => {
    if (typeof defaults[name] !== "number") return [name, value];
    if (!(Number(value) >= 0)) throw new RangeError(`--${name} takes a number, not "${value}"`);
    return [name, Number(value)];
  });
  return { ...defaults, ...Object.fromEntries(given) };
}

/**
 * Some of several names.
 *
 * @param given The names, separated by commas; all for the empty text
 * @param all All names
 * @throws {RangeError} If one is not among them
 */
export function chosen(given: string, all: readonly string[]): readonly string[] {
  if (given === "") return all;
  const names = given.split(",");
  for (const name of names) {
    if (!all.includes(name)) throw new RangeError(`--only does not know "${name}"; there are: ${all.join(", ")}`);
  }
  return names;
}
