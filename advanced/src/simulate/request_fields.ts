import { compileTrust, walkForwarded } from "@sluice/shared";
import { pathOf } from "../rules/path_of.ts";
import { FIELD_NAMES } from "../rules/read_rules.ts";
import { type LoggedRequest, UnreadableLine } from "./log_record.ts";

/** Where a log has these fields, as specified by the user. */
export type RequestFields = Readonly<Partial<Record<typeof FIELD_NAMES[number], string>>>;

/** Looks up a field in a line by name. */
export type Lookup = (name: string) => string | undefined;

/** Creates a request from the fields in a line. It only retains the function for later lookups. */
export type RequestReader = (lookup: Lookup, field: LoggedRequest["field"]) => LoggedRequest;

/**
 * Names used by servers and loggers: nginx, Caddy, pino-http, Traefik, Envoy, AWS, Cloudflare, Google, W3C, Elastic,
 * Sluice. The first that exists is used.
 */
export const USUAL_FIELDS: Readonly<Record<typeof FIELD_NAMES[number], readonly string[]>> = {
  time: [
    ...["time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "StartUTC", "start_time", "requestTime"],
    ...["requestTimeEpoch", "EdgeStartTimestamp", "date", "msec"],
  ],
  address: [
    ...[
      "ip",
      "remote_addr",
      "client_ip",
      "clientIp",
      "ClientIP",
      "address",
      "remoteAddress",
      "remote_ip",
      "ClientHost",
    ],
    ...["c-ip", "request.client_ip", "request.remote_ip", "req.remoteAddress", "httpRequest.remoteIp", "client.ip"],
    ...["downstream_remote_address", "source.ip"],
  ],
  method: [
    ...["method", "request_method", "RequestMethod", "ClientRequestMethod", "cs-method", "httpMethod"],
    ...["request.method", "req.method", "httpRequest.requestMethod", "http.request.method"],
  ],
  path: [
    ...["path", "url", "uri", "request_uri", "RequestPath", "ClientRequestURI", "ClientRequestPath", "cs-uri-stem"],
    ...["request.uri", "req.url", "httpRequest.requestUrl", "url.path", "url.original", "resourcePath"],
  ],
  tier: ["tier", "plan", "user.tier", "user.plan"],
};

/**
 * Creates a reader for lines that a format has split into fields.
 *
 * @param fields The user's field names
 * @param columns All lines' fields, if known
 */
export function requestReader(fields: RequestFields, columns?: readonly string[]): RequestReader {
  const isThere = (name: string) => columns?.includes(name) ?? true;
  const names = FIELD_NAMES.map((name) => {
    const told = fields[name];
    return told === undefined ? USUAL_FIELDS[name].filter(isThere) : [told];
  });
  const forwardedNames = fields.address === undefined ? headerNames("X-Forwarded-For").filter(isThere) : [];
  // lines from the same second are adjacent
  let lastText = "";
  let lastMs = 0;
  return (lookup, field) => {
    const [text, address, method, path, tier] = names.map((some) => found(lookup, some));
    if (text === undefined) {
      throw new UnreadableLine(fields.time === undefined ? "no time" : `no field ${JSON.stringify(fields.time)}`);
    }
    const time = /^\d\d:\d\d/.test(text) ? `${lookup("date")}T${text}` : text;
    if (time !== lastText) {
      lastMs = timeOf(time);
      lastText = time;
    }
    const line = method === undefined && path === undefined ? lookup("request") : undefined;
    const split = line === undefined ? { method: "", path: "" } : splitRequestLine(line);
    return {
      ms: lastMs,
      address: clientOf(address, found(lookup, forwardedNames)),
      method: method?.toUpperCase() ?? split.method,
      path: path === undefined ? split.path : pathOf(path),
      tier,
      field,
    };
  };
}

function found(lookup: Lookup, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = lookup(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Looks up a field, or a header. */
export function fieldOrHeader(lookup: Lookup, name: string): string | undefined {
  return lookup(name) ?? found(lookup, headerNames(name));
}

// where loggers put headers: pino-http, Caddy with its capitals, nginx's variables, Traefik, W3C
function headerNames(name: string): readonly string[] {
  const lower = name.toLowerCase();
  const variable = lower.replaceAll("-", "_");
  const capitals = lower.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
  return [
    ...[`headers.${lower}`, `req.headers.${lower}`, `request.headers.${capitals}`, `http_${variable}`],
    ...[`request_${capitals}`, `cs(${capitals})`, lower, variable],
  ];
}

/** Logs do not list the trusted proxies, so proxies in private networks are trusted. */
const isProxy = compileTrust("loopback, linklocal, uniquelocal");

// like `trust proxy`, so that no client can make up its own address
function clientOf(address = "", forwarded = ""): string {
  if (forwarded === "" && !address.includes(",")) return address === "-" ? "" : address;
  const all = `${forwarded},${address}`.split(",").map((one) => one.trim()).filter((one) => one !== "" && one !== "-");
  // a Unix socket, in nginx
  const peer = all.at(-1)?.replace(/^unix:.*/, "127.0.0.1");
  return walkForwarded(peer, all.slice(0, -1).join(), isProxy).at(-1) ?? "";
}

/** Splits a request line, `GET /path HTTP/1.1`, which some logs have as one field. */
export function splitRequestLine(line: string): { method: string; path: string } {
  const end = line.indexOf(" ");
  const method = end < 0 ? "" : line.slice(0, end);
  if (!/^[A-Z-]{1,20}$/.test(method)) return { method: "", path: "" };
  const next = line.indexOf(" ", end + 1);
  return { method, path: pathOf(next < 0 ? line.slice(end + 1) : line.slice(end + 1, next)) };
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

/**
 * Parses a time, in ms since 1970.
 *
 * @param text ISO 8601, the form `10/Oct/2000:13:55:36 -0700`, or a number of seconds, ms, µs or ns since 1970
 * @throws {UnreadableLine} If it is none of these forms
 */
export function timeOf(text: string): number {
  const ms = /^\d{2}\//.test(text)
    ? clfTime(text)
    : /^\d+(\.\d+)?$/.test(text)
    ? numberTime(Number(text))
    : isoTime(text);
  // windows are counted in whole ms since 1970
  if (ms >= 0 && ms < 8.64e15) return Math.floor(ms);
  throw new UnreadableLine(`no time: ${JSON.stringify(text.slice(0, 40))}`);
}

// HAProxy has ms, and no zone
function clfTime(text: string): number {
  const found = /^(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?: ([+-]\d\d)(\d\d))?$/.exec(text);
  if (found === null) return NaN;
  const [, day, month, year, time, hours, minutes] = found;
  const index = MONTHS.indexOf(month!);
  if (index < 0 || index % 3 !== 0) return NaN;
  const number = String(index / 3 + 1).padStart(2, "0");
  return Date.parse(`${year}-${number}-${day}T${time}${hours === undefined ? "Z" : `${hours}:${minutes}`}`);
}

// times since 2001 have ten digits in seconds, thirteen in ms, sixteen in µs and nineteen in ns
function numberTime(number: number): number {
  if (number < 1e11) return number * 1000;
  if (number < 1e14) return number;
  return number < 1e17 ? number / 1000 : number / 1e6;
}

// a time without a zone would differ by machine
function isoTime(text: string): number {
  if (!/^\d{4}-\d\d-\d\d([T ]|$)/.test(text)) return NaN;
  return Date.parse(/(Z|[+-]\d\d:?\d\d|^.{10})$/i.test(text) ? text : `${text}Z`);
}
