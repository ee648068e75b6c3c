import { subnetOf } from "@sluice/shared";
import { UnreadableLine } from "./log_record.ts";

/** The fields in a line, by name; `-` and empty mean none. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** Splits a line into fields. Returns `null` if the line is in a different format. */
export type Grammar = (line: string) => Fields | null;

/**
 * The common and combined log formats from Apache and nginx, optionally after a virtual host. A quoted list of
 * addresses after them is `X-Forwarded-For`.
 */
export const commonLog: Grammar = (line) => {
  // both servers escape quotation marks, so the first quotation mark begins the request, whatever the user's name
  const quote = firstQuote(line);
  let start = line.lastIndexOf("[", quote);
  while (start > 0 && !/^\[\d\d\/[A-Za-z]{3}\/\d{4}:/.test(line.slice(start, start + 13))) {
    start = line.lastIndexOf("[", start - 1);
  }
  if (quote < 0 || start <= 0) return null;
  const [client, , ...user] = clientAndUser(line.slice(0, start).trimEnd());
  const [request, status, ...rest] = tokensOf(line, quote);
  const [referer, userAgent, ...more] = rest.filter(isQuoted).map(unquoted);
  return {
    time: line.slice(start + 1, line.indexOf("]", start)),
    ip: client,
    user: user.join(" "),
    request: unquoted(request!),
    status,
    referer,
    "user-agent": userAgent,
    "x-forwarded-for": more.find(isAddresses),
  };
};

/** HAProxy's `httplog`, after any syslog prefix. */
export const haproxyLog: Grammar = (line) => {
  const found = / \[(\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d\.\d{1,9})\] /.exec(line);
  if (found === null) return null;
  const client = line.slice(line.lastIndexOf(" ", found.index - 1) + 1, found.index);
  const [, , , status] = tokensOf(line, found.index + found[0].length);
  const quote = line.indexOf('"', found.index);
  const request = quote < 0 ? undefined : line.slice(quote + 1, line.lastIndexOf('"'));
  return { time: found[1], ip: withoutLastPort(client), request, status };
};

/** Envoy's default format, and Istio's, which has more fields before and after the final five strings. */
export const envoyLog: Grammar = (line) => {
  if (!/^\[\d{4}-\d\d-\d\dT/.test(line)) return null;
  const [time, request, status, ...rest] = tokensOf(line, 0);
  const quoted = rest.filter(isQuoted).map(unquoted);
  if (request === undefined || !isQuoted(request) || quoted.length < 5) return null;
  const [forwarded, userAgent] = quoted.slice(-5);
  // after these strings: the cluster, its address, the proxy's and the client's
  const client = rest.slice(rest.findLastIndex(isQuoted) + 1)[3];
  return {
    time: time!.slice(1, -1),
    ip: forwarded === "-" ? client : undefined,
    request: unquoted(request),
    status,
    "user-agent": userAgent,
    "x-forwarded-for": forwarded,
  };
};

/** The columns from an AWS Application Load Balancer; a Classic Load Balancer has no type in front. */
const BALANCER = [
  ...["type", "response_time", "elb", "client", "target", "", "", "", "status", "target_status", "", "", "request"],
  ...["user-agent", "", "", "", "trace", "host", "", "", "time"],
];

/** Access logs from AWS load balancers. */
export const balancerLog: Grammar = (line) => {
  const found = /^(?:([a-z\d]{2,5}) )?\d{4}-\d\d-\d\dT\S+ \S+ \S+:\d+ /.exec(line);
  if (found === null) return null;
  const tokens = tokensOf(line, 0).map(unquoted);
  const names = found[1] === undefined ? BALANCER.slice(1) : BALANCER;
  const fields = Object.fromEntries(names.map((name, i) => [name, tokens[i]]));
  // a line's time is the response's, unless it is far behind
  const time = fields["time"] ?? fields["response_time"];
  return { ...fields, time, ip: withoutLastPort(fields["client"]!) };
};

/**
 * Splits a line in the W3C extended format, as written by IIS and CloudFront.
 *
 * @param names The column names
 * @param line The line
 * @throws {UnreadableLine} If it has a different number of columns
 */
export function w3cFields(names: readonly string[], line: string): Fields {
  const values = line.includes("\t") ? line.split("\t") : tokensOf(line, 0).map(unquoted);
  if (values.length !== names.length) throw new UnreadableLine(`${values.length} columns instead of ${names.length}`);
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
}

/** Client, `identd` reply, and the words in the user's name. */
function clientAndUser(text: string): string[] {
  const words = text.split(" ");
  // a virtual host
  if (words.length > 3 && !isAddresses(words[0]!) && isAddresses(words[1]!)) words.shift();
  // a list of addresses
  let last = 0;
  while (words[last]?.endsWith(",")) last++;
  return [words.slice(0, last + 1).join(" "), ...words.slice(last + 1)];
}

/** Whether a string is one or more addresses, without ports; ports mean upstream servers. */
function isAddresses(text: string): boolean {
  return text.split(",").every((one, i, all) => {
    const bare = one.trim();
    return subnetOf(bare, 128) !== undefined || bare === "" && i > 0 && i === all.length - 1;
  });
}

// even IPv6 addresses have no brackets there
function withoutLastPort(text: string): string {
  return text.slice(0, text.lastIndexOf(":")).replace(/^\[(.*)\]$/, "$1");
}

/** Splits at spaces, except in quotation marks or brackets, which are kept. */
function tokensOf(line: string, from: number): string[] {
  const tokens: string[] = [];
  for (let at = from; at < line.length;) {
    const first = line[at]!;
    if (first === " ") {
      at++;
      continue;
    }
    const close = first === '"' ? endOfQuoted(line, at) : first === "[" ? line.indexOf("]", at) : -1;
    const space = close < 0 ? line.indexOf(" ", at) : close + 1;
    const end = space < 0 ? line.length : space;
    tokens.push(line.slice(at, end));
    at = end;
  }
  return tokens;
}

function isQuoted(token: string): boolean {
  return token.startsWith('"');
}

function unquoted(token: string): string {
  return isQuoted(token) ? token.slice(1, -1) : token;
}

function firstQuote(line: string): number {
  let quote = line.indexOf('"');
  while (quote >= 0 && isEscaped(line, quote)) quote = line.indexOf('"', quote + 1);
  return quote;
}

function endOfQuoted(line: string, start: number): number {
  for (let end = line.indexOf('"', start + 1); end >= 0; end = line.indexOf('"', end + 1)) {
    if (!isEscaped(line, end)) return end;
  }
  throw new UnreadableLine("a quotation mark is not closed");
}

function isEscaped(line: string, at: number): boolean {
  let slashes = 0;
  while (line.charCodeAt(at - 1 - slashes) === 92) slashes++;
  return slashes % 2 === 1;
}
