/**
 * Pads a message to whole blocks of 64 bytes, with its length at the end (FIPS 180-4 section 5.1.1).
 *
 * @param bytes The message
 * @returns The blocks
 */
export function paddedBlocks(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(padded.length - 4, bytes.length << 3);
  return view;
}

/** Rotates a 32-bit word to the left. */
export function rotateLeft(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
