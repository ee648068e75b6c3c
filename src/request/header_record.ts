/** Request headers by lower-case name, as Node's `req.headers`. */
export type HeaderRecord = Record<string, string | undefined>;

/**
 * Copies web headers into a plain object that middleware may read and change.
 *
 * @param headers The headers of the request
 * @returns Lower-case names and joined values; cookies are joined with `; ` as Node does (RFC 9113 section 8.2.3)
 */
export function headerRecord(headers: Headers): HeaderRecord {
  const record: HeaderRecord = {};
  // on Deno, an iterator sorts the headers anew for each of them
  headers.forEach((value, name) => {
    const earlier = name === "cookie" ? record[name] : undefined;
    record[name] = earlier === undefined ? value : `${earlier}; ${value}`;
  });
  return record;
}
