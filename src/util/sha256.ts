import { joinedBytes } from "./chunk_bytes.ts";

const BLOCK_BYTES = 64;

/**
 * Hashes bytes with SHA-256 (FIPS 180-4 section 6.2), synchronously.
 *
 * @param bytes The bytes
 * @returns 32 bytes
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const blocks = paddedBlocks(bytes);
  const { initial, constants } = sha256Tables();
  const state = Uint32Array.from(initial);
  const words = new Uint32Array(64);
  for (let at = 0; at < blocks.byteLength; at += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) words[i] = blocks.getUint32(at + i * 4);
    for (let i = 16; i < 64; i++) {
      words[i] = words[i - 16]! + small(words[i - 15]!, 7, 18, 3) + words[i - 7]! + small(words[i - 2]!, 17, 19, 10);
    }
    const work = Uint32Array.from(state);
    for (let i = 0; i < 64; i++) {
      const [a, b, c, , e, f, g, h] = work as unknown as number[];
      const first = (h! + big(e!, 6, 11, 25) + ((e! & f!) ^ (~e! & g!)) + constants[i]! + words[i]!) | 0;
      const second = (big(a!, 2, 13, 22) + ((a! & b!) ^ (a! & c!) ^ (b! & c!))) | 0;
      work.copyWithin(1, 0, 7);
      work[4] = work[4]! + first;
      work[0] = first + second;
    }
    work.forEach((value, i) => state[i] = state[i]! + value);
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setUint32(i * 4, word));
  return new Uint8Array(digest.buffer);
}

// whole blocks of 64 bytes, with the message length at the end (FIPS 180-4 section 5.1.1)
function paddedBlocks(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, bytes.length << 3);
  return view;
}

/**
 * HMAC-SHA-256 (RFC 2104), synchronous, unlike WebCrypto.
 *
 * @param key The secret
 * @param message The message to sign
 * @returns 32 bytes
 */
export function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  const inner = sha256(joinedBytes([block.map((byte) => byte ^ 0x36), message]));
  return sha256(joinedBytes([block.map((byte) => byte ^ 0x5c), inner]));
}

function rotateRight(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function small(word: number, a: number, b: number, shift: number): number {
  return rotateRight(word, a) ^ rotateRight(word, b) ^ (word >>> shift);
}

function big(word: number, a: number, b: number, c: number): number {
  return rotateRight(word, a) ^ rotateRight(word, b) ^ rotateRight(word, c);
}

let tables: { initial: Uint32Array; constants: Uint32Array } | null = null;

// the standard derives them from the fractional parts of the first primes' square and cube roots
function sha256Tables(): { initial: Uint32Array; constants: Uint32Array } {
  if (tables !== null) return tables;
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number) => (root - Math.floor(root)) * 2 ** 32;
  return tables = {
    initial: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    constants: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  };
}
