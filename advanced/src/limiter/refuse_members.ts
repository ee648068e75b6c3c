/**
 * Makes names from other packages an error that says what to write. They are neither typed nor enumerable, so editors
 * do not suggest them and copies lack them.
 *
 * @param prototype The prototype that gets them
 * @param owner Its instances' name in error messages
 * @param members What to write instead, by name
 */
export function refuseMembers(prototype: object, owner: string, members: Readonly<Record<string, string>>): void {
  for (const [name, remedy] of Object.entries(members)) {
    const get = (): never => {
      throw new TypeError(`${owner}: there is no ${name}; ${remedy}`);
    };
    Object.defineProperty(prototype, name, { get, set: get });
  }
}
