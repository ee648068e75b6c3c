import { unpaddedBase64 } from "@sluice/shared";

/**
 * Bytes as text that cookies, URLs and headers can carry (RFC 4648 section 5), without padding.
 *
 * @param bytes At most some kilobytes
 */
export function toBase64url(bytes: Uint8Array): string {
  return unpaddedBase64(bytes).replaceAll("+", "-").replaceAll("/", "_");
}

/**
 * The bytes of such a text.
 *
 * @param text What a client sent
 * @returns The bytes, `null` unless it is exactly what {@linkcode toBase64url} makes of them
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
 * Text that nobody can guess.
 *
 * @param bytes Random bytes in it
 */
export function randomText(bytes: number): string {
  return toBase64url(crypto.getRandomValues(new Uint8Array(bytes)));
}
