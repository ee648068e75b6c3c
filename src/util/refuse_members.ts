/**
 * Makes guessed members fail with advice, where they would be `undefined` or, when assigned, ignored. The type checker
 * does not know them, so editors do not offer them.
 *
 * @param target The object, or the prototype of many
 * @param name How programs write the object, for error messages
 * @param instead The members that other packages have, and what to write here
 * @returns The object
 */
export function refuseMembers<T extends object>(
  target: T,
  name: string,
  instead: Readonly<Record<string, string>>,
): T {
  for (const [member, advice] of Object.entries(instead)) {
    const refuse = (): never => {
      throw new TypeError(`there is no ${name}.${member}; ${advice}`);
    };
    Object.defineProperty(target, member, { configurable: true, get: refuse, set: refuse });
  }
  return target;
}
