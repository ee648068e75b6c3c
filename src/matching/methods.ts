import { asciiLowerCase, asciiUpperCase } from "../util/ascii.ts";
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
  return method === asciiUpperCase(method) && (METHODS as readonly string[]).includes(asciiLowerCase(method));
}

/**
 * The method whose handlers handle a request: those for GET also handle HEAD, where there are none for it, as in
 * Express (RFC 9110 section 9.3.2).
 *
 * @param method Method in lower case
 * @param isHandled Whether there are handlers for a method
 */
export function headFromGet(method: string, isHandled: (method: string) => boolean): string {
  return method === "head" && !isHandled("head") ? "get" : method;
}

/**
 * The methods that are handled where there are handlers for some: HEAD, too, wherever GET is.
 *
 * @param methods Methods in capitals
 */
export function withHeadFromGet(methods: readonly string[]): string[] {
  return methods.includes("GET") && !methods.includes("HEAD") ? [...methods, "HEAD"] : [...methods];
}

/**
 * Gives a class a function for each HTTP method, and `all`. They are writable properties, because some programs replace
 * them on their routers.
 *
 * @param prototype Prototype of the class; what it defines itself takes precedence
 * @param verbOf Makes the function for a method in lower case, `null` for all
 */
export function defineVerbs(prototype: object, verbOf: (method: string | null) => (...args: never[]) => unknown): void {
  for (const method of [...METHODS, null]) {
    const name = method ?? "all";
    if (Object.hasOwn(prototype, name)) continue;
    defineMethod(prototype, name, verbOf(method));
  }
}

/** Defines a method whose type is that of an interface: one with overloads that several classes share. */
export function defineMethod(prototype: object, name: string, method: (...args: never[]) => unknown): void {
  Object.defineProperty(prototype, name, { value: method, configurable: true, writable: true });
}
