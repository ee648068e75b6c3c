import { describe } from "../util/error_text.ts";
import type { WebSocketHandlers } from "./ws_handlers.ts";

/**
 * Asserts that a value can be the option `origins`.
 *
 * @param caller Name of the caller for error messages
 * @param origins The value
 * @throws {TypeError} If it is not, or the list has what no browser sends as an origin
 */
export function assertOrigins(caller: string, origins: unknown): asserts origins is WebSocketHandlers["origins"] {
  if (origins === undefined || origins === "any" || typeof origins === "function") return;
  if (!Array.isArray(origins)) {
    throw new TypeError(
      `${caller}: "origins" must be a list of origins, a function or "any", not ${describe(origins)}`,
    );
  }
  for (const origin of origins) {
    const remedy = remedyFor(origin);
    if (remedy === null) continue;
    throw new TypeError(`${caller}: "origins" has ${describe(origin)}, which is not the origin of a page; ${remedy}`);
  }
}

// null if nothing is wrong (RFC 6454 section 6.2)
function remedyFor(origin: unknown): string | null {
  const example = 'write it as browsers send it, such as "https://example.com"';
  if (typeof origin !== "string") return example;
  if (origin === "null") return 'any page can have that one, so allow "any"';
  if (origin.includes("*")) return 'allow "any", or decide in a function (origin) => boolean';
  // other schemes, such as that of a browser's extensions, have no canonical form
  if (!/^https?:/i.test(origin)) return /^[a-z][a-z\d+.-]*:\/\/[^/?#\s]+$/.test(origin) ? null : example;
  if (!URL.canParse(origin)) return example;
  const { origin: sent } = new URL(origin);
  return sent === origin ? null : `browsers send "${sent}"`;
}
