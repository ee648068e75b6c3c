import { pathOf } from "../rules/path_of.ts";
import type { FIELD_NAMES } from "../rules/read_rules.ts";
import { UnreadableLine } from "./log_record.ts";

/** Where a log of JSON or CSV has these things. */
export type RequestFields = Readonly<Partial<Record<typeof FIELD_NAMES[number], string>>>;

/** Names that servers and loggers use: nginx, Caddy, pino-http, Traefik, AWS, Sluice. The first that is there counts. */
export const USUAL_FIELDS: Readonly<Record<typeof FIELD_NAMES[number], readonly string[]>> = {
  time: ["time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "StartUTC", "date", "msec"],
  address: [
    ...["ip", "remote_addr", "client_ip", "clientIp", "address", "remoteAddress", "remote_ip", "ClientHost", "c-ip"],
    ...["request.client_ip", "request.remote_ip", "req.remoteAddress", "httpRequest.remoteIp"],
  ],
  method: ["method", "request_method", "RequestMethod", "cs-method", "request.method", "req.method"],
  path: ["path", "url", "uri", "request_uri", "RequestPath", "cs-uri-stem", "request.uri", "req.url"],
  tier: ["tier", "plan", "user.tier", "user.plan"],
};

/** A line of a request, `GET /path HTTP/1.1`, as some logs have it in one field. */
export function splitRequestLine(line: string): { method: string; path: string } {
  const end = line.indexOf(" ");
  const method = end < 0 ? "" : line.slice(0, end);
  if (!/^[A-Z-]{1,20}$/.test(method)) return { method: "", path: "" };
  const next = line.indexOf(" ", end + 1);
  return { method, path: pathOf(next < 0 ? line.slice(end + 1) : line.slice(end + 1, next)) };
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

/**
 * The time of a line, in ms since 1970.
 *
 * @param text ISO 8601, as in `10/Oct/2000:13:55:36 -0700`, or a number of seconds, ms, µs or ns since 1970
 * @throws {UnreadableLine} If it is none of them
 */
export function timeOf(text: string): number {
  const ms = /^\d{2}\//.test(text)
    ? clfTime(text)
    : /^\d+(\.\d+)?$/.test(text)
    ? numberTime(Number(text))
    : isoTime(text);
  // windows are counted in whole ms from 1970 on
  if (ms >= 0 && ms < 8.64e15) return Math.floor(ms);
  throw new UnreadableLine(`no time: ${JSON.stringify(text.slice(0, 40))}`);
}

function clfTime(text: string): number {
  const found = /^(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?: ([+-])(\d\d)(\d\d))?$/.exec(text);
  if (found === null) return NaN;
  const [, day, month, year, hour, minute, second, sign, hours, minutes] = found;
  const index = MONTHS.indexOf(month!);
  if (index < 0 || index % 3 !== 0) return NaN;
  const offset = sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return Date.UTC(Number(year), index / 3, Number(day), Number(hour), Number(minute), Number(second)) - offset;
}

// times since 2001 have ten digits in seconds, thirteen in ms, sixteen in µs and nineteen in ns
function numberTime(number: number): number {
  if (number < 1e11) return number * 1000;
  if (number < 1e14) return number;
  return number < 1e17 ? number / 1000 : number / 1e6;
}

// a time without zone would be another on each machine
function isoTime(text: string): number {
  if (!/^\d{4}-\d\d-\d\d([T ]|$)/.test(text)) return NaN;
  return Date.parse(/(Z|[+-]\d\d:?\d\d|^.{10})$/i.test(text) ? text : `${text}Z`);
}
