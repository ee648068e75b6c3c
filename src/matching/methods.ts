/** HTTP methods that applications have a function for, in lower case: RFC 9110, WebDAV and related, QUERY. */
export const METHODS = [
  "acl",
  "bind",
  "checkout",
  "connect",
  "copy",
  "delete",
  "get",
  "head",
  "link",
  "lock",
  "m-search",
  "merge",
  "mkactivity",
  "mkcalendar",
  "mkcol",
  "move",
  "notify",
  "options",
  "patch",
  "post",
  "propfind",
  "proppatch",
  "purge",
  "put",
  "query",
  "rebind",
  "report",
  "search",
  "source",
  "subscribe",
  "trace",
  "unbind",
  "unlink",
  "unlock",
  "unsubscribe",
] as const;

/** Whether a method, in capitals, is one of these, or `WS`, as upgrade requests have it. */
export function isKnownMethod(method: string): boolean {
  if (method === "WS") return true;
  return method === method.toUpperCase() && (METHODS as readonly string[]).includes(method.toLowerCase());
}

/**
 * Gives a class a function for each HTTP method, and `all`. They are writable properties, because some programs replace
 * them on their routers.
 *
 * The class inherits them from an object of their own, without a prototype until it is complete: to a class, V8 adds a
 * property by copying the list of all others, which takes 30 KB for these.
 *
 * @param prototype Prototype of the class; what it defines itself takes precedence
 * @param verbOf Makes the function for a method in lower case, `null` for all
 */
export function defineVerbs(prototype: object, verbOf: (method: string | null) => (...args: never[]) => unknown): void {
  const verbs: object = Object.create(null);
  // one for all of them, since every start makes a hundred
  const property: PropertyDescriptor = { configurable: true, writable: true };
  const define = (name: string, method: string | null): void => {
    property.value = verbOf(method);
    Object.defineProperty(verbs, name, property);
  };
  for (const method of METHODS) define(method, method);
  define("all", null);
  Object.setPrototypeOf(verbs, Object.getPrototypeOf(prototype));
  Object.setPrototypeOf(prototype, verbs);
}
