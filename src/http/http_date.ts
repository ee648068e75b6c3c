const IMF = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^[A-Z][a-z]+day, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}:\d{2}:\d{2}) GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}:\d{2}:\d{2}) (\d{4})$/;

/**
 * Formats a timestamp for a header (RFC 9110 section 5.6.7).
 *
 * @param ms ms since 1970
 * @returns For example `Sun, 06 Nov 1994 08:49:37 GMT`
 */
export function toHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/**
 * Parses a date header in any of the three forms a recipient must accept (RFC 9110 section 5.6.7).
 *
 * @param text The header value
 * @returns ms since 1970, `NaN` if it is not a date
 */
export function parseHttpDate(text: string): number {
  if (IMF.test(text)) return Date.parse(text);
  const old = RFC_850.exec(text);
  if (old !== null) {
    // a two-digit year more than fifty years ahead is in the past
    const year = Number(old[3]);
    const century = year > (new Date().getUTCFullYear() % 100) + 50 ? 1900 : 2000;
    return Date.parse(`${old[1]} ${old[2]} ${century + year} ${old[4]} GMT`);
  }
  const c = ASCTIME.exec(text);
  return c === null ? NaN : Date.parse(`${c[2]} ${c[1]} ${c[4]} ${c[3]} GMT`);
}
