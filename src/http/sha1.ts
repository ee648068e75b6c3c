import { paddedBlocks, rotateLeft } from "./sha_blocks.ts";

/**
 * SHA-1 of some bytes (FIPS 180-4 section 6.1), synchronously, where WebCrypto would answer later.
 *
 * For entity tags only: nobody gains anything there by making two bodies collide.
 *
 * @param bytes The bytes
 * @returns 20 bytes
 */
export function sha1(bytes: Uint8Array): Uint8Array {
  const blocks = paddedBlocks(bytes);
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const words = new Uint32Array(80);
  for (let at = 0; at < blocks.byteLength; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = blocks.getUint32(at + i * 4);
    for (let i = 16; i < 80; i++) {
      words[i] = rotateLeft(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1);
    }
    let [a, b, c, d, e] = state as unknown as [number, number, number, number, number];
    for (let i = 0; i < 80; i++) {
      const [mix, constant] = round(i, b, c, d);
      const next = (rotateLeft(a, 5) + mix + e + constant + words[i]!) | 0;
      [e, d, c, b, a] = [d, c, rotateLeft(b, 30), a, next];
    }
    [a, b, c, d, e].forEach((value, i) => state[i] = state[i]! + value);
  }
  const digest = new DataView(new ArrayBuffer(20));
  state.forEach((word, i) => digest.setUint32(i * 4, word));
  return new Uint8Array(digest.buffer);
}

function round(i: number, b: number, c: number, d: number): [mix: number, constant: number] {
  if (i < 20) return [(b & c) | (~b & d), 0x5a827999];
  if (i < 40) return [b ^ c ^ d, 0x6ed9eba1];
  if (i < 60) return [(b & c) | (b & d) | (c & d), 0x8f1bbcdc];
  return [b ^ c ^ d, 0xca62c1d6];
}
