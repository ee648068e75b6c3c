import { GenerationalCache } from "../util/generational_cache.ts";

/** A name or an IPv4 or IPv6 address, with an optional port, in the characters allowed by RFC 3986 section 3.2.2. */
const SHAPE = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Longer hosts are not cached, because clients choose them; no DNS name is longer. */
const LONGEST = 255 + ":65535".length;

const known = new GenerationalCache<true>(256);
/** The last known host: most servers have one name, and comparing is cheaper than a lookup. */
let last = "localhost";

/**
 * Returns whether a string is a host with an optional port (RFC 9110 section 7.2) that is valid in a URL: no character
 * in it ends a host, as a slash would, and its port is at most 65535.
 *
 * @param text The string
 */
export function isHost(text: string): boolean {
  if (text === last) return true;
  if (known.get(text) === undefined) {
    if (!SHAPE.test(text) || !URL.canParse(`http://${text}`)) return false;
    if (text.length > LONGEST) return true;
    known.set(text, true);
  }
  last = text;
  return true;
}

/** The part of a URL before its path. */
const ORIGIN = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)/i;

/**
 * Returns the length of the scheme and host before a URL's path.
 *
 * @param url The URL, which a server may have built from client input
 * @returns The length, -1 if the host is missing or invalid for the scheme
 */
export function originLength(url: string): number {
  const [origin = "", scheme = "", host = ""] = ORIGIN.exec(url) ?? [];
  const isWeb = /^https?$/i.test(scheme);
  // other schemes come from Unix sockets, "http+unix:", and from programs such as Electron; some have no host
  const isProper = isWeb ? isHost(host) : scheme !== "" && (host === "" || SHAPE.test(host));
  return isProper ? origin.length : -1;
}

/**
 * Creates the response to a request with an invalid `Host` header (RFC 9112 section 3.2).
 *
 * @param isHead Whether the method is HEAD
 */
export function improperHost(isHead: boolean): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return new Response(isHead ? null : "Bad Request", { status: 400, headers });
}
