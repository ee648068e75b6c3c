/**
 * Cuts the target (path and query, no fragment) out of a URL that has a fragment, or no path, or nothing else.
 *
 * @param url An absolute URL, or a path
 * @returns The target, always beginning with a slash
 */
export function oddTarget(url: string): string {
  const fragment = url.indexOf("#");
  const end = fragment === -1 ? url.length : fragment;
  const slash = firstSlash(url);
  const query = url.indexOf("?");
  const queryFirst = query !== -1 && query < end && (slash === -1 || query < slash);
  if (queryFirst) return "/" + url.slice(query, end);
  return slash === -1 || slash > end ? "/" : url.slice(slash, end);
}

function firstSlash(url: string): number {
  if (url.startsWith("/")) return 0;
  // on Unix sockets, Deno's scheme is "http+unix:"; a colon before the path may also be an empty port
  return url.indexOf("/", url.indexOf("://") + 3);
}
