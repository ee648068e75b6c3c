/**
 * The path of a URL, or of a request's target, without its query.
 *
 * @param target Such as `https://example.com/a?b` or `/a?b`
 */
export function pathOf(target: string): string {
  // a target has no fragment; Fastify takes one for part of the path
  if (target.charCodeAt(0) === 47) return target.split("?", 1)[0]!;
  // routers on Node take any scheme
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, "").split(/[?#]/, 1)[0] || "/";
}

/** What is done to a path before it is compared, or a file is looked for, one after the other, or left out. */
const READINGS: readonly ((path: string) => string)[] = [
  (path) => path.split("#", 1)[0]!,
  (path) => decoded(path, decodeURIComponent),
  (path) => path.replace(/\/{2,}/g, "/"),
  resolved,
  (path) => decoded(path, decodeURI),
];

/**
 * How a path may be read. Sluice, Express and Koa route by it as it was sent; in a URL, backslashes are slashes, and
 * `/../` is resolved; Hono, h3 and Fastify decode it; names of files have no encoded slashes, and no empty segments. What
 * is reached by any of these spellings is concerned.
 *
 * @param path The path, as it was sent
 */
export function spellingsOf(path: string): readonly string[] {
  if (!/[%\\\t\n\r#]|\/[./]/.test(path)) return [path];
  return READINGS.reduce((all, read) => [...new Set([...all, ...all.map(read)])], [path]);
}

function resolved(path: string): string {
  if (!/\/\.|[\\\t\n\r]/.test(path)) return path;
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
  if (segment) return decoded(segment, decodeURIComponent);
  // it may have been sent with encoded slashes, as far as files are concerned
  return path.includes("%") ? decoded(path, decodeURIComponent).split(/\/+/, index + 1)[index] : undefined;
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
 * Decodes what can be decoded of a text: one that is broken somewhere is not another one as a whole.
 *
 * @param text Such as a path, or a segment of one
 * @param decode `decodeURI`, which leaves slashes encoded, or `decodeURIComponent`
 */
function decoded(text: string, decode: (text: string) => string): string {
  return text.replace(ENCODED, (characters) => decode(characters));
}
