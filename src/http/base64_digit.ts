const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * A digit of Base64 (RFC 4648 section 4), as a character code: hashes join theirs in one call of `String.fromCharCode`.
 *
 * @param bits A number, of which the lowest six bits count
 */
export function base64Digit(bits: number): number {
  return ALPHABET.charCodeAt(bits & 63);
}
