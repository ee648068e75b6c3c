/**
 * Rejects anything but functions with Express 4's message.
 *
 * @param method The method that received them
 * @param kind The expected kind
 * @param handlers Functions, in lists nested to any depth
 * @throws {TypeError} If a handler is not a function
 */
export function assertFunctions(method: string, kind: "callback" | "middleware", handlers: readonly unknown[]): void {
  for (const fn of handlers.flat(Infinity)) {
    if (typeof fn === "function") continue;
    const tag = Object.prototype.toString.call(fn);
    const type = kind === "callback" ? tag : typeof fn === "object" ? tag.slice("[object ".length, -1) : typeof fn;
    throw new TypeError(`${method}() requires a ${kind} function but got a ${type}`);
  }
}

/** An application or a router. */
interface WithUse {
  // deno-lint-ignore no-explicit-any -- accepts every Express signature
  use(...args: any[]): unknown;
}

/**
 * Makes `use` reject anything but functions with Express 4's message.
 *
 * @param prototype Prototype for applications or routers
 */
export function checkUse(prototype: WithUse): void {
  const { use } = prototype;
  const value = function (this: WithUse, ...args: unknown[]) {
    assertFunctions("Router.use", "middleware", withoutPath(args));
    return use.apply(this, args);
  };
  Object.defineProperty(prototype, "use", { value, configurable: true, writable: true });
}

/**
 * Returns the arguments to `use` after the path.
 *
 * @param args All arguments
 */
function withoutPath(args: readonly unknown[]): readonly unknown[] {
  let first = args[0];
  while (Array.isArray(first) && first.length > 0) first = first[0];
  return typeof first === "function" ? args : args.slice(1);
}
