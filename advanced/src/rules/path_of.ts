/**
 * The path of a URL, or of a request's target, without its query.
 *
 * @param target Such as `https://example.com/a?b` or `/a?b`
 */
export function pathOf(target: string): string {
  let path = target;
  if (path.charCodeAt(0) !== 47) path = path.replace(/^https?:\/\/[^/?#]*/i, "") || "/";
  const end = path.search(/[?#]/);
  return end < 0 ? path : path.slice(0, end);
}
