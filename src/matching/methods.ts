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

/** Lower-case name of a method an app has a function for. */
export type MethodName = (typeof METHODS)[number];

/** The same methods in capitals, with `WS` for upgrade requests. */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([...METHODS.map((name) => name.toUpperCase()), "WS"]);
