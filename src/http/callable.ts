/** A function of any shape. */
// deno-lint-ignore no-explicit-any -- what a callable object is called with is its own affair
export type AnyFunction = (...args: any[]) => unknown;

/**
 * Base of objects that are also functions, as Express's apps and routers are: `instanceof`, methods and private fields
 * work, and calling the object calls the function.
 */
export class Callable {
  /**
   * Makes the object a function, or leaves it plain.
   *
   * @param call What calling the object does; `null` makes a plain object
   */
  constructor(call: AnyFunction | null) {
    if (call !== null) return Object.setPrototypeOf(call, new.target.prototype);
  }
}

// call, apply, bind and `instanceof Function` go on working
Object.setPrototypeOf(Callable.prototype, Function.prototype);
