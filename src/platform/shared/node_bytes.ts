/** The part of the global `Buffer` used here. */
interface BufferLike {
  from(buffer: ArrayBuffer, offset: number, length: number): Uint8Array<ArrayBuffer>;
}

/**
 * Wraps bytes in a `Buffer` over the same memory if the runtime has `Buffer`.
 *
 * @param bytes The bytes
 */
export function nodeBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as { Buffer?: BufferLike };
  return Buffer === undefined ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
