// deno-lint-ignore no-explicit-any -- arguments are passed on as they are
export type Method = (this: any, ...args: any[]) => any;

/**
 * Replaces methods of an object, as middleware for Express does with those of responses.
 *
 * @param object The object
 * @param names Names of the methods
 * @param replacement Returns a replacement for a method, by its name and what it replaces
 * @returns Puts back what was there, below all that was replaced later
 */
export function replaceMethods<Name extends string>(
  object: object,
  names: readonly Name[],
  replacement: (name: Name, plain: Method) => Method,
): () => void {
  const methods = object as Record<Name, Method>;
  const before = names.map((name): [Name, Method | undefined] => {
    const plain = methods[name];
    const own = Object.hasOwn(methods, name) ? plain : undefined;
    methods[name] = replacement(name, plain);
    return [name, own];
  });
  return () => {
    for (const [name, own] of before) {
      if (own === undefined) delete (methods as Partial<typeof methods>)[name];
      else methods[name] = own;
    }
  };
}
