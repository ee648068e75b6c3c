/**
 * What a route in a document may consist of: in each segment at most one name or star. With more of them, a path that is
 * long enough would take a quadratic time, as a route would if a name could end before it ends.
 */
const ROUTE = /^(?:\/[^\s?#()[\]{}/:*]*(?:(?::\w+(?!\w)|\*(?!\w))[^\s?#()[\]{}/:*]*)?)+(?:\/\*\w+)?$/;

/**
 * The paths that a route of a document stands for: as in Express, without regard to capitals and to a slash at the end.
 * `:name` and `*` stand for what is in a segment, `*` as the last one for any number of segments, or none; it may have a
 * name there, as in Express 5. For some routers, a segment may be empty.
 *
 * @param route The route, such as `/users/:id` or `/api/*`
 * @returns `null` if it is none
 */
export function routePattern(route: string): RegExp | null {
  if (!ROUTE.test(route)) return null;
  const segments = route.replace(/\/+$/, "").split("/").slice(1);
  const parts = segments.map((segment, i) => {
    if (/^\*\w*$/.test(segment) && i === segments.length - 1) return "(?:/.*)?";
    const isWhole = /^(?::\w+|\*)$/.test(segment);
    // what is empty at the end is another route, unless there is one slash more
    if (isWhole) return i === segments.length - 1 ? "/(?:[^/]+|/)" : "/[^/]*";
    return `/${segment.replace(/[.+^$|\\]/g, "\\$&").replace(/:\w+/, "[^/]+").replace("*", "[^/]*")}`;
  });
  return new RegExp(`^${parts.join("")}/?$`, "isu");
}
