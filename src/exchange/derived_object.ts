import type { AppLike } from "./app_like.ts";
import type { Any } from "../util/any.ts";

/** Key under which the prototype of an application's requests, or of its responses, tells the application. */
export const ownAppKey: unique symbol = Symbol("own app");

/**
 * The application from whose `request` or `response` an object was made. That prototype itself shows none: from the one
 * that Express's shows, light-my-request concludes that it may exchange what the prototype inherits from.
 *
 * @param object The request or response
 */
export function ownAppOf(object: { readonly [ownAppKey]?: AppLike }): AppLike | undefined {
  return Object.hasOwn(object, ownAppKey) ? undefined : object[ownAppKey];
}

/**
 * What a request shows that was derived from another one (`Object.create(req)`), is a proxy of one, or was made from the
 * prototype only (`Object.create(express.request)`), as tests do. As in Express, everything is found out from its
 * properties, since each of them may have been assigned.
 */
interface DerivedRequest {
  /** Path and query. */
  readonly url?: string;
  /** The application. */
  readonly app?: unknown;
}

/** What is needed of an application: tests may assign less than one. */
interface Settings {
  /** Reads a setting. */
  get(name: string): Any;
}

/**
 * The application of a request or a response.
 *
 * @param owner The request or response
 * @param caller Name of the property or method for error messages
 * @throws {TypeError} If it has none
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
 * A value that a request or a response must have been given.
 *
 * @param value The value
 * @param caller Name of the property or method for error messages
 * @param missing What it needs, as it is assigned
 * @throws {TypeError} If there is none
 */
export function given<T>(value: T, caller: string, missing: string): NonNullable<T> {
  if (value !== undefined && value !== null) return value;
  throw new TypeError(`${caller} needs ${missing}, and there is none: assign it`);
}

/** The parts of a URL under the names of Node's `url.parse()`. */
export interface UrlParts extends Record<string, Any> {
  /** The path. */
  readonly pathname: string;
  /** The query without the question mark, `null` if there is none. */
  readonly query: string | null;
}

/**
 * The parts of a request's URL.
 *
 * @param req The request
 * @returns `undefined` while it has no URL
 */
export function urlPartsOf({ url }: DerivedRequest): UrlParts | undefined {
  if (typeof url !== "string") return undefined;
  const mark = url.indexOf("?");
  return mark === -1 ? partsOf(url, url, null) : partsOf(url, url.slice(0, mark), url.slice(mark + 1));
}

/**
 * The parts of a URL under the names of Node's `url.parse()`.
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
