import type { Request } from "@sluice/sluice";

/** What the headers say about where a request comes from. */
export type Verdict = "own" | "foreign" | "unknown";

/**
 * Tells whether a page of another origin made a request, as Go's `http.CrossOriginProtection` does: by `Sec-Fetch-Site`
 * (W3C Fetch Metadata), which every browser has sent to secure origins since 2023 and no page can forge, and otherwise by
 * `Origin` (RFC 6454 section 7), which browsers have sent with every unsafe method since 2020.
 *
 * @param req The request
 * @param trusted Origins that count as the program's own
 * @returns Unknown if it has neither header
 */
export function crossOrigin(req: Request, trusted: ReadonlySet<string>): Verdict {
  const site = req.get("sec-fetch-site");
  const origin = req.get("origin");
  // "none" is what somebody typed, or opened from a bookmark
  if (site === "same-origin" || site === "none") return "own";
  if (!site && !origin) return "unknown";
  if (origin && (trusted.has(origin) || (!site && isOwn(req, origin)))) return "own";
  return "foreign";
}

// Behind a proxy that is not trusted the scheme is unknown, and an origin with TLS is as good as one without. But a page
// that came without TLS may be anybody's.
function isOwn(req: Request, origin: string): boolean {
  const from = parsed(origin);
  if (from === null || (from.protocol === "http:" && req.secure)) return false;
  // with the same scheme, so that both leave out the same port
  return parsed(`${from.protocol}//${req.host}`)?.host === from.host;
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * Checks a list of origins.
 *
 * @param origins What the program gave
 * @throws {TypeError} If it is no list, or one is not exactly what browsers send
 */
export function checkOrigins(origins: unknown): Set<string> {
  if (!Array.isArray(origins)) throw new TypeError("csrf: option origins must be a list of origins");
  for (const origin of origins) {
    const meant = typeof origin === "string" ? parsed(origin)?.origin : undefined;
    // an origin of files and sandboxes, which anybody can have
    if (meant === origin && meant !== "null") continue;
    const instead = meant === undefined || meant === "null" ? 'such as "https://example.com"' : `"${meant}"`;
    throw new TypeError(
      `csrf: option origins has ${JSON.stringify(origin)}; write each as browsers send it, ${instead}`,
    );
  }
  return new Set(origins);
}
