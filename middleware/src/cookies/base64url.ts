import { unpaddedBase64 } from "@sluice/shared";

/**
 * Encodes bytes for cookies, URLs and headers (RFC 4648 section 5), without padding.
 *
 * @param bytes At most a few kilobytes
 */
export function toBase64url(bytes: Uint8Array): string {
  return unpaddedBase64(bytes).replaceAll("+", "-").replaceAll("/", "_");
}

/**
 * Decodes such a string.
 *
 * @param text The string that a client sent
 * @returns The bytes, `null` unless the string is exactly what {@linkcode toBase64url} makes of them
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null;
  const bytes = Uint8Array.from(
    atob(text.replaceAll("-", "+").replaceAll("_", "/")),
    (character) => character.charCodeAt(0),
  );
  // the last character may have bits that belong to no byte
  return toBase64url(bytes) === text ? bytes : null;
}

/**
 * Returns an unguessable string.
 *
 * @param bytes Number of random bytes in it
 */
export function randomText(bytes: number): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(bytes)));
}
