/** Methods an app has a function for, by their lower-case names: those of RFC 9110, WebDAV and its kin, and QUERY. */
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
 * Gives a class a function for each method, and `all`, but those it has written out. They are plain properties, for there
 * are programs that replace them on a router of theirs.
 *
 * @param prototype What its objects inherit
 * @param verbOf Makes the function for a method in lower case, `null` for all
 */
export function defineVerbs(prototype: object, verbOf: (method: string | null) => (...args: never[]) => unknown): void {
  for (const method of [...METHODS, null]) {
    const name = method ?? "all";
    if (Object.hasOwn(prototype, name)) continue;
    Object.defineProperty(prototype, name, { value: verbOf(method), configurable: true, writable: true });
  }
}
