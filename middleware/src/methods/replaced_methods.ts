// deno-lint-ignore no-explicit-any -- arguments are passed on unchanged
export type Method = (this: any, ...args: any[]) => any;

/** Methods by name. */
export type Methods = Record<string, Method>;

/**
 * Restores replaced methods, below any later replacements.
 *
 * @param object The object; methods of its class need no copy on it
 * @param before The original methods
 */
export function putBack(object: object, before: Readonly<Methods>): void {
  const methods = object as Methods;
  for (const [name, plain] of Object.entries(before)) {
    if (Object.getPrototypeOf(methods)[name] === plain) delete methods[name];
    else methods[name] = plain;
  }
}
