import { describe, refuseOption } from "@sluice/shared";
import type { Request } from "@sluice/sluice";

/** Whether the headers name the program's own origin, a foreign origin, or none. */
export type Verdict = "own" | "foreign" | "unknown";

/**
 * Determines whether a page from a different origin made a request, like Go's `http.CrossOriginProtection`.
 * `Sec-Fetch-Site` decides (W3C Fetch Metadata): every browser has sent it to secure origins since 2023, and no page
 * can forge it. Without it, `Origin` decides (RFC 6454 section 7), which browsers have sent with every unsafe method
 * since 2020.
 *
 * @param req The request
 * @param trusted Origins that count as the program's own
 * @returns Unknown if it has neither header
 */
export function crossOrigin(req: Request, trusted: ReadonlySet<string>): Verdict {
  const site = req.get("sec-fetch-site");
  const origin = req.get("origin");
  // "none" means a typed URL or a bookmark
  if (site === "same-origin" || site === "none") return "own";
  if (!site && !origin) return "unknown";
  if (origin && (trusted.has(origin) || (!site && isOwn(req, origin)))) return "own";
  return "foreign";
}

// Behind an untrusted proxy, the scheme is unknown, and an HTTPS origin is accepted like an HTTP origin. But a page
// loaded over plain HTTP may be forged.
function isOwn(req: Request, origin: string): boolean {
  const from = parsed(origin);
  if (from === null || (from.protocol === "http:" && req.secure)) return false;
  // same scheme, so that both omit the same default port
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
 * @param origins The program's list
 * @throws {TypeError} If it is not an array, or an entry is not exactly what browsers send
 */
export function checkOrigins(origins: unknown): Set<string> {
  if (!Array.isArray(origins)) refuseOption("csrf", "origins", 'a list such as ["https://example.com"]', origins);
  for (const origin of origins) {
    const meant = typeof origin === "string" ? parsed(origin)?.origin : undefined;
    // "null" is the origin of files and sandboxes, which anyone can use
    if (meant === origin && meant !== "null") continue;
    const instead = meant === undefined || meant === "null" ? 'such as "https://example.com"' : `"${meant}"`;
    throw new TypeError(`csrf: option origins has ${describe(origin)}; write each as browsers send it, ${instead}`);
  }
  return new Set(origins);
}
