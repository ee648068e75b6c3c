/**
 * Returns the path of a URL or request target, without its query or fragment. Clients should not send a fragment.
 *
 * @param target For example `https://example.com/a?b` or `/a?b`
 */
export function pathOf(target: string): string {
  // routers on Node accept any scheme
  const path = target.charCodeAt(0) === 47 ? target : target.replace(/^[a-z][a-z\d+.-]*:(?:\/\/[^/?#]*)?/i, "");
  const end = path.search(/[?#]/);
  return (end < 0 ? path : path.slice(0, end)) || "/";
}

/**
 * Returns the paths that Fetch routers may find in a URL: the standard's, which h3 uses, and the part after the first
 * slash, which Hono looks for after the scheme, and Elysia from the twelfth character on. They differ for hosts that
 * clients make up, such as `a?` or `a`.
 *
 * @param url The request URL
 */
export function webPathsOf(url: string): readonly string[] {
  const start = url.indexOf("/", url.indexOf(":") + 4);
  if (start >= 11 && !url.includes("#") && !url.slice(0, start).includes("?")) {
    const path = pathOf(url.slice(start));
    const resolved = resolvedPath(path);
    return resolved === path ? [path] : [resolved, path];
  }
  const path = pathOf(url);
  const sliced = [start, url.indexOf("/", 11)].filter((at) => at >= 0).map((at) => url.slice(at).split("?", 1)[0]!);
  return [...new Set([resolvedPath(path), path, ...sliced])];
}

/** The transformations that routers and file servers may apply to a path, in order; each may be omitted. */
const READINGS: readonly ((path: string) => string)[] = [
  decodedPath,
  (path) => path.replace(/\/{2,}/g, "/"),
  // the URL standard encodes characters, which are decoded again
  (path) => decodedPath(resolvedPath(path)),
  (path) => decoded(path, decodeURIComponent),
];

/**
 * Returns the possible readings of a path, those with the fewest changes first. Sluice, Express and Koa route the path
 * that the client sent; in a URL, backslashes are slashes and `/../` is resolved; Hono, h3 and Fastify decode it; file
 * names have no encoded slashes and no empty segments. A rule applies if any of these spellings matches.
 *
 * @param path The path, as sent
 */
export function spellingsOf(path: string): readonly string[] {
  if (!/[%\\\t\n\r#]|\/[./]/.test(path)) return [path];
  const begun = path.includes("#") ? [path, path.split("#", 1)[0]!] : [path];
  return READINGS.reduce((all, read) => [...new Set([...all, ...all.map(read)])], begun);
}

// as routers decode it: a router that decodes a segment later must not decode it twice
function decodedPath(path: string): string {
  return decoded(path.replaceAll("%25", "%2525"), decodeURI);
}

/** Resolves a path as the URL standard does. */
export function resolvedPath(path: string): string {
  if (!/\/(?:\.|%2e)|[\\\t\n\r]/i.test(path)) return path;
  const url = `http://localhost${path.replace(/[?#]/g, encodeURIComponent)}`;
  return URL.canParse(url) ? new URL(url).pathname : path;
}

/**
 * Returns a decoded segment of a path, so that different spellings share a counter.
 *
 * @param path The path, as sent
 * @param index Which segment, 1 for the first
 * @returns The segment, `undefined` or empty if there is none
 */
export function segmentOf(path: string, index: number): string | undefined {
  const segment = path.split(/\/+/, index + 1)[index];
  return segment && decoded(segment, decodeURIComponent);
}

/** Decodes a target except for slashes, like routers that decode before they split it into segments and query. */
export function decodedTarget(target: string): string {
  return decoded(target.replace(/%2f/gi, "%252f"), decodeURIComponent);
}

/** Sequences that are valid UTF-8 (RFC 3629 §4). Each invalid one would cost an exception. */
const ENCODED = new RegExp(
  "(?:" + [
    "%[0-7]h",
    "%(?:c[2-9a-f]|dh)T",
    "%(?:e0%[ab]h|e[1-9a-cef]T|ed%[89]h)T",
    "%(?:f0%[9ab]h|f[1-3]T|f4%8h)TT",
  ].join("|").replaceAll("T", "%[89ab]h").replaceAll("h", "[\\da-f]") + ")+",
  "gi",
);

/**
 * Decodes the valid parts of a string, so that an invalid part does not keep the rest encoded.
 *
 * @param text A path or segment, for example
 * @param decode `decodeURI`, which leaves slashes encoded, or `decodeURIComponent`
 */
function decoded(text: string, decode: (text: string) => string): string {
  return text.replace(ENCODED, (characters) => decode(characters));
}
