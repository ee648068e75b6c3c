import { serialize, type SetCookie } from "cookie-es";
import type { OptionNames } from "../util/check_option.ts";
import { describe } from "../util/error_text.ts";
import { isHeaderName } from "../http/header_values.ts";
import { unpaddedBase64, utf8Bytes } from "../util/encodings.ts";
import { nearestName } from "../util/nearest_name.ts";
import { hmacSha256 } from "../util/sha256.ts";

/**
 * Cookie attributes, as in Express.
 *
 * @example A one-week cookie hidden from scripts
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.post("/login", (_req, res) => {
 *   res.cookie("session", "7", { httpOnly: true, secure: true, sameSite: "lax", maxAge: 7 * 24 * 3600 * 1000 });
 *   res.sendStatus(204);
 * });
 * ```
 */
export interface CookieOptions {
  /** The cookie's domain; by default, the host only. */
  domain?: string | undefined;
  /** Encodes the value for the header, `encodeURIComponent` by default. */
  encode?: ((value: string) => string) | undefined;
  /** When the cookie expires; by default, at the end of the browser session. */
  expires?: Date | undefined;
  /** Hides the cookie from scripts. */
  httpOnly?: boolean | undefined;
  /** The cookie's lifetime in ms. */
  maxAge?: number | null | undefined;
  /** The cookie's path, `"/"` by default. */
  path?: string | undefined;
  /** Stores the cookie separately for each top-level site (CHIPS). */
  partitioned?: boolean | undefined;
  /** Which cookies the browser drops first. */
  priority?: "low" | "medium" | "high" | undefined;
  /** When cross-site requests carry the cookie; `true` means `"strict"`. */
  sameSite?: boolean | "lax" | "strict" | "none" | undefined;
  /** Sends the cookie only over TLS. */
  secure?: boolean | undefined;
  /** Signs the value with the secret that cookie middleware set in `req.secret`. */
  signed?: boolean | undefined;
}

const NAMES: OptionNames<CookieOptions> = {
  domain: true,
  encode: true,
  expires: true,
  httpOnly: true,
  maxAge: true,
  path: true,
  partitioned: true,
  priority: true,
  sameSite: true,
  secure: true,
  signed: true,
};

/**
 * Reports misspelt cookie options, which have no effect: `httponly` would expose the cookie to scripts. Other unknown
 * names may serve a different purpose.
 *
 * @param options The options
 * @returns A message for each misspelt option
 */
export function misspeltAttributes(options: CookieOptions): string[] {
  return Object.keys(options).flatMap((name) => {
    const meant = Object.hasOwn(NAMES, name) ? undefined : nearestName(name, Object.keys(NAMES));
    return meant === undefined ? [] : [`res.cookie: there is no option ${name}; did you mean ${meant}?`];
  });
}

/**
 * Formats a `Set-Cookie` header (RFC 6265 section 4.1).
 *
 * @param name Cookie name
 * @param value Cookie value
 * @param options Attributes
 * @param now The current time in ms
 * @returns The header value
 * @throws {TypeError} If the name, the value or an attribute is not allowed in a header
 */
export function formatSetCookie(name: string, value: string, options: CookieOptions, now: number): string {
  const { encode: given, maxAge, partitioned, signed: _, path = "/", sameSite, ...rest } = options;
  const encode = given || encodeURIComponent;
  const { domain, expires, priority } = options;
  if (expires && !(expires instanceof Date && !Number.isNaN(expires.getTime()))) {
    throw new TypeError("option expires is invalid; res.cookie expects a Date");
  }
  if (maxAge !== undefined && maxAge !== null && Number.isNaN(Number(maxAge))) {
    throw new TypeError(`option maxAge is invalid; res.cookie expects ms, not ${String(maxAge)}`);
  }
  if (priority && !["low", "medium", "high"].includes(String(priority).toLowerCase())) {
    throw new TypeError(`option priority is invalid; res.cookie expects "low", "medium" or "high", not ${priority}`);
  }
  if (typeof encode !== "function") {
    throw new TypeError(`option encode is invalid; res.cookie expects a function, not ${describe(encode)}`);
  }
  // as strict as Express; the package is not
  if (!isHeaderName(name)) throw new TypeError(`argument name is invalid: ${name}`);
  if (!isAttribute(path)) {
    throw new TypeError(`option path is invalid: ${path}; res.cookie expects an escaped URL path`);
  }
  if (!isAttribute(domain)) throw new TypeError(`option domain is invalid: ${domain}; res.cookie expects a host name`);
  const isNone = typeof sameSite === "string" && sameSite.toLowerCase() === "none";
  const cookie = { ...rest, path: path ?? "/", name, value } as SetCookie;
  if (sameSite && !isNone) cookie.sameSite = sameSite;
  if (maxAge !== undefined && maxAge !== null) {
    // old clients only support Expires
    cookie.expires = new Date(now + Number(maxAge));
    cookie.maxAge = Math.floor(Number(maxAge) / 1000);
  }
  // the package requires Secure with these two; Express does not
  return serialize(cookie, { encode }) + (partitioned ? "; Partitioned" : "") + (isNone ? "; SameSite=None" : "");
}

// printable ASCII except `;` and `<`, as in npm's cookie; RFC 6265 allows `<`
function isAttribute(value: unknown): boolean {
  return !value || /^[\x20-\x3a\x3d-\x7e]*$/.test(String(value));
}

/**
 * Signs a cookie value like npm's cookie-signature, so cookie-parser accepts it.
 *
 * Synchronous, because `res.cookie` is synchronous and WebCrypto is not.
 *
 * @param value The value
 * @param secret The secret
 * @returns The value, a dot and the HMAC-SHA256 in base64 without padding
 */
export function signCookie(value: string, secret: string): string {
  return `${value}.${unpaddedBase64(hmacSha256(utf8Bytes(secret), utf8Bytes(value)))}`;
}
