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

/**
 * How routers may read a path. Sluice, Express and Koa compare it as it was sent; in a URL, backslashes are slashes, and
 * `/../` is resolved; Hono, h3 and Fastify decode it. What reaches a handler by any of these spellings is concerned.
 *
 * @param path The path, as it was sent
 */
export function spellingsOf(path: string): readonly string[] {
  if (!/[%\\\s#]|\/\./.test(path)) return [path];
  const url = `http://localhost${path}`;
  const resolved = URL.canParse(url) ? new URL(url).pathname : path;
  return [...new Set([path, resolved].flatMap((one) => [one, decoded(one, decodeURI)]))];
}

/**
 * Decodes what can be decoded of a text: one that is broken somewhere is not another one as a whole.
 *
 * @param text Such as a path, or a segment of one
 * @param decode `decodeURI`, which leaves slashes encoded, or `decodeURIComponent`
 */
export function decoded(text: string, decode: (text: string) => string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => {
    try {
      return decode(bytes);
    } catch {
      return bytes;
    }
  });
}
