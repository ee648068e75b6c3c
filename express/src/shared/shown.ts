import { METHODS } from "@sluice/sluice/profile";

/** Names that both majors of Express assign to the request prototype. */
export const REQUEST_NAMES: readonly string[] = [
  ...["get", "header", "accepts", "acceptsEncodings", "acceptsCharsets", "acceptsLanguages", "range", "is"],
  ...["protocol", "secure", "ip", "ips", "subdomains", "path", "host", "hostname", "fresh", "stale", "xhr"],
];

/** Names that both majors of Express assign to the response prototype. */
export const RESPONSE_NAMES: readonly string[] = [
  ...["status", "links", "send", "json", "jsonp", "sendStatus", "sendFile", "download", "contentType", "type"],
  ...["format", "attachment", "append", "set", "header", "get", "clearCookie", "cookie", "location", "redirect"],
  ...["vary", "render"],
];

/** Names that both majors of Express assign to the application prototype. */
export const APPLICATION_NAMES: readonly string[] = [
  ...METHODS,
  ...["handle", "use", "route", "engine", "param", "set", "path", "enabled", "disabled", "enable", "disable"],
  ...["get", "all", "render", "listen"],
];

/**
 * Makes a class's members enumerable, like Express's, which are assigned: programs copy them with `for…in` and
 * `Object.assign`.
 *
 * @param prototype The class's prototype
 * @param names The members
 */
export function showMembers(prototype: object, names: Iterable<string>): void {
  for (const name of names) {
    Object.defineProperty(prototype, name, { ...propertyOf(prototype, name), enumerable: true });
  }
}

/**
 * Makes the inherited members that Node's classes assign enumerable.
 *
 * @param prototype The class's prototype
 */
export function showNodes(prototype: object): void {
  const found = new Map<string, boolean>();
  const hidden = new Set<string>();
  for (let level: object | null = prototype; level !== null; level = Object.getPrototypeOf(level)) {
    for (const [name, { enumerable }] of Object.entries(Object.getOwnPropertyDescriptors(level))) {
      if (!found.has(name)) found.set(name, enumerable!);
      else if (enumerable && !found.get(name)) hidden.add(name);
    }
  }
  showMembers(prototype, hidden);
}

/**
 * Returns a property's descriptor from an object, or from its nearest prototype that has one.
 *
 * @param object The object
 * @param name The property
 */
export function propertyOf(object: object, name: string): PropertyDescriptor {
  return Object.getOwnPropertyDescriptor(object, name) ?? propertyOf(Object.getPrototypeOf(object), name);
}
