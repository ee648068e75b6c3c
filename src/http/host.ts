import { GenerationalCache } from "../util/generational_cache.ts";

/** A name or an address of IPv4 or IPv6, and perhaps a port, in the characters of RFC 3986 section 3.2.2. */
const SHAPE = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Longer ones are checked again each time, since clients choose them: no name in DNS is longer. */
const LONGEST = 255 + ":65535".length;

const known = new GenerationalCache<true>(256);
/** The last one of those: most servers have one name, and comparing is cheaper than a look-up. */
let last = "localhost";

/**
 * Tells whether a text is a host with an optional port (RFC 9110 section 7.2), of which a URL can be made: nothing in it
 * ends the host, such as a slash, and its port is not above 65535.
 *
 * @param text The text
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

/** The parts of a URL in front of its path. */
const ORIGIN = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)/i;

/**
 * Length of the scheme and the host in front of a URL's path.
 *
 * @param url The URL; servers may have put it together from what a client sent
 * @returns The length, -1 if there is no host that is valid for the scheme
 */
export function originLength(url: string): number {
  const [origin = "", scheme = "", host = ""] = ORIGIN.exec(url) ?? [];
  const isWeb = /^https?$/i.test(scheme);
  // other schemes are those of Unix sockets, "http+unix:", and of programs, such as Electron's; some have no host
  const isProper = isWeb ? isHost(host) : scheme !== "" && (host === "" || SHAPE.test(host));
  return isProper ? origin.length : -1;
}

/**
 * The response to a request whose `Host` header is no host (RFC 9112 section 3.2).
 *
 * @param isHead Whether the client asked with HEAD
 */
export function improperHost(isHead: boolean): Response {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return new Response(isHead ? null : "Bad Request", { status: 400, headers });
}
