/** A function with any signature. */
// deno-lint-ignore no-explicit-any -- the subclass defines the arguments
export type AnyFunction = (...args: any[]) => unknown;

/**
 * Base class for objects that are also functions, like Express's apps and routers: `instanceof`, methods and private
 * fields work, and calling the object calls the function.
 */
export class Callable {
  /**
   * Creates a callable or plain object.
   *
   * @param call Called when the object is called; `null` creates a plain object
   */
  constructor(call: AnyFunction | null) {
    if (call !== null) return Object.setPrototypeOf(call, new.target.prototype);
  }
}

// keeps call, apply, bind and `instanceof Function` working
Object.setPrototypeOf(Callable.prototype, Function.prototype);
