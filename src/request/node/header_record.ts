/** Common header names: editors complete them, and strict compilers allow only these with a dot. */
export type HeaderName =
  | ("accept" | "accept-charset" | "accept-encoding" | "accept-language" | "authorization" | "cache-control")
  | ("connection" | "content-length" | "content-type" | "cookie" | "date" | "expect" | "forwarded" | "host")
  | ("if-match" | "if-modified-since" | "if-none-match" | "if-range" | "if-unmodified-since" | "origin" | "pragma")
  | ("range" | "referer" | "te" | "trailer" | "upgrade" | "user-agent" | "via" | "x-forwarded-for");

/** The common headers, if the client sent them. */
export type NamedHeaders = { [name in HeaderName]?: string | undefined };

/** Request headers by lower-case name, as Node's `req.headers`. */
export interface HeaderRecord extends NamedHeaders {
  /** Of all headers, only this one is a list: its values cannot be joined (RFC 6265 section 3). */
  "set-cookie"?: string[] | undefined;
  /** Any other; what is received is text. */
  [name: string]: string | string[] | undefined;
}

/** Calls a visitor with each header: value, then name, as `Headers.forEach` does. */
export type HeaderVisit = (visitor: (value: string, name: string) => void) => void;

/**
 * Copies headers into a plain object that middleware may read and change.
 *
 * @param visit Visits the headers of the request; names may be in any case, and repeated
 * @returns Lower-case names and joined values; cookies are joined with `; ` as Node does (RFC 9113 section 8.2.3), and
 * `Set-Cookie` is a list
 */
export function headerRecord(visit: HeaderVisit): HeaderRecord {
  const record: HeaderRecord = {};
  visit((value, given) => {
    // of ASCII alone: runtimes refuse a request with another name
    const name = given.toLowerCase();
    if (name === "set-cookie") return void (record[name] ??= []).push(value);
    const earlier = Object.hasOwn(record, name) ? record[name] : undefined;
    record[name] = earlier === undefined ? value : `${earlier}${name === "cookie" ? "; " : ", "}${value}`;
  });
  return record;
}
