// deno-lint-ignore no-explicit-any -- arguments are passed on as they are
export type Method = (this: any, ...args: any[]) => any;

/** Methods by their names. */
export type Methods = Record<string, Method>;

/**
 * Puts back methods that were replaced, below all that was replaced later.
 *
 * @param object The object; what its class has needs no copy on it
 * @param before The methods as they were
 */
export function putBack(object: object, before: Readonly<Methods>): void {
  const methods = object as Methods;
  for (const [name, plain] of Object.entries(before)) {
    if (Object.getPrototypeOf(methods)[name] === plain) delete methods[name];
    else methods[name] = plain;
  }
}
