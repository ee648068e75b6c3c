/**
 * A flag given on the command line as `--name=value`.
 *
 * @param name Name of the flag
 * @returns Its value, `undefined` if it was not given
 */
export function flag(name: string): string | undefined {
  return Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

/**
 * A flag that is a number.
 *
 * @param name Name of the flag
 * @param otherwise Its default
 * @throws {RangeError} If it is not a positive number
 */
export function numberFlag(name: string, otherwise: number): number {
  const value = Number(flag(name) ?? otherwise);
  if (!(value > 0)) throw new RangeError(`--${name} takes a positive number, not "${flag(name)}"`);
  return value;
}

/**
 * A flag that selects some of several names.
 *
 * @param name Name of the flag
 * @param all All names
 * @returns The selected names in the order of `all`; all of them if the flag was not given
 * @throws {RangeError} If one is not in `all`, or some are left out although the results are to be written
 */
export function chosen(name: string, all: readonly string[]): string[] {
  const given = flag(name)?.split(",") ?? all;
  for (const one of given) {
    if (!all.includes(one)) throw new RangeError(`--${name} does not know "${one}"; there are: ${all.join(", ")}`);
  }
  const some = all.filter((one) => given.includes(one));
  if (some.length < all.length) refuseToWrite(name);
  return some;
}

/**
 * Refuses to write the results of a part.
 *
 * @param name Name of the flag that leaves the rest out
 * @throws {RangeError} If they are to be written
 */
export function refuseToWrite(name: string): void {
  if (writes()) throw new RangeError(`--write puts whole tables into the documentation; leave --${name} out`);
}

/**
 * Refuses unknown flags, so that a misspelled one is not silently ignored.
 *
 * @param known Names of the known flags
 * @throws {RangeError} If there is another
 */
export function refuseOthers(...known: readonly string[]): void {
  for (const arg of Deno.args) {
    const name = /^--([a-z]+)(?:=|$)/.exec(arg)?.[1];
    if (name === undefined || !known.includes(name)) {
      throw new RangeError(`there is no argument "${arg}"; there are: ${known.map((one) => `--${one}`).join(", ")}`);
    }
  }
}

/** Whether to write the results to `docs/performance.md`. */
export function writes(): boolean {
  return Deno.args.includes("--write");
}
