import { METHODS } from "@sluice/sluice/profile";

/** What Express assigns to the prototype of requests, in both majors. */
export const REQUEST_NAMES: readonly string[] = [
  ...["get", "header", "accepts", "acceptsEncodings", "acceptsCharsets", "acceptsLanguages", "range", "is"],
  ...["protocol", "secure", "ip", "ips", "subdomains", "path", "host", "hostname", "fresh", "stale", "xhr"],
];

/** What Express assigns to the prototype of responses, in both majors. */
export const RESPONSE_NAMES: readonly string[] = [
  ...["status", "links", "send", "json", "jsonp", "sendStatus", "sendFile", "download", "contentType", "type"],
  ...["format", "attachment", "append", "set", "header", "get", "clearCookie", "cookie", "location", "redirect"],
  ...["vary", "render"],
];

/** What Express assigns to the prototype of applications, in both majors. */
export const APPLICATION_NAMES: readonly string[] = [
  ...METHODS,
  ...["handle", "use", "route", "engine", "param", "set", "path", "enabled", "disabled", "enable", "disable"],
  ...["get", "all", "render", "listen"],
];

/**
 * Makes members of a class enumerable, as those of Express are, which assigns them: programs copy them by `for…in` and
 * `Object.assign`.
 *
 * @param prototype Prototype of the class
 * @param names The members
 */
export function showMembers(prototype: object, names: Iterable<string>): void {
  for (const name of names) {
    Object.defineProperty(prototype, name, { ...propertyOf(prototype, name), enumerable: true });
  }
}

/**
 * Makes those members of a class enumerable that Node's classes assign, of which it inherits.
 *
 * @param prototype Prototype of the class
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
 * The descriptor of a property of an object, or of the nearest of its prototypes that has one.
 *
 * @param object The object
 * @param name The property
 */
export function propertyOf(object: object, name: string): PropertyDescriptor {
  return Object.getOwnPropertyDescriptor(object, name) ?? propertyOf(Object.getPrototypeOf(object), name);
}
