/**
 * Makes guessed members fail with advice, where they would be `undefined`. The type checker does not know them, so
 * editors do not offer them. Programs may still assign them, unless the object is not extensible.
 *
 * @param target The object, or the prototype of many
 * @param name How programs write the object, for error messages
 * @param instead The members that other packages have, and what to write here
 */
export function refuseMembers(target: object, name: string, instead: Readonly<Record<string, string>>): void {
  for (const [member, advice] of Object.entries(instead)) {
    const get = (): never => {
      throw new TypeError(`there is no ${name}.${member}; ${advice}`);
    };
    Object.defineProperty(target, member, {
      configurable: true,
      get,
      set(this: object, value: unknown) {
        if (!Object.isExtensible(this)) get();
        Object.defineProperty(this, member, { value, configurable: true, enumerable: true, writable: true });
      },
    });
  }
}
