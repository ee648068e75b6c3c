import type { AppLike } from "./app_like.ts";
import type { Any } from "../util/any.ts";

/** Key under which an application's request or response prototype stores the application. */
export const ownAppKey: unique symbol = Symbol("own app");

/**
 * Returns the application whose `request` or `response` an object was created from. The prototype itself exposes no
 * application. If it did, as Express's does, light-my-request would conclude that it may replace the prototype's
 * parent.
 *
 * @param object The request or response
 */
export function ownAppOf(object: { readonly [ownAppKey]?: AppLike }): AppLike | undefined {
  return Object.hasOwn(object, ownAppKey) ? undefined : object[ownAppKey];
}

/** The part of an application used here, because tests may assign a partial application. */
interface Settings {
  /** Reads a setting. */
  get(name: string): Any;
}

/**
 * Returns a request's or response's application.
 *
 * @param owner The request or response
 * @param caller Name of the property or method for error messages
 * @throws {TypeError} If it has no application
 */
export function appOf<T extends { readonly app?: unknown }>(
  owner: T,
  caller: string,
): NonNullable<T["app"]> & Settings {
  const { app } = owner;
  if (app !== undefined && app !== null) return app as NonNullable<T["app"]> & Settings;
  const name = caller.slice(0, caller.indexOf("."));
  throw new TypeError(`${caller} needs the settings of an application, and ${name} has none: assign ${name}.app`);
}

/**
 * Returns a value that a request or a response must have been given.
 *
 * @param value The value
 * @param caller Name of the property or method for error messages
 * @param missing The missing property, as a program would assign it
 * @throws {TypeError} If there is no value
 */
export function given<T>(value: T, caller: string, missing: string): NonNullable<T> {
  if (value !== undefined && value !== null) return value;
  throw new TypeError(`${caller} needs ${missing}, and there is none: assign it`);
}

/** The parts of a URL, named as in Node's `url.parse()`. */
export interface UrlParts extends Record<string, Any> {
  /** The path. */
  readonly pathname: string;
  /** The query without the question mark, `null` if there is none. */
  readonly query: string | null;
}

/**
 * Returns the parts of the URL of a derived request (`Object.create(req)`), of a proxy, or of an object made from the
 * prototype alone (`Object.create(express.request)`), as in tests. As in Express, everything is derived from its
 * properties, because each may have been assigned.
 *
 * @param req The request
 * @returns `undefined` while it has no URL
 */
export function urlPartsOf({ url }: { readonly url?: string }): UrlParts | undefined {
  if (typeof url !== "string") return undefined;
  const mark = url.indexOf("?");
  return mark === -1 ? partsOf(url, url, null) : partsOf(url, url.slice(0, mark), url.slice(mark + 1));
}

/**
 * Returns the parts of a URL, named as in Node's `url.parse()`.
 *
 * @param url The URL
 * @param pathname Its path
 * @param query Its query without the question mark, `null` if there is none
 */
export function partsOf(url: string, pathname: string, query: string | null): UrlParts {
  const search = query === null ? null : `?${query}`;
  const origin = { protocol: null, slashes: null, auth: null, host: null, port: null, hostname: null };
  return { ...origin, hash: null, search, query, pathname, path: pathname + (search ?? ""), href: url, _raw: url };
}
