import { asciiLowerCase } from "../util/ascii.ts";
import { describe } from "../util/error_text.ts";
import { HttpError } from "../http/http_error.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { WebSocketHandlers } from "./ws_handlers.ts";

/**
 * Asserts that the page that sent a handshake may do so. A browser sends the user's cookies to whatever host a page asks
 * for, and there is no check like CORS; but the page cannot choose the header `Origin` (RFC 6455 section 10.2).
 *
 * @param req The handshake
 * @param origins The option of the route
 * @throws {HttpError} 403 if the page may not
 * @throws {TypeError} If a function returns neither `true` nor `false`
 */
export function assertOrigin(req: FrameworkRequest, origins: WebSocketHandlers["origins"]): void {
  if (origins === "any") return;
  const origin = req.get("origin");
  // no page: browsers always send it
  if (origin === undefined || isAllowed(origin, req, origins)) return;
  throw new HttpError(403, `Pages of ${origin} may not open this WebSocket; see the option "origins" of app.ws`);
}

function isAllowed(
  origin: string,
  req: FrameworkRequest,
  origins: Exclude<WebSocketHandlers["origins"], "any">,
): boolean {
  if (typeof origins === "function") return told(origins(origin, req));
  if (isOwn(origin, req.host)) return true;
  return origins === undefined ? !hasCredentials(req) : origins.includes(origin);
}

// what a browser adds by itself; a page can set neither header
function hasCredentials(req: FrameworkRequest): boolean {
  return req.get("cookie") !== undefined || req.get("authorization") !== undefined;
}

// The scheme does not count: behind a proxy that ends TLS it is unknown. Nor does the usual port of either scheme.
function isOwn(origin: string, host: string | undefined): boolean {
  const [, own] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return own !== undefined && host !== undefined && withoutUsualPort(own) === withoutUsualPort(host);
}

function withoutUsualPort(host: string): string {
  return asciiLowerCase(host).replace(/:(?:80|443)$/, "");
}

function told(verdict: unknown): boolean {
  if (typeof verdict === "boolean") return verdict;
  // a promise would let everybody in
  throw new TypeError(`app.ws: "origins" must return true or false synchronously, not ${describe(verdict)}`);
}

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
  if (!/^https?:/i.test(origin)) return /^[a-z][a-z\d+.-]*:\/\/[^/?# \t\r\n]+$/.test(origin) ? null : example;
  if (!URL.canParse(origin)) return example;
  const { origin: sent } = new URL(origin);
  return sent === origin ? null : `browsers send "${sent}"`;
}
