/**
 * Finds where the path begins in an absolute URL, by two short searches: every request pays for them.
 *
 * @param url An absolute URL as `Request.url` holds it
 * @returns The position of the first slash behind the origin; -1 for a URL that needs a closer look
 */
export function pathStart(url: string): number {
  // the shortest origin is "http://x", so no path can begin before the eighth character
  const slash = url.indexOf("/", 8);
  // servers deliver no fragment, but a request made in process may have one
  return slash === -1 || url.includes("#") || url.lastIndexOf("?", slash) !== -1 ? -1 : slash;
}

/**
 * Cuts the target (path and query, no fragment) out of a URL that has a fragment, or no path.
 *
 * @param url An absolute URL
 * @returns The target, always beginning with a slash
 */
export function oddTarget(url: string): string {
  const fragment = url.indexOf("#");
  const end = fragment === -1 ? url.length : fragment;
  const slash = url.indexOf("/", 8);
  const query = url.indexOf("?");
  const queryFirst = query !== -1 && query < end && (slash === -1 || query < slash);
  if (queryFirst) return "/" + url.slice(query, end);
  return slash === -1 || slash > end ? "/" : url.slice(slash, end);
}
