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

/** The same methods in capitals, with `WS` for upgrade requests. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([...METHODS.map((name) => name.toUpperCase()), "WS"]);

/**
 * Defines a function for each HTTP method, and `all`, on a class, except those it has already. They are writable
 * properties, because some programs replace them on their routers.
 *
 * @param prototype Prototype of the class
 * @param verbOf Makes the function for a method in lower case, `null` for all
 */
export function defineVerbs(prototype: object, verbOf: (method: string | null) => (...args: never[]) => unknown): void {
  // one for all of them, since every start makes a hundred
  const property: PropertyDescriptor = { configurable: true, writable: true };
  const define = (name: string, method: string | null): void => {
    if (Object.hasOwn(prototype, name)) return;
    property.value = verbOf(method);
    Object.defineProperty(prototype, name, property);
  };
  for (const method of METHODS) define(method, method);
  define("all", null);
}
