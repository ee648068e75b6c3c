import { sha1EntityTag, strongEntityTag, weakEntityTag } from "../http/entity_tag.ts";
import { noteWarning } from "../util/development_warning.ts";
import { nearestName } from "../util/nearest_name.ts";
import { compileTrust, type TrustSetting } from "../http/trust_proxy.ts";
import { parseExtendedQuery } from "../http/nested_query.ts";
import { hasBrackets, parseSimpleQuery } from "../http/query_string.ts";
import { noteTimings } from "../dispatch/server_timing.ts";
import type { SettingValue } from "../exchange/app_like.ts";
import { SEND_SETTING } from "../exchange/send_budget.ts";
import { BODY_SETTINGS, type BodyLimitSetting } from "../request/body/body_settings.ts";

/** Settings of an application, by Express's names. Users may add their own. */
export interface AppSettings {
  /**
   * Most bytes of all bodies that the process is reading at the moment, by the request's methods and by the parsers: a
   * number, or text such as `"512mb"`; 256 MiB by default, `Infinity` for no limit. Above it requests get 503. What a
   * program keeps of the bodies it has read does not count.
   */
  "body budget"?: number | string;
  /**
   * Most bytes that `req.json()`, `req.text()`, `req.arrayBuffer()`, `req.blob()` and `req.formData()` read: a number, or
   * text such as `"2mb"`, for all, or an object of these by method; `Infinity` for no limit. By default 1 MiB for JSON
   * and text, 10 MiB for the others. Above it requests get 413. Parsers have their own `limit`, and streams have none.
   */
  "body limit"?: BodyLimitSetting;
  /**
   * ms that a body which is being read may be without a further byte, 30 000 by default, 0 or `Infinity` for any time;
   * then the reader fails with 408. For bodies that were announced with up to 128 KiB it is the time for the whole,
   * except on Node.
   */
  "body timeout"?: number;
  /** Treats `/Foo` and `/foo` as different paths; off by default. */
  "case sensitive routing"?: boolean;
  /**
   * What `NODE_ENV` says. Otherwise `"development"` on Deno, Node and Bun, and `"production"` elsewhere and where Deno may
   * not read it. `"production"` hides the details of errors.
   */
  env: string;
  /**
   * `"weak"`, the default, `"sha1"`, `"strong"`, `false`, or a function of the body, which is a `Buffer` where the runtime
   * has one. `"weak"` has a fast hash; `"sha1"` makes Express's weak tags, for an Express and a Sluice behind one address.
   */
  etag: boolean | "weak" | "sha1" | "strong" | ((body: string | Uint8Array, encoding?: string) => string | undefined);
  /** Most parts or fields that `req.formData()` reads, 1000 by default, `Infinity` for any; above it requests get 413. */
  "form parts limit"?: number;
  /** Most levels of JSON that is read, 1000 by default, `Infinity` for any; above it requests get 400. */
  "json depth"?: number;
  /** Query parameter that names the function of `res.jsonp`, `"callback"` by default. */
  "jsonp callback name": string;
  /** Whether JSON responses name their charset, on by default; `false` sends plain `application/json`. */
  "json charset"?: boolean;
  /** Escapes `<`, `>` and `&` in JSON; off by default. */
  "json escape"?: boolean;
  /** Replacer for `JSON.stringify`. */
  "json replacer"?: SettingValue;
  /** Indentation for `JSON.stringify`; none by default. */
  "json spaces"?: string | number;
  /** `"simple"`, the default, `"extended"`, `false`, or a function of the query string, `null` if there is none. */
  "query parser": boolean | "simple" | "extended" | ((text: string | null) => Record<string, SettingValue>);
  /**
   * Most bytes that wait in the process because clients read slowly, in WebSockets and in bodies written with
   * `res.write`: a number, or text such as `"64mb"`; 128 MiB by default, `Infinity` for no limit. Above it those
   * connections are closed for which most waits, and one error is reported. A message published to a topic counts once.
   */
  "send budget"?: number | string;
  /**
   * Sends `Server-Timing` with each response: ms until its head, and of each handler until the next one was called. Off by
   * default, because anybody may read the names of handlers and the paths of routes there.
   */
  "server timing"?: boolean;
  /** Treats `/foo` and `/foo/` as different paths; off by default. */
  "strict routing"?: boolean;
  /** How many labels of the host, from the right, belong to the domain itself; 2 by default. */
  "subdomain offset": number;
  /** Which proxies may say who the client is; none by default. */
  "trust proxy": TrustSetting;
  /** The class that finds and renders views, as in Express. */
  view?: SettingValue;
  /** Remembers where views are; on by default if `NODE_ENV` is `production`. */
  "view cache"?: boolean;
  /** Extension of views that are named without one. */
  "view engine"?: string;
  /** Folder or folders of the views, `views` in the working directory by default. */
  views: string | string[];
  /** Sends `X-Powered-By: Sluice`; off by default. */
  "x-powered-by"?: boolean;
  /** The application's own settings. */
  [name: string]: SettingValue;
}

