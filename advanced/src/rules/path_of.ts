/**
 * The path of a URL, or of a request's target, without its query, and without a fragment, which no client should send.
 *
 * @param target Such as `https://example.com/a?b` or `/a?b`
 */
export function pathOf(target: string): string {
  // routers on Node take any scheme
  const path = target.charCodeAt(0) === 47 ? target : target.replace(/^[a-z][a-z\d+.-]*:(?:\/\/[^/?#]*)?/i, "");
  const end = path.search(/[?#]/);
  return (end < 0 ? path : path.slice(0, end)) || "/";
}

/**
 * The paths that routers of web requests may find in a URL: that of the standard, which h3 goes by, and what follows the
 * first slash, which Hono looks for behind the scheme, and Elysia from the twelfth character on. They differ for hosts that
 * clients make up, such as `a?` or `a`.
 *
 * @param url The URL of a request
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

/** What is done to a path before it is compared, or a file is looked for, one after the other, or left out. */
const READINGS: readonly ((path: string) => string)[] = [
  decodedPath,
  (path) => path.replace(/\/{2,}/g, "/"),
  // what the standard encodes is decoded again
  (path) => decodedPath(resolvedPath(path)),
  (path) => decoded(path, decodeURIComponent),
];

/**
 * How a path may be read: the fewer changes, the earlier. Sluice, Express and Koa route by it as it was sent; in a URL,
 * backslashes are slashes, and `/../` is resolved; Hono, h3 and Fastify decode it; names of files have no encoded slashes,
 * and no empty segments. What is reached by any of these spellings is concerned.
 *
 * @param path The path, as it was sent
 */
export function spellingsOf(path: string): readonly string[] {
  if (!/[%\\\t\n\r#]|\/[./]/.test(path)) return [path];
  const begun = path.includes("#") ? [path, path.split("#", 1)[0]!] : [path];
  return READINGS.reduce((all, read) => [...new Set([...all, ...all.map(read)])], begun);
}

// as routers decode it: whoever decodes a segment of it later must not do so twice
function decodedPath(path: string): string {
  return decoded(path.replaceAll("%25", "%2525"), decodeURI);
}

/** A path as the standard of URLs resolves it. */
export function resolvedPath(path: string): string {
  if (!/\/(?:\.|%2e)|[\\\t\n\r]/i.test(path)) return path;
  const url = `http://localhost${path.replace(/[?#]/g, encodeURIComponent)}`;
  return URL.canParse(url) ? new URL(url).pathname : path;
}

/**
 * A segment of a path, decoded: another spelling of it is no other counter.
 *
 * @param path The path, as it was sent
 * @param index Which one, 1 for the first
 * @returns The segment, `undefined` or empty if there is none
 */
export function segmentOf(path: string, index: number): string | undefined {
  const segment = path.split(/\/+/, index + 1)[index];
  return segment && decoded(segment, decodeURIComponent);
}

/** Decodes a target, but for slashes, as routers do that decode before they look for segments and the query. */
export function decodedTarget(target: string): string {
  return decoded(target.replace(/%2f/gi, "%252f"), decodeURIComponent);
}

/** Characters that are encoded as UTF-8 has it (RFC 3629 §4). What can't be decoded would cost an exception each. */
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
 * Decodes what can be decoded of a string: one that is broken somewhere is not another one as a whole.
 *
 * @param text Such as a path, or a segment of one
 * @param decode `decodeURI`, which leaves slashes encoded, or `decodeURIComponent`
 */
function decoded(text: string, decode: (text: string) => string): string {
  return text.replace(ENCODED, (characters) => decode(characters));
}
