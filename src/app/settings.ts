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

/** An application's settings, under Express's names. Programs may add their own. */
export interface AppSettings {
  /**
   * Maximum total size of all bodies being read in the process, through request methods and parsers: a number of bytes,
   * or a string such as `"512mb"`; 256 MiB by default, `Infinity` for no limit. Over it, requests get 503. Bodies that
   * a program keeps after reading them do not count.
   */
  "body budget"?: number | string;
  /**
   * Maximum size for bodies read with `req.json()`, `req.text()`, `req.arrayBuffer()`, `req.blob()` and
   * `req.formData()`: bytes, a string such as `"2mb"`, or an object with one of these per method; `Infinity` means no
   * limit. By default 1 MiB for JSON and text, 10 MiB for the rest; larger bodies get 413. Parsers have their own
   * `limit`; streams have none.
   */
  "body limit"?: BodyLimitSetting;
  /**
   * Time in ms that a body may stall while it is read: 30 000 by default, 0 or `Infinity` for no limit. After that, the
   * read fails with 408. For bodies with an announced length of up to 128 KiB, it limits the whole read, except on
   * Node.
   */
  "body timeout"?: number;
  /** Treats `/Foo` and `/foo` as different paths; off by default. */
  "case sensitive routing"?: boolean;
  /**
   * The value of `NODE_ENV`. If that is not set, `"development"` on Deno, Node and Bun, and `"production"` elsewhere or
   * where Deno may not read it. `"production"` hides error details.
   */
  env: string;
  /**
   * `"weak"`, the default, `"sha1"`, `"strong"`, `false`, or a function that gets the body, a `Buffer` where the
   * runtime has one. `"weak"` uses a fast hash. `"sha1"` creates Express's weak tags, for Express and Sluice behind one
   * address.
   */
  etag: boolean | "weak" | "sha1" | "strong" | ((body: string | Uint8Array, encoding?: string) => string | undefined);
  /** Maximum number of parts or fields in `req.formData()`, 1000 by default, `Infinity` for no limit; more get 413. */
  "form parts limit"?: number;
  /** Maximum nesting depth of JSON bodies: 1000 by default, `Infinity` for no limit; deeper bodies get 400. */
  "json depth"?: number;
  /** Query parameter that names the `res.jsonp` function, `"callback"` by default. */
  "jsonp callback name": string;
  /** Whether JSON responses declare their charset, on by default; `false` sends plain `application/json`. */
  "json charset"?: boolean;
  /** Escapes `<`, `>` and `&` in JSON; off by default. */
  "json escape"?: boolean;
  /** Replacer for `JSON.stringify`. */
  "json replacer"?: SettingValue;
  /** Indentation for `JSON.stringify`; none by default. */
  "json spaces"?: string | number;
  /**
   * `"simple"`, the default, `"extended"`, `false`, or a function that gets the query string (`null` if there is none).
   */
  "query parser": boolean | "simple" | "extended" | ((text: string | null) => Record<string, SettingValue>);
  /**
   * Maximum bytes queued in the process for slow clients, in WebSockets and in bodies written with `res.write`: a
   * number, or a string such as `"64mb"`; 128 MiB by default, `Infinity` for no limit. Above it, the connections with
   * the longest queues are closed and one error is reported. A message published to a topic counts once.
   */
  "send budget"?: number | string;
  /**
   * Sends `Server-Timing` with each response: the ms until its head, and between successive handler calls. Off by
   * default, because it exposes handler names and route paths to every client.
   */
  "server timing"?: boolean;
  /** Treats `/foo` and `/foo/` as different paths; off by default. */
  "strict routing"?: boolean;
  /** Number of host labels, from the right, that form the domain itself; 2 by default. */
  "subdomain offset": number;
  /** The proxies trusted to report the client's address; none by default. */
  "trust proxy": TrustSetting;
  /** The class that finds and renders views, as in Express. */
  view?: SettingValue;
  /** Caches view lookups; on by default if `NODE_ENV` is `production`. */
  "view cache"?: boolean;
  /** Extension for views named without one. */
  "view engine"?: string;
  /** Views directory or directories; by default `views` in the working directory. */
  views: string | string[];
  /** Sends `X-Powered-By: Sluice`; off by default. */
  "x-powered-by"?: boolean;
  /** The program's own settings. */
  [name: string]: SettingValue;
}

/** All built-in setting names, without a program's own. */
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

/** Settings with a compiled form, and their compile functions. */
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
 * Stores a setting, and its compiled form, if any, under `<name> fn`.
 *
 * @param settings Where to store it
 * @param name The setting's name
 * @param value Its value
 * @throws {TypeError} If the value is invalid for the setting
 */
export function storeSetting(settings: Record<string, SettingValue>, name: string, value: SettingValue): void {
  // compiled first, so an invalid value is not stored
  const compile = COMPILED.get(name);
  if (compile !== undefined) settings[`${name} fn`] = compile(value);
  if (name === "server timing") noteTimings();
  settings[name] = value;
}

/**
 * Parses a query as `"simple"` does, for development when no parser is set; warns about names Express 4 would nest.
 *
 * @param text The query string, `null` if there is none
 */
export function parseUnchosenQuery(text: string | null): Record<string, string | string[]> {
  if (text !== null && hasBrackets(text)) {
    noteWarning(
      'req.query: names with brackets, as in "filter[name]=x", are not nested; Express 4 nests them: write ' +
        'app.set("query parser", "extended"), or "simple" to keep this',
    );
  }
  return parseSimpleQuery(text);
}

/**
 * Describes a near miss of a built-in setting name, which would otherwise become the program's own setting.
 *
 * @param name The name
 * @returns A message that suggests the built-in name; empty if no name is close
 */
export function misspeltSetting(name: unknown): string[] {
  // a compiled form may be stored directly
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
