/** Common header names: editors complete them, and strict compilers allow property access only for these. */
export type HeaderName =
  | ("accept" | "accept-charset" | "accept-encoding" | "accept-language" | "authorization" | "cache-control")
  | ("connection" | "content-length" | "content-type" | "cookie" | "date" | "expect" | "forwarded" | "host")
  | ("if-match" | "if-modified-since" | "if-none-match" | "if-range" | "if-unmodified-since" | "origin" | "pragma")
  | ("range" | "referer" | "te" | "trailer" | "upgrade" | "user-agent" | "via" | "x-forwarded-for");

/** The common headers, if sent by the client. */
export type NamedHeaders = { [name in HeaderName]?: string | undefined };

/** Request headers by lower-case name, like Node's `req.headers`. */
export interface HeaderRecord extends NamedHeaders {
  /** The only header that is a list: its values cannot be joined (RFC 6265 section 3). */
  "set-cookie"?: string[] | undefined;
  /** Any other header; received headers are strings. */
  [name: string]: string | string[] | undefined;
}

/** Calls a visitor with each header: value, then name, like `Headers.forEach`. */
export type HeaderVisit = (visitor: (value: string, name: string) => void) => void;

/**
 * Copies headers into a plain object that middleware may read and change.
 *
 * @param visit Visits the request's headers; names may be in any case, and repeated
 * @returns Lower-case names and joined values; cookies are joined with `; ` as in Node (RFC 9113 section 8.2.3), and
 * `Set-Cookie` is a list
 */
export function headerRecord(visit: HeaderVisit): HeaderRecord {
  const record: HeaderRecord = {};
  visit((value, given) => {
    // ASCII only: runtimes reject requests with other names
    const name = given.toLowerCase();
    if (name === "set-cookie") return void (record[name] ??= []).push(value);
    const earlier = Object.hasOwn(record, name) ? record[name] : undefined;
    record[name] = earlier === undefined ? value : `${earlier}${name === "cookie" ? "; " : ", "}${value}`;
  });
  return record;
}
