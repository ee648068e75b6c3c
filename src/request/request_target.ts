/**
 * Cuts the request target (path and query, no fragment) out of an absolute URL.
 *
 * @param url An absolute URL as `Request.url` holds it
 * @returns The target, always beginning with a slash
 */
export function parseTarget(url: string): string {
  const fragment = url.indexOf("#");
  const end = fragment === -1 ? url.length : fragment;
  // the shortest origin is "http://x", so no path can begin before the eighth character
  const slash = url.indexOf("/", 8);
  if (slash === -1 || slash > end) {
    const query = url.indexOf("?");
    return query === -1 || query > end ? "/" : "/" + url.slice(query, end);
  }
  const query = url.lastIndexOf("?", slash);
  return query === -1 ? url.slice(slash, end) : "/" + url.slice(query, end);
}
