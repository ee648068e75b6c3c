import { asciiLowerCase, asciiUpperCase } from "../util/ascii.ts";
/** HTTP methods that applications have a function for, in lowercase: RFC 9110, WebDAV and related, QUERY. */
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

/** Returns whether an uppercase method is one of these, or `WS`, the method for upgrade requests. */
export function isKnownMethod(method: string): boolean {
  if (method === "WS") return true;
  return method === asciiUpperCase(method) && (METHODS as readonly string[]).includes(asciiLowerCase(method));
}

/**
 * Returns the method that selects a request's handlers. GET handlers also handle HEAD if it has no handlers of its own,
 * as in Express (RFC 9110 section 9.3.2).
 *
 * @param method The lowercase method
 * @param isHandled Whether there are handlers for a method
 */
export function headFromGet(method: string, isHandled: (method: string) => boolean): string {
  return method === "head" && !isHandled("head") ? "get" : method;
}

/**
 * Adds HEAD to methods that include GET.
 *
 * @param methods The uppercase methods
 */
export function withHeadFromGet(methods: readonly string[]): string[] {
  return methods.includes("GET") && !methods.includes("HEAD") ? [...methods, "HEAD"] : [...methods];
}

/**
 * Gives a class a function for each HTTP method, and `all`. The properties are writable, because some programs replace
 * them on their routers.
 *
 * @param prototype The class's prototype; its own definitions take precedence
 * @param verbOf Creates the function for a lowercase method, or `null` for all methods
 */
export function defineVerbs(prototype: object, verbOf: (method: string | null) => (...args: never[]) => unknown): void {
  for (const method of [...METHODS, null]) {
    const name = method ?? "all";
    if (Object.hasOwn(prototype, name)) continue;
    defineMethod(prototype, name, verbOf(method));
  }
}

/** Defines a method typed by an interface, because it has overloads that several classes share. */
export function defineMethod(prototype: object, name: string, method: (...args: never[]) => unknown): void {
  Object.defineProperty(prototype, name, { value: method, configurable: true, writable: true });
}
