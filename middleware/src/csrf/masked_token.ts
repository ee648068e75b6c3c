import { fromBase64url, toBase64url } from "../cookies/base64url.ts";

/** Random bytes in a secret. */
export const SECRET_BYTES = 16;

/**
 * Creates a token for a secret, a different one each time, so that the compressed size of pages does not reveal the
 * secret (BREACH).
 *
 * @param secret The secret, as base64url
 */
export function maskedToken(secret: string): string {
  const bytes = fromBase64url(secret) ?? new Uint8Array();
  const token = new Uint8Array(2 * bytes.length);
  const mask = crypto.getRandomValues(token.subarray(0, bytes.length));
  token.set(bytes.map((byte, i) => byte ^ mask[i]!), bytes.length);
  return toBase64url(token);
}

/**
 * Whether a token was made from a secret.
 *
 * @param token The string that a client sent
 * @param secret The secret, as base64url
 */
export function isTokenOf(token: string, secret: string): boolean {
  const bytes = fromBase64url(token);
  const wanted = fromBase64url(secret);
  if (bytes?.length !== 2 * SECRET_BYTES || wanted === null) return false;
  return equalBytes(bytes.subarray(SECRET_BYTES).map((byte, i) => byte ^ bytes[i]!), wanted);
}

/** Compares bytes in a time that does not reveal where they differ. */
export function equalBytes(some: Uint8Array, others: Uint8Array): boolean {
  let difference = some.length ^ others.length;
  some.forEach((byte, i) => difference |= byte ^ (others[i] ?? 0));
  return difference === 0;
}
