/** The part of the HTTP/1.1 grammar that a client may rely on everywhere (RFC 9112), read strictly. */
import type { Sight } from "./target.ts";

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const AUTHORITY = /^(?:\[[0-9a-fA-F:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-fA-F]{2})+)(?::\d{0,5})?$/;
const TARGET = /^\/(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-fA-F]{2})*$/;
const METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"];

/** Whether a Host header names a host (section 3.2). */
export function isAuthority(host: string): boolean {
  return AUTHORITY.test(host) && !(Number(/:(\d+)$/.exec(host)?.[1]) > 65_535);
}

/**
 * Number of responses that a client may expect, if a string consists of complete and valid requests only; 0 otherwise.
 * A server may close the connection after a request whose body is not read.
 *
 * @param text The bytes that a client sends, one character each
 */
export function properRequests(text: string): number {
  let count = 0;
  let mayClose = false;
  for (let rest = text; rest !== "";) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1 || end > 4000) return 0;
    const [start, ...lines] = rest.slice(0, end).split("\r\n");
    const fields = lines.map((line) => /^([^:]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/.exec(line));
    if (!isProperStart(start!) || fields.some((field) => field === null || !TOKEN.test(field[1]!))) return 0;
    const values = (name: string) =>
      fields.filter((field) => field![1]!.toLowerCase() === name).map((field) => field![2]!);
    if (values("host").length !== 1 || !isAuthority(values("host")[0]!)) return 0;
    // these headers have their own rules
    if (["connection", "expect", "upgrade", "te", "content-encoding"].some((name) => values(name).length > 0)) return 0;
    const length = bodyLength(values("content-length"), values("transfer-encoding"), rest.slice(end + 4));
    if (length === -1) return 0;
    rest = rest.slice(end + 4 + length);
    if (!mayClose) count++;
    mayClose ||= length > 0;
  }
  return count;
}

function isProperStart(line: string): boolean {
  const [method, target, version, ...more] = line.split(" ");
  return METHODS.includes(method!) && TARGET.test(target ?? "") && version === "HTTP/1.1" && more.length === 0;
}

/** Body length in bytes, -1 if it is incomplete or invalid. */
function bodyLength(lengths: readonly string[], codings: readonly string[], rest: string): number {
  if (lengths.length + codings.length === 0) return 0;
  if (lengths.length + codings.length > 1) return -1;
  if (lengths.length === 1) {
    return /^\d{1,6}$/.test(lengths[0]!) && Number(lengths[0]) <= rest.length ? Number(lengths[0]) : -1;
  }
  if (codings[0] !== "chunked") return -1;
  for (let at = 0;;) {
    const size = /^([0-9a-f]{1,6})\r\n/i.exec(rest.slice(at, at + 10));
    if (size === null) return -1;
    const count = parseInt(size[1]!, 16);
    at += size[0].length + count + 2;
    if (rest.slice(at - 2, at) !== "\r\n") return -1;
    if (count === 0) return at;
  }
}

/**
 * Finds the fault in a request that reached a handler.
 *
 * @param sight The request as the handler saw it
 * @param sent All bytes that clients have sent
 */
export function forbidden({ method, url, host, secure }: Sight, sent: string): string | undefined {
  if (host !== undefined && host !== "" && !isAuthority(host)) return "a handler runs for a Host that is no host";
  if (secure) return "a request over plain TCP is secure";
  if (!TOKEN.test(method)) return "a handler runs for a method that is no token";
  if (/[^!-~\u0080-\uffff]|#/.test(url)) return "a handler sees a URL with a character that no URL has";
  // an asterisk refers to the whole server (section 3.2.4); a web request has a slash before it
  if (method === "OPTIONS" && /^\/?\*$/.test(url)) return undefined;
  if (!url.startsWith("/")) return "a handler sees a URL that is no path";
  // an absolute form may have an empty path; servers differ in how they pass on bytes that form no character
  if (url !== "/" && !/%[89a-f]|[^\0-\x7f]/i.test(url) && !targets(sent).some((one) => one.includes(decoded(url)))) {
    return "a handler sees a URL that no request line had";
  }
  return undefined;
}

function targets(sent: string): string[] {
  // some servers resolve dots
  return [sent, sent.replaceAll(/\/(?:\.\/)+/g, "/")].flatMap((text) => decoded(text).split(/\r?\n/));
}

/** Servers encode characters that a path may not contain, such as a brace. */
function decoded(text: string): string {
  return text.replaceAll(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}
