/**
 * `Vary` for comparison with Express's: an error page has an additional `Accept`, because clients may get JSON instead.
 *
 * @param vary The header
 * @param policy The `Content-Security-Policy` header, which error pages have
 */
export function varyOf(vary: string | null | undefined, policy: string | null | undefined): string | null {
  if (!vary || policy !== "default-src 'none'") return vary ?? null;
  return vary.split(", ").filter((name) => name !== "Accept").join(", ") || null;
}
