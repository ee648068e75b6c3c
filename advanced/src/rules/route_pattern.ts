/**
 * Route syntax in a document: at most one name or star per segment. With more of them, or if a name could end early,
 * matching a long path could take quadratic time.
 */
const ROUTE = /^(?:\/[^\s?#()[\]{}/:*]*(?:(?::\w+(?!\w)|\*(?!\w))[^\s?#()[\]{}/:*]*)?)+(?:\/\*\w+)?$/;

/**
 * Compiles a route from a document. As in Express, case and a trailing slash are ignored. `:name` and `*` match a
 * segment's content. A final `*` matches any number of segments, including none; it may have a name, as in Express 5.
 * For some routers, a segment may be empty.
 *
 * @param route The route, such as `/users/:id` or `/api/*`
 * @returns `null` if it is invalid
 */
export function routePattern(route: string): RegExp | null {
  if (!ROUTE.test(route)) return null;
  const segments = route.replace(/\/+$/, "").split("/").slice(1);
  const parts = segments.map((segment, i) => {
    if (/^\*\w*$/.test(segment) && i === segments.length - 1) return "(?:/.*)?";
    const isWhole = /^(?::\w+|\*)$/.test(segment);
    // an empty last segment is a different route, unless there is one more slash
    if (isWhole) return i === segments.length - 1 ? "/(?:[^/]+|/)" : "/[^/]*";
    return `/${segment.replace(/[.+^$|\\]/g, "\\$&").replace(/:\w+/, "[^/]+").replace("*", "[^/]*")}`;
  });
  return new RegExp(`^${parts.join("")}/?$`, "isu");
}
