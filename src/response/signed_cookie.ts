import { hmacSha256 } from "../http/sha256.ts";
import { utf8Bytes } from "../http/utf8.ts";

/**
 * Signs a cookie value as npm's cookie-signature does, so that cookie-parser accepts it.
 *
 * Synchronous, for `res.cookie` is: WebCrypto can only sign later.
 *
 * @param value The value
 * @param secret The secret
 * @returns The value, a dot and the HMAC-SHA256 in base64 without padding
 */
export function signCookie(value: string, secret: string): string {
  const mac = hmacSha256(utf8Bytes(secret), utf8Bytes(value));
  return `${value}.${btoa(String.fromCharCode(...mac)).replace(/=+$/, "")}`;
}