/** The names of all settings that have a meaning here; a program's own are not known. */
const NAMES: readonly string[] = [
  "body budget",
  "body limit",
  "body timeout",
  "case sensitive routing",
  "env",
  "etag",
  "form parts limit",
  "json charset",
  "json depth",
  "json escape",
  "json replacer",
  "json spaces",
  "jsonp callback name",
  "query parser",
  "send budget",
  "server timing",
  "strict routing",
  "subdomain offset",
  "trust proxy",
  "view",
  "view cache",
  "view engine",
  "views",
  "x-powered-by",
];

/** Settings with a compiled form, and the functions that compile them. */
const COMPILED: ReadonlyMap<string, (value: SettingValue) => unknown> = new Map<
  string,
  (value: SettingValue) => unknown
>([
  ["etag", compileEtag],
  ["query parser", compileQueryParser],
  ["trust proxy", compileTrust],
  ...BODY_SETTINGS,
  SEND_SETTING,
]);

/**
 * Stores a setting and, where it has one, its compiled form under `<name> fn`.
 *
 * @param settings Where to store it
 * @param name Name of the setting
 * @param value Its value
 * @throws {TypeError} If the value is not valid for the setting
 */
export function storeSetting(settings: Record<string, SettingValue>, name: string, value: SettingValue): void {
  // compiled first: a value that is refused must not be stored
  const compile = COMPILED.get(name);
  if (compile !== undefined) settings[`${name} fn`] = compile(value);
  if (name === "server timing") noteTimings();
  settings[name] = value;
}

/**
 * Parses a query as `"simple"` does, for applications in development that have not chosen: what Express 4 nests is noted.
 *
 * @param text The query string, `null` if there is none
 */
export function parseUnchosenQuery(text: string | null): Record<string, string | string[]> {
  if (text !== null && hasBrackets(text)) {
    noteWarning(
      'req.query: names with brackets, as in "filter[name]=x", are not nested; Express 4 nests them: write ' +
        'app.set("query parser", "extended"), or "simple" to leave it so',
    );
  }
  return parseSimpleQuery(text);
}

/**
 * Describes a setting whose name is nearly one that has a meaning: it would be taken for a setting of the program's own.
 *
 * @param name The name
 * @returns A message, if there is such a name
 */
export function misspeltSetting(name: unknown): string[] {
  // what a setting is compiled to may be stored by itself
  if (typeof name !== "string" || NAMES.includes(name) || name.endsWith(" fn")) return [];
  const meant = nearestName(name, NAMES);
  return meant === undefined ? [] : [`app.set: the setting "${name}" has no effect; did you mean "${meant}"?`];
}

function compileEtag(value: SettingValue): unknown {
  if (typeof value === "function") return value;
  if (value === true || value === "weak") return weakEntityTag;
  if (value === false) return undefined;
  if (value === "sha1") return sha1EntityTag;
  if (value === "strong") return strongEntityTag;
  throw new TypeError(
    `unknown value for etag function: ${String(value)}; use "weak", "sha1", "strong", false or a function`,
  );
}

function compileQueryParser(value: SettingValue): unknown {
  if (typeof value === "function") return value;
  if (value === true || value === "simple") return parseSimpleQuery;
  if (value === false) return undefined;
  if (value === "extended") return (text: string | null) => parseExtendedQuery(text ?? "", { allowPrototypes: true });
  throw new TypeError(
    `unknown value for query parser function: ${String(value)}; use "simple", "extended", false or a function`,
  );
}
