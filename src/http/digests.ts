/** Digests that are there at once, where WebCrypto would answer later. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha1 as nobleSha1 } from "@noble/hashes/legacy.js";
import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";

/**
 * SHA-1 (FIPS 180-4), for entity tags and names of Redis scripts: nobody gains anything there by making two collide.
 *
 * @param bytes The bytes
 * @returns 20 bytes
 */
export function sha1(bytes: Uint8Array): Uint8Array {
  return nobleSha1(bytes);
}

/**
 * SHA-256 (FIPS 180-4).
 *
 * @param bytes The bytes
 * @returns 32 bytes
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes);
}

/**
 * HMAC with SHA-256 (RFC 2104).
 *
 * @param key The key
 * @param message The message
 * @returns 32 bytes
 */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return hmac(nobleSha256, key, message);
}
