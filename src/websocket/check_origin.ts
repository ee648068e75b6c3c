import { asciiLowerCase } from "../util/ascii.ts";
import { describe } from "../util/error_text.ts";
import { HttpError } from "../http/http_error.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { WebSocketHandlers } from "./ws_handlers.ts";

/**
 * Asserts that the page behind a handshake may open the WebSocket. A browser sends the user's cookies to any host that
 * a page names, and no check like CORS applies. But the page cannot set the `Origin` header (RFC 6455 section 10.2).
 *
 * @param req The handshake
 * @param origins The route's `origins` option
 * @throws {HttpError} 403 if the page may not open it
 * @throws {TypeError} If a function returns neither `true` nor `false`
 */
export function assertOrigin(req: FrameworkRequest, origins: WebSocketHandlers["origins"]): void {
  if (origins === "any") return;
  const origin = req.get("origin");
  // a request without Origin is not from a page: browsers always send it
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

// headers that the browser itself adds; a page can set neither
function hasCredentials(req: FrameworkRequest): boolean {
  return req.get("cookie") !== undefined || req.get("authorization") !== undefined;
}

// Ignores the scheme, which is unknown behind a proxy that terminates TLS, and either scheme's default port.
function isOwn(origin: string, host: string | undefined): boolean {
  const [, own] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return own !== undefined && host !== undefined && withoutUsualPort(own) === withoutUsualPort(host);
}

function withoutUsualPort(host: string): string {
  return asciiLowerCase(host).replace(/:(?:80|443)$/, "");
}

function told(verdict: unknown): boolean {
  if (typeof verdict === "boolean") return verdict;
  // a promise would admit every page
  throw new TypeError(`app.ws: "origins" must return true or false synchronously, not ${describe(verdict)}`);
}

/**
 * Asserts that a value is valid for the `origins` option.
 *
 * @param caller Name of the caller for error messages
 * @param origins The value
 * @throws {TypeError} If it is not, or the list has an entry that no browser sends as an origin
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

// null if the origin is valid (RFC 6454 section 6.2)
function remedyFor(origin: unknown): string | null {
  const example = 'write it as browsers send it, such as "https://example.com"';
  if (typeof origin !== "string") return example;
  if (origin === "null") return 'any page can have that one, so allow "any"';
  if (origin.includes("*")) return 'allow "any", or decide in a function (origin) => boolean';
  // other schemes, such as browser extensions', have no canonical form
  if (!/^https?:/i.test(origin)) return /^[a-z][a-z\d+.-]*:\/\/[^/?# \t\r\n]+$/.test(origin) ? null : example;
  if (!URL.canParse(origin)) return example;
  const { origin: sent } = new URL(origin);
  return sent === origin ? null : `browsers send "${sent}"`;
}
