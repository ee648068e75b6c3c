import { sha1 } from "./sha1.ts";

const UTF8 = new TextEncoder();

/**
 * Weak entity tag of a body (RFC 9110 section 8.8.3): its length and a 53-bit hash.
 *
 * A weak tag only has to tell a client's own earlier copy from the present one, so a fast hash will do; Express's
 * SHA-1 costs about four times as much on a short body.
 *
 * @param body Text or bytes; both give the same tag for the same bytes
 * @returns For example `W/"1b-9x0k3v2m1qa"`
 */
export function weakEntityTag(body: string | Uint8Array): string {
  if (typeof body !== "string") return tagOf(body.byteLength, hashBytes(body));
  const hash = hashAscii(body);
  if (hash >= 0) return tagOf(body.length, hash);
  const bytes = UTF8.encode(body);
  return tagOf(bytes.byteLength, hashBytes(bytes));
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

function tagOf(length: number, hash: number): string {
  return `W/"${length.toString(16)}-${hash.toString(36)}"`;
}

const SEED_A = 0xdeadbeef;
const SEED_B = 0x41c6ce57;

// two 32-bit lanes of multiply and xor, joined to 53 bits
function join(a: number, b: number): number {
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

/** Hash of a text of ASCII characters, -1 if another character shows. */
function hashAscii(text: string): number {
  let a = SEED_A;
  let b = SEED_B;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 0x7f) return -1;
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  return join(a, b);
}

function hashBytes(bytes: Uint8Array): number {
  let a = SEED_A;
  let b = SEED_B;
  for (let i = 0; i < bytes.length; i++) {
    a = Math.imul(a ^ bytes[i]!, 2654435761);
    b = Math.imul(b ^ bytes[i]!, 1597334677);
  }
  return join(a, b);
}
