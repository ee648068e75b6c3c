import { sha1 } from "./sha1.ts";

const UTF8 = new TextEncoder();

/**
 * Weak entity tag of a body (RFC 9110 section 8.8.3): its length and a 60-bit hash.
 *
 * A weak tag only has to tell a client's own earlier copy from the present one, so a fast hash will do; Express's
 * SHA-1 costs about four times as much on a short body.
 *
 * @param body Text or bytes; both give the same tag for the same bytes
 * @returns For example `W/"1b-9x0k3v2m1qa"`
 */
export function weakEntityTag(body: string | Uint8Array): string {
  if (typeof body === "string" && hashAscii(body)) return formatted(body.length);
  const bytes = typeof body === "string" ? UTF8.encode(body) : body;
  hashBytes(bytes);
  return formatted(bytes.byteLength);
}

/**
 * Strong entity tag of a body: its length and its SHA-1, byte for byte what Express sends.
 *
 * @param body Text or bytes
 * @returns For example `"d-HwnTDHB9U/PRbFMN1z1wps51lqk"`
 */
export function strongEntityTag(body: string | Uint8Array): string {
  const bytes = typeof body === "string" ? UTF8.encode(body) : body;
  const digest = btoa(String.fromCharCode(...sha1(bytes))).slice(0, 27);
  return `"${bytes.byteLength.toString(16)}-${digest}"`;
}

/**
 * Weak entity tag of a file, from its size and last change.
 *
 * @param file Size in bytes and last change in ms
 */
export function fileEntityTag(file: { readonly size: number; readonly mtimeMs: number }): string {
  return `W/"${file.size.toString(16)}-${Math.floor(file.mtimeMs).toString(16)}"`;
}

const SEED_A = 0xdeadbeef;
const SEED_B = 0x41c6ce57;

/** Two lanes of multiply and xor over the bytes, 30 bits of each. */
interface Hash {
  a: number;
  b: number;
}

// one object for all calls: a hash is formatted before the next one begins
const hash: Hash = { a: 0, b: 0 };

function finish(a: number, b: number): void {
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  // small integers are formatted several times as fast as large ones
  hash.a = a & 0x3fffffff;
  hash.b = b & 0x3fffffff;
}

function formatted(length: number): string {
  return `W/"${length.toString(16)}-${hash.a.toString(36)}${hash.b.toString(36)}"`;
}

/** Hashes a text of ASCII characters; tells whether it was one. */
function hashAscii(text: string): boolean {
  let a = SEED_A;
  let b = SEED_B;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return false;
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  finish(a, b);
  return true;
}

function hashBytes(bytes: Uint8Array): void {
  let a = SEED_A;
  let b = SEED_B;
  for (let i = 0; i < bytes.length; i++) {
    a = Math.imul(a ^ bytes[i]!, 2654435761);
    b = Math.imul(b ^ bytes[i]!, 1597334677);
  }
  finish(a, b);
}
